import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnsweredRequest } from '../../api/http/frame.ts'
import type { Database } from '../../platform/db/database.ts'
import { DatabaseAway } from '../../platform/db/errors.ts'
import { movableClock } from '../../platform/time/clock.ts'
import { requestRecorder } from './request-recorder.ts'

/** A recorder over cells that count the rows that they take; those in `away` take none. */
function recorder() {
  const away = new Set<string>()
  const taken: Record<string, number> = {}
  const appOf = ({ cell }: { cell: string }) => {
    const refuse = () => {
      if (away.has(cell)) throw new DatabaseAway(new Error('its node is dead'))
    }
    const db = {
      queries: async (...calls: { values: unknown[] }[]) => {
        refuse()
        taken[cell] = (taken[cell] ?? 0) + calls.length
        return []
      },
      query: async () => {
        refuse()
        return []
      },
    }
    return { db: db as unknown as Database }
  }
  const requests = requestRecorder(
    { clock: movableClock(), log: { error: () => assert.fail('nothing is lost') } },
    appOf,
  )
  const note = (cell: string) => {
    const caller = {
      merchantId: 1,
      tag: 'aaaaa',
      cell,
      mode: 'test',
      keyId: 'key_1',
      origin: '::1',
      keyLast4: 'abcd',
      requestId: 'req_1',
    }
    const nothing = { code: null, error: null, keyOutcome: null, objectId: null, ignored: null }
    const seen = { caller, method: 'GET', route: '/v1/balance', status: 200, ms: 1, ...nothing }
    requests.note(seen as unknown as AnsweredRequest)
  }
  return { requests, note, away, taken }
}

test('while one cell is away the requests of the others are written, and its own when it is back', async () => {
  const { requests, note, away, taken } = recorder()
  away.add('cell_1')
  for (const cell of ['cell_1', 'cell_0', 'cell_1']) note(cell)
  await requests.flush()
  assert.deepEqual(Object.keys(taken), ['cell_0'])
  away.clear()
  await requests.flush()
  assert.deepEqual(Object.keys(taken), ['cell_0', 'cell_1'])
  assert.equal(requests.dropped(), 0)
})

test('requests of a cell that is away leave room for those of the others', async () => {
  const { requests, note, away, taken } = recorder()
  away.add('cell_1')
  for (let nth = 0; nth < 15_000; nth += 1) note('cell_1')
  note('cell_0')
  await requests.flush()
  assert.equal(requests.dropped(), 5000)
  for (let nth = 0; nth < 10_000; nth += 1) note('cell_0')
  assert.equal(requests.dropped(), 5000)
  await requests.flush()
  assert.ok((taken.cell_0 ?? 0) > 1)
})
