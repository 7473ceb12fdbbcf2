import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import { movableClock } from './clock.ts'
import { newClockWitness } from './clock-witness.ts'

const DAY = 86_400_000
const SECOND = 1000
const log = { warn: () => {} }

/** A server whose clock the test sets, and that answers when it lets it. */
function serverOf() {
  const server = { aheadMs: 0, answers: async () => {} }
  const query = async () => {
    const at = new Date(Date.now() + server.aheadMs)
    await server.answers()
    return [{ at }]
  }
  return { server, directory: { query } as unknown as Pick<Database, 'query'> }
}

/** How far this time is from the true one. */
const offMs = (at: Date) => Math.abs(at.getTime() - Date.now())

test('before the first look nothing is believed', () => {
  const { directory } = serverOf()
  assert.match(newClockWitness({ clock: movableClock(), directory, log }).doubt() ?? '', /has not been compared/)
})

test('a server that does not answer says nothing of the time, and what it said before goes on', async () => {
  const clock = movableClock()
  const { server, directory } = serverOf()
  const witness = newClockWitness({ clock, directory, log })
  await witness.askServer()
  server.answers = () => Promise.reject(new Error('gone'))
  await assert.rejects(witness.askServer())
  assert.equal(witness.doubt(), null)
  clock.beWrong(DAY)
  assert.match(witness.doubt() ?? '', /86400\.0 s ahead|86399\.9 s ahead/)
  assert.ok(offMs(witness.earlier()) < SECOND)
})

test('where both clocks step ahead together, what cannot be undone goes by the time before the step', async () => {
  const clock = movableClock()
  const { server, directory } = serverOf()
  const witness = newClockWitness({ clock, directory, log })
  await witness.askServer()
  clock.beWrong(DAY)
  server.aheadMs = DAY
  assert.notEqual(witness.doubt(), null, 'a step is seen before the server is asked')
  await witness.askServer()
  assert.equal(witness.doubt(), null)
  assert.ok(offMs(witness.earlier()) < SECOND)
  await witness.askServer()
  assert.ok(offMs(witness.earlier()) < SECOND)
  clock.beWrong(0)
  server.aheadMs = 0
  await witness.askServer()
  assert.ok(offMs(witness.earlier()) < SECOND)
  clock.advance(DAY)
  assert.ok(Math.abs(witness.earlierMs() - clock.nowMs()) < SECOND, 'a test that moves it on purpose is right')
})
