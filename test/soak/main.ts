// npm run soak -- [--charges N] [--payouts N] [--seed N] [--kills N] [--sleeps N] [--clocks N] [--statements N]
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { isCleanSoak } from './judge-soak.ts'
import { runSoak } from './run-soak.ts'
import { TROUBLE_KINDS } from './troubles.ts'

const { values } = parseArgs({
  options: {
    charges: { type: 'string', default: '10000' },
    payouts: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    kills: { type: 'string', default: '20' },
    sleeps: { type: 'string', default: '12' },
    clocks: { type: 'string', default: '16' },
    statements: { type: 'string', default: '8' },
  },
})
const seed = Number(values.seed ?? randomInt(1_000_000))
const options = {
  charges: Number(values.charges),
  payouts: Number(values.payouts),
  kills: Number(values.kills),
  sleeps: Number(values.sleeps),
  clocks: Number(values.clocks),
  statements: Number(values.statements),
}
console.log(`soak: seed ${seed}, ${options.charges} charges, ${options.payouts} payouts`)
const startedAt = performance.now()
const found = await runSoak({ ...options, seed, say: (line) => console.log(line) })
const missing = TROUBLE_KINDS.filter((kind) => options[kind] > 0 && found.came[kind] === 0)
const clean = isCleanSoak(found) && missing.length === 0
const counts = Object.entries({ ...found, ...found.came, came: [] }).map(
  ([name, value]) => `${name} ${Array.isArray(value) ? value.length : value}`,
)
console.log(counts.join(', '))
if (missing.length > 0) console.log(`never came: ${missing.join(', ')}`)
if (!clean) console.log(JSON.stringify(found, null, 1).slice(0, 5000))
console.log(
  `${clean ? 'CLEAN' : 'BROKEN'} after ${Math.round((performance.now() - startedAt) / 1000)} s; replay with --seed ${seed}`,
)
process.exitCode = clean ? 0 : 1
