import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { DatabaseAway } from './errors.ts'
import { type ConnectionRequest, type Gate, type GateOptions, newGate } from './gate.ts'

const EIGHT: GateOptions = { size: 8, keptFree: { outcome: 2, in: 2, out: 2 }, patience: 'service' }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Enters and returns whether it was let in at once; `leave` waits until it has been let in. */
function entering(at: Gate, share: ConnectionRequest) {
  const visit = { inside: false, refused: null as unknown, leave: async () => {} }
  const entered = at.enter(share).then(
    (leave) => {
      visit.inside = true
      return leave
    },
    (error) => {
      visit.refused = error
      return () => {}
    },
  )
  visit.leave = async () => (await entered)()
  return visit
}
async function enterMany(at: Gate, share: ConnectionRequest, count: number) {
  const visits = Array.from({ length: count }, () => entering(at, share))
  await turn()
  return visits
}
const insideOf = (visits: readonly { inside: boolean }[]) => visits.filter(({ inside }) => inside).length

test('C16: one merchant has at most a quarter of the places, whatever it asks for, and others pass it', async () => {
  const doors = newGate(EIGHT)
  const greedy = await enterMany(doors, { kind: 'out', of: 7 }, 30)
  assert.equal(insideOf(greedy), 2)
  const others = await enterMany(doors, { kind: 'out', of: 8 }, 1)
  assert.equal(insideOf(others), 1)
  const several = await enterMany(doors, { kind: 'in' }, 2)
  assert.equal(insideOf(several), 2)
  for (const visit of greedy) await visit.leave()
  assert.equal(insideOf(greedy), 30)
  assert.equal(doors.waiting(), 0)
})

test('C13: each kind keeps free places, however much the others ask for', async () => {
  const doors = newGate(EIGHT)
  const out = await enterMany(doors, { kind: 'out' }, 20)
  assert.equal(insideOf(out), 4)
  const outcomes = await enterMany(doors, { kind: 'outcome' }, 3)
  assert.equal(insideOf(outcomes), 2)
  const coming = await enterMany(doors, { kind: 'in' }, 3)
  assert.equal(insideOf(coming), 2)
  await out[0]?.leave()
  await turn()
  assert.equal(insideOf([...outcomes, ...coming, ...out]), 9, 'the place goes to who waits, money under way first')
  assert.equal(insideOf(outcomes), 3)
  for (const visit of [...out, ...outcomes, ...coming]) await visit.leave()
})

test('C13: a caller that waits less than a second is served, not refused', async () => {
  const doors = newGate({ ...EIGHT, size: 2, keptFree: { outcome: 0, in: 0, out: 0 } })
  const [a, b] = await enterMany(doors, { kind: 'in' }, 2)
  const waiting = await enterMany(doors, { kind: 'in' }, 3)
  await sleep(400)
  assert.deepEqual([insideOf(waiting), waiting.map(({ refused }) => refused)], [0, [null, null, null]])
  await Promise.all([a?.leave(), b?.leave()])
  for (const visit of waiting) await visit.leave()
  assert.equal(insideOf(waiting), 3)
})

test('F17: while all places are held for long, those who wait are refused, later callers are refused at once, and then all recovers', async () => {
  const doors = newGate({ ...EIGHT, size: 2, keptFree: { outcome: 0, in: 0, out: 0 } })
  const held = await enterMany(doors, { kind: 'out' }, 2)
  const waiting = await enterMany(doors, { kind: 'in' }, 5)
  const outcome = entering(doors, { kind: 'outcome' })
  for (let nth = 0; nth < 100 && waiting.some(({ refused }) => refused === null); nth += 1) await sleep(50)
  assert.ok(waiting.every(({ refused }) => refused instanceof DatabaseAway))
  assert.equal(outcome.refused, null, 'what a rail has said goes on waiting')
  const [late] = await enterMany(doors, { kind: 'in' }, 1)
  assert.ok(late?.refused instanceof DatabaseAway)
  for (const visit of held) await visit.leave()
  await outcome.leave()
  const after = await enterMany(doors, { kind: 'in' }, 2)
  assert.equal(insideOf(after), 2)
})

longTest('C13: a queue that would take longer than a second is not joined', async () => {
  const doors = newGate({ ...EIGHT, size: 1, keptFree: { outcome: 0, in: 0, out: 0 } })
  for (let nth = 0; nth < 30; nth += 1) {
    const visit = entering(doors, { kind: 'in' })
    await sleep(20)
    await visit.leave()
  }
  const visits = await enterMany(doors, { kind: 'in' }, 400)
  const refused = visits.filter((visit) => visit.refused !== null).length
  assert.ok(refused > 100 && refused < 398, `${refused} of 400 at about 20 ms each`)
  for (const visit of visits) await visit.leave()
})

longTest('C13: commands wait', async () => {
  const doors = newGate({ size: 1, keptFree: { outcome: 0, in: 0, out: 0 }, patience: 'patient' })
  const [held] = await enterMany(doors, { kind: 'out' }, 1)
  const command = entering(doors, { kind: 'out' })
  await sleep(1500)
  assert.equal(command.refused, null)
  await held?.leave()
  await command.leave()
  assert.ok(command.inside)
})

test('it has been quiet since the last one left', async () => {
  const doors = newGate(EIGHT)
  const [first, second] = await enterMany(doors, { kind: 'in' }, 2)
  assert.equal(doors.quietMs(), 0)
  await first?.leave()
  assert.equal(doors.quietMs(), 0)
  await second?.leave()
  while (doors.quietMs() === 0) await sleep(1)
  await enterMany(doors, { kind: 'out' }, 1)
  assert.equal(doors.quietMs(), 0)
})
