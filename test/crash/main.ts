// npm run crash-test -- [--rounds N] [--seed N] [--only recovery|points|random]
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { CRASH_POINTS } from '../../src/program/settings/crash-points.ts'
import { crashAt, POINT_CASES, programOf } from './cases/point-cases.ts'
import { type Chance, chanceFrom } from './chance.ts'
import { drawKills, type Kill, type KillKind, killUnderLoad } from './random-kills.ts'
import { addJudgement, type CrashRecord, isCleanRecord, newRecord, writeReport } from './report.ts'
import { serving, stopServing } from './serving.ts'
import { makeWorld, settleBooks, type World } from './world.ts'

type Run = { world: World; chance: Chance; record: CrashRecord }

const RANDOM: Record<KillKind, number> = { web: 4, worker: 3, postgres: 2, everything: 1 }
const RECOVERY: Record<KillKind, number> = { web: 3, worker: 3, postgres: 3, everything: 3 }
// Later rounds kill at a later pass of the same point.
const LATEST_PASS = 12

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const rounds = Number(values.rounds ?? 1)
const seed = Number(values.seed ?? randomInt(1_000_000))
const { only } = values
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
  throw new Error('--rounds and --seed are whole numbers')
if (only !== undefined && !['recovery', 'points', 'random'].includes(only))
  throw new Error('--only is recovery, points or random')

console.log(`crash-test: seed ${seed}, ${rounds} round(s)${only === undefined ? '' : `, only ${only}`}`)
const startedAt = performance.now()
const chance = chanceFrom(seed)
const world = await makeWorld(chance)
const run: Run = { world, chance, record: newRecord(seed, world.clients.tally, CRASH_POINTS.length) }
try {
  for (let round = 1; round <= rounds; round += 1) {
    if (only === undefined || only === 'points') await everyPoint(run, round)
    if (only === undefined || only === 'random') await randomKills(run, RANDOM)
    if (only === 'recovery') await randomKills(run, RECOVERY)
  }
} catch (error) {
  run.record.wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await world.end()
}
console.log(writeReport(run.record, (performance.now() - startedAt) / 1000))
process.exitCode = isCleanRecord(run.record) ? 0 : 1

/** Verifies the state after each kill before the next one: that one moves the clock, and its running keys would look old. */
async function everyPoint({ world, chance, record }: Run, round: number): Promise<void> {
  for (const pointCase of POINT_CASES) {
    const usual = pointCase.pass ?? 1
    const pass = round === 1 || pointCase.led !== 'load' ? usual : usual + chance.whole(0, LATEST_PASS)
    const wrong = await crashAt(world, { ...pointCase, pass })
    await serving(world, programOf(pointCase))
    addJudgement(record, await settleBooks(world))
    await verify(world, record)
    record.wrong.push(...wrong)
    if (wrong.length > 0) continue
    record.pointsHit.add(pointCase.point)
    record.pointKills += 1
    console.log(`  killed at ${pointCase.point}:${pass}`)
  }
  await stopServing(world)
}

async function randomKills({ world, chance, record }: Run, counts: Record<KillKind, number>): Promise<void> {
  const after = async (kill: Kill) => {
    record.kills.push(kill)
    addJudgement(record, kill.judgement)
    await verify(world, record)
    console.log(`  killed ${kill.kind}, back after ${Math.round(kill.recoveredMs)} ms`)
  }
  await killUnderLoad(world, { chance, kinds: drawKills(chance, counts), after })
}

async function verify({ installation }: World, record: CrashRecord): Promise<void> {
  const started = performance.now()
  const { code, json, stderr } = await installation.command(['verify'])
  record.verify.seconds.push(Math.round(performance.now() - started) / 1000)
  if (code !== 0) record.verify.breaches.push(json === null ? stderr : JSON.stringify(json))
}
