import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { systemClock } from '../time/clock.ts'
import { type DueWorkCheck, type Sweep, startWorker } from './sweep.ts'

const NEVER_MS = 3_600_000
const LATER_MS = 5
// A second, less what a timer may be early.
const SHORTEST_AFTER_ERROR_MS = 990

function logging() {
  const infos: object[] = []
  const errors: any[] = []
  return {
    infos,
    errors,
    info: (fields: object) => void infos.push(fields),
    error: (fields: object) => void errors.push(fields),
  }
}

/** A sweep that returns these figures, then 0, and tells when it has run this often. */
function counting(name: string, figures: number[] = [], everyMs = NEVER_MS) {
  const waiters: { runs: number; resolve: () => void }[] = []
  let runs = 0
  const sweep: Sweep = {
    name,
    everyMs,
    runOnce: async () => {
      const figure = figures[runs] ?? 0
      runs += 1
      for (const { runs: wanted, resolve } of waiters) if (runs >= wanted) resolve()
      return figure
    },
  }
  const ran = (wanted: number) =>
    runs >= wanted ? Promise.resolve() : new Promise<void>((resolve) => waiters.push({ runs: wanted, resolve }))
  return { sweep, ran, runs: () => runs }
}
/** A worker that stops when its test ends, even if it fails. */
function start(t: TestContext, sweeps: readonly Sweep[], log = logging(), lookout: DueWorkCheck | null = null) {
  const worker = startWorker(sweeps, { log, clock: systemClock(), lookout })
  t.after(() => worker.stop())
  return worker
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('after twenty runs with nothing to do a sweep waits longer, and a nudge still wakes it at once', async (t) => {
  const work = counting('work', [], 1)
  const worker = start(t, [{ ...work.sweep, restMs: NEVER_MS }])
  await work.ran(20)
  await pause(LATER_MS)
  assert.equal(work.runs(), 20)
  worker.nudge('work')
  await work.ran(21)
})

longTest('work in between puts the rest off', async (t) => {
  const work = counting('work', [...new Array(19).fill(0), 1], 1)
  start(t, [{ ...work.sweep, restMs: NEVER_MS }])
  await work.ran(40)
  await pause(LATER_MS)
  assert.equal(work.runs(), 40)
})

test('a run that handled something is followed by another at once; after one that did not, the sweep waits', async (t) => {
  const work = counting('work', [5, 3, 0])
  const log = logging()
  const worker = start(t, [work.sweep], log)
  await work.ran(3)
  await pause(LATER_MS)
  assert.equal(work.runs(), 3)
  assert.deepEqual(
    log.infos.map((info: any) => [info.sweep, info.done]),
    [
      ['work', 5],
      ['work', 3],
    ],
  )
  await worker.stop()
})

test('a sweep runs again after its period', async (t) => {
  const work = counting('work', [], 1)
  const worker = start(t, [work.sweep])
  await work.ran(4)
  await worker.stop()
})

test('a nudge wakes the one sweep it names', async (t) => {
  const [woken, other] = [counting('woken'), counting('other')]
  const worker = start(t, [woken.sweep, other.sweep])
  await Promise.all([woken.ran(1), other.ran(1)])
  await pause(LATER_MS)
  worker.nudge('woken')
  await woken.ran(2)
  worker.nudge('nobody')
  await pause(LATER_MS)
  assert.deepEqual([woken.runs(), other.runs()], [2, 1])
  await worker.stop()
})

test('a nudge during a run is not lost', { timeout: 60_000 }, async (t) => {
  let nudge = () => {}
  let runs = 0
  const again = new Promise<void>((resolve) => {
    const sweep: Sweep = {
      name: 'work',
      everyMs: NEVER_MS,
      runOnce: async () => {
        runs += 1
        if (runs === 1) setImmediate(() => nudge())
        await pause(LATER_MS)
        if (runs === 2) resolve()
        return 0
      },
    }
    const worker = start(t, [sweep])
    nudge = () => worker.nudge('work')
  })
  await again
  assert.equal(runs, 2)
})

test('an error is reported and stops neither its own sweep nor another', async (t) => {
  const startedAt: number[] = []
  let works = false
  let worked = () => {}
  const working = new Promise<void>((resolve) => {
    worked = resolve
  })
  const failing: Sweep = {
    name: 'failing',
    everyMs: NEVER_MS,
    runOnce: async () => {
      startedAt.push(performance.now())
      if (!works) throw new Error('down')
      worked()
      return 0
    },
  }
  const other = counting('other', [], 1)
  const log = logging()
  const worker = start(t, [failing, other.sweep], log)
  await other.ran(5)
  await pause(LATER_MS)
  assert.equal(worker.lastRunMs.has('failing'), false)
  // A machine that stood still for a second has let it run again by now.
  for (const [nth, at] of startedAt.slice(1).entries())
    assert.ok(at - (startedAt[nth] as number) > SHORTEST_AFTER_ERROR_MS, 'after an error it waits')
  assert.deepEqual(
    log.errors.map(({ sweep, err }) => [sweep, err.message]),
    startedAt.map(() => ['failing', 'down']),
  )
  works = true
  worker.nudge('failing')
  await working
  await pause(LATER_MS)
  assert.ok(worker.lastRunMs.has('failing') && worker.lastRunMs.has('other'))
  await worker.stop()
})

test('stopping waits for the current run and starts no other', async (t) => {
  let release = () => {}
  let runs = 0
  let ended = false
  const sweep: Sweep = {
    name: 'long',
    everyMs: 1,
    runOnce: async () => {
      runs += 1
      await new Promise<void>((resolve) => {
        release = resolve
      })
      ended = true
      return 1
    },
  }
  const worker = start(t, [sweep])
  await pause(LATER_MS)
  const stopped = worker.stop()
  assert.equal(ended, false)
  release()
  await stopped
  assert.equal(ended, true)
  await pause(LATER_MS)
  assert.equal(runs, 1)
})

test('stopping wakes a waiting sweep', async (t) => {
  const work = counting('work')
  const worker = start(t, [work.sweep])
  await work.ran(1)
  const asked = performance.now()
  await worker.stop()
  assert.ok(performance.now() - asked < 1000)
  assert.equal(work.runs(), 1)
})

test('a task with a lookout rests after twenty runs with nothing to do, and is woken by the look that names it', async (t) => {
  const [work, other] = [counting('work', [], 1), counting('other', [], 1)]
  let [looks, due] = [0, [] as string[]]
  const look = async () => {
    looks += 1
    return due
  }
  const names = ['work', 'other']
  const worker = start(t, [work.sweep, other.sweep], logging(), {
    names,
    everyMs: 1,
    restMs: 1,
    findDue: look,
  })
  await Promise.all([work.ran(20), other.ran(20)])
  const before = looks
  while (looks < before + 3) await pause(1)
  assert.deepEqual([work.runs(), other.runs()], [20, 20], 'nothing is run while nothing is due')
  due = ['work']
  await work.ran(22)
  due = []
  assert.equal(other.runs(), 20)
  worker.nudge('other')
  await other.ran(21)
})

test('a look that fails is told, and the next one wakes what is due', async (t) => {
  const work = counting('work', [], 1)
  const log = logging()
  let fails = 2
  const look = async () => {
    if (work.runs() < 20 || fails === 0) return ['work']
    fails -= 1
    throw new Error('away')
  }
  start(t, [work.sweep], log, { names: ['work'], everyMs: 1, restMs: 1, findDue: look })
  await work.ran(21)
  assert.deepEqual(
    log.errors.map(({ sweep }) => sweep),
    ['look for work', 'look for work'],
  )
})
