import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CRASH_POINTS } from '../../src/program/settings/crash-points.ts'
import { inThisRun } from '../helpers/service/parts.ts'
import { crashAt, POINT_CASES, type PointCase, programOf } from './cases/point-cases.ts'
import { chanceFrom } from './chance.ts'
import { serving, stopServing } from './serving.ts'
import { makeWorld, settleBooks, type World } from './world.ts'

const SOURCES = join(import.meta.dirname, '..', '..', '..', 'src')
const NOTHING = {
  lost: [],
  doubled: [],
  falselyFailed: [],
  wrongEnd: [],
  eventsLost: [],
  wrongDeliveries: [],
}
// Each world runs its own processes: more worlds would not finish sooner on two processors.
const WORLDS = 2
// One kill for charges, one for payouts and one for dispenses, where most would be lost: the other side was asked and has not answered.
const SHORT: readonly PointCase[] = [
  { point: 'charge.rail-sent', led: 'live' },
  { point: 'payout.rail-sent', led: 'live payout' },
  { point: 'dispense.commanded', led: 'direct dispense' },
]
const isShort = ({ point, led }: PointCase) =>
  SHORT.some((pointCase) => pointCase.point === point && pointCase.led === led)
const QUEUES = queuesOf(inThisRun(POINT_CASES, isShort))
const passedInCode = pointsInCode()

test('the code passes exactly the named crash points, and every one of them has a kill here', () => {
  const named = [...CRASH_POINTS].sort()
  assert.deepEqual(passedInCode, named, 'the code passes other points than crash-point.ts names')
  const killed = new Set(POINT_CASES.map(({ point }) => point))
  assert.deepEqual([...killed].sort(), named, 'the cases are other points')
})

describe('worlds beside each other', { concurrency: true }, () => {
  for (const [nth, cases] of QUEUES.entries())
    describe(`world ${nth + 1}`, { concurrency: 1 }, () => killInTurn(cases, nth + 1))
})

/** One world, one kill after the other: what a kill leaves behind must not break the later ones either. */
function killInTurn(cases: readonly PointCase[], seed: number): void {
  let world: World
  before(async () => {
    world = await makeWorld(chanceFrom(seed))
  })
  after(() => world?.end())
  for (const pointCase of cases) {
    // The test above already fails for a point that the code never passes; waiting for it here would only take time.
    const skip = passedInCode.includes(pointCase.point) ? false : 'not in the code'
    const { point, led, pass = 1 } = pointCase
    test(`a kill at pass ${pass} of ${point} (${led}) loses nothing and doubles nothing`, {
      skip,
    }, async () => {
      let recovered = false
      try {
        assert.deepEqual(await crashAt(world, pointCase), [])
        await serving(world, programOf(pointCase))
        const { findings } = await settleBooks(world)
        assert.deepEqual(findings, NOTHING)
        assert.deepEqual(world.clients.tally.unexpected, [])
        recovered = true
      } finally {
        // The next case continues with the process that recovered from this one.
        if (!recovered) await stopServing(world).then(world.installation.killAll)
      }
    })
  }
  test('after all those kills every invariant holds', async () => {
    const verified = await world.installation.command(['verify'])
    assert.equal(verified.code, 0, JSON.stringify(verified.json))
  })
}

/** Cases that reach their point in the same way stay together: the later ones reuse what the first has prepared. */
function queuesOf(cases: readonly PointCase[]): PointCase[][] {
  const ways = [...new Set(cases.map(({ led }) => led))]
  const queues: PointCase[][] = Array.from({ length: cases.length > SHORT.length ? WORLDS : 1 }, () => [])
  const alike = ways.map((way) => cases.filter(({ led }) => led === way)).sort((a, b) => b.length - a.length)
  for (const some of alike) {
    const [shortest] = [...queues].sort((a, b) => a.length - b.length)
    shortest?.push(...some)
  }
  return queues
}

function pointsInCode(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const found = new Set<string>()
  for (const name of files)
    for (const [, point] of readFileSync(join(SOURCES, name), 'utf8').matchAll(/crashPoint\('([^']+)'\)/g))
      found.add(point as string)
  return [...found].sort()
}
