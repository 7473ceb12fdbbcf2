// npm run race -- [--rounds N] [--only word]: runs the races whose names contain the word
import { parseArgs } from 'node:util'
import { RACES, verifyAfter } from './all-races.ts'
import { type Race, startFleet, type Verdict } from './fleet.ts'

const ROUNDS = 3
const FIRST = 5

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, only: { type: 'string', multiple: true } },
})
const rounds = Number(values.rounds ?? ROUNDS)
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number')
const words = values.only ?? ['']
const wanted = RACES.filter(({ name }) => words.some((word) => name.includes(word)))
if (wanted.length === 0) throw new Error(`no race is called ${words.join(' or ')}`)

console.log(`race: 3 web processes, 2 workers, ${rounds} round(s) of ${wanted.length} races`)
const fleet = await startFleet()
const verdicts = new Map<string, Verdict[]>()
try {
  for (let round = 1; round <= rounds; round += 1)
    for (const race of wanted) note(race, await race.run(fleet).catch(asVerdict))
  note(verifyAfter, await verifyAfter.run(fleet).catch(asVerdict))
} finally {
  await fleet.end()
}
const width = Math.max(...[...verdicts.keys()].map((name) => name.length))
for (const [name, all] of verdicts) printRow(name.padEnd(width), all)
const lost = [...verdicts.values()].filter((all) => all.some(({ wrong }) => wrong.length > 0)).length
console.log(lost === 0 ? 'every race ended as it must' : `${lost} of ${verdicts.size} rows did not hold`)
process.exitCode = lost === 0 ? 0 : 1

function note({ name }: Race, verdict: Verdict): void {
  verdicts.set(name, [...(verdicts.get(name) ?? []), verdict])
}

function asVerdict(error: unknown): Verdict {
  return { wrong: [error instanceof Error ? error.message : String(error)], seen: 'it broke off' }
}

function printRow(name: string, all: readonly Verdict[]): void {
  const good = all.filter(({ wrong }) => wrong.length === 0).length
  console.log(`${name}  ${good === all.length ? 'held' : 'BROKE'} ${good}/${all.length}  ${all.at(-1)?.seen}`)
  for (const sentence of new Set(all.flatMap(({ wrong }) => wrong).slice(0, FIRST))) console.log(`    ${sentence}`)
}
