import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { isCleanSoak } from './judge-soak.ts'
import { runSoak } from './run-soak.ts'
import { TROUBLE_KINDS } from './troubles.ts'

const seed = Number(process.env.SOAK_SEED ?? randomInt(1_000_000))
// The lists of the operator take as long as all the rest: `npm run soak` imports them always.
const statements = Number(process.env.SOAK_STATEMENTS ?? 0)
const troubles = { kills: 2, sleeps: 1, clocks: 1, statements }

test(`live payments under random faults, kills, a sleeper, a wrong clock and a switched contract, seed ${seed}`, async () => {
  const found = await runSoak({ charges: 240, payouts: 80, seed, ...troubles, say: () => {} })
  assert.ok(isCleanSoak(found), JSON.stringify(found))
  assert.equal(found.refused, 0)
  const missing = TROUBLE_KINDS.filter((kind) => troubles[kind] > 0 && found.came[kind] === 0)
  assert.deepEqual(missing, [], 'every kind of trouble came')
  assert.ok(found.succeeded > 240 && found.posts > 320, 'most payments went well, and some were posted again')
})
