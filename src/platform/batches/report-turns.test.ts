import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { newReportTurns, type ReportSize, type ReportTurn } from './report-turns.ts'

const patient = { small: { places: 2, waitMs: 5_000 }, large: { places: 1, waitMs: 5_000 } }

/** Records who gets a turn, in order. */
function watched(limits = patient) {
  const turns = newReportTurns(limits)
  const started: string[] = []
  const held = new Map<string, ReportTurn>()
  const enter = (name: string, merchantId: number, size: ReportSize = 'small', isGone = () => false) => {
    const entered = turns.enter({ merchantId, size, isGone }).then((turn) => {
      started.push(name)
      held.set(name, turn)
    })
    // Turns still waiting when their test ends give up later.
    entered.catch(() => {})
    return entered
  }
  return { turns, started, enter, turn: (name: string) => held.get(name) as ReportTurn }
}
const soon = () => new Promise((resolve) => setImmediate(resolve))

test('C18: a merchant makes one report at a time, and merchants take turns', async () => {
  const { started, enter, turn } = watched()
  for (const name of ['a1', 'a2', 'a3']) enter(name, 1)
  for (const name of ['b1', 'b2']) enter(name, 2)
  enter('c1', 3)
  await soon()
  deepEqual(started, ['a1', 'b1'])
  turn('a1').markMade()
  await soon()
  deepEqual(started, ['a1', 'b1', 'a2'], 'who came first')
  turn('a2').markMade()
  await soon()
  deepEqual(started, ['a1', 'b1', 'a2', 'c1'], 'then who has waited longest')
  turn('b1').markMade()
  turn('c1').markMade()
  await soon()
  deepEqual(started, ['a1', 'b1', 'a2', 'c1', 'b2', 'a3'])
})

test('C18: small reports do not wait behind large ones', async () => {
  const { started, enter } = watched()
  for (const name of ['large', 'second']) enter(name, 1, 'large')
  enter('third', 2, 'large')
  enter('small', 1)
  await soon()
  deepEqual(started, ['large', 'small'])
})

test('D3: while a large report is read slowly only its own merchant waits', async () => {
  const { started, enter, turn } = watched()
  enter('a1', 1, 'large')
  enter('a2', 1, 'large')
  enter('b1', 2, 'large')
  await soon()
  turn('a1').markMade()
  await soon()
  deepEqual(started, ['a1', 'b1'])
  turn('b1').markMade()
  turn('b1').markSent()
  await soon()
  deepEqual(started, ['a1', 'b1'])
  turn('a1').markSent()
  turn('a1').markSent()
  await soon()
  deepEqual(started, ['a1', 'b1', 'a2'])
})

test('C18: a caller that waits too long or behind too many gets a 503, and its place goes to the next', async () => {
  const { turns, started, enter, turn } = watched({ ...patient, small: { places: 1, waitMs: 20 } })
  enter('a1', 1)
  await rejects(enter('a2', 1), { status: 503 })
  const many = Array.from({ length: 20 }, () => enter('many', 1).catch(() => {}))
  await rejects(turns.enter({ merchantId: 1, size: 'small' }), { status: 503 })
  turn('a1').markMade()
  await soon()
  equal(started.filter((name) => name === 'many').length, 1)
  await Promise.all(many.slice(1))
  turn('many').markMade()
  equal(await turns.small(2, async () => 'done'), 'done')
})

test('C18: the turn of a client that has hung up is given to the next', async () => {
  const { started, enter, turn } = watched({ ...patient, small: { places: 1, waitMs: 5_000 } })
  enter('a1', 1)
  enter('gone', 2, 'small', () => true)
  enter('c1', 3)
  await soon()
  turn('a1').markMade()
  await soon()
  deepEqual(started, ['a1', 'c1'])
})

test('C18: a report that fails gives its turn back', async () => {
  const { turns } = watched({ ...patient, small: { places: 1, waitMs: 5_000 } })
  await rejects(
    turns.small(1, async () => {
      throw new Error('no')
    }),
    /no/,
  )
  equal(await turns.small(1, async () => 'yes'), 'yes')
})
