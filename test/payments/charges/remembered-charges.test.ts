import assert from 'node:assert/strict'
import test from 'node:test'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const OVERDUE_MS = 10_000

const service = openedAndVerified(() => startService())

/** What was told and posted of a charge, without what differs from charge to charge. */
async function toldOf(id: string) {
  const [event, ...more] = await eventsOf(service, id)
  assert.deepEqual(more, [])
  const { data } = JSON.parse(event?.body ?? '')
  const [transfers, [row]] = await Promise.all([
    transfersOf(service, id),
    service.rows<{ reference: string; createdAt: Date }>(
      'select rail_reference as reference, created_at as "createdAt" from charges where id = $1',
      [id],
    ),
  ])
  assert.deepEqual([data.id, data.rail_reference, data.created_at], [id, row?.reference, row?.createdAt.toISOString()])
  const own = { id: '', rail_reference: '', created_at: '', completed_at: '', available_on: '' }
  return { data: { ...data, ...own, rail_transaction_id: '' }, transfers: transfers.length }
}

test('a charge that its process remembers ends as one that is read from the table, alone and in one batch', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  const charge = async (phone: string) =>
    (await api.charge({ reference: 'a "ü" \\ 😀', customer: { phone, email: 'a@example.com' } })).body.id as string
  await service.run('follow-charges')

  const remembered = [await charge('0700000000'), await charge('0700000001')]
  service.pass(OVERDUE_MS)
  await service.run('follow-charges')

  // The process forgets what is overdue when it stores the next one.
  const forgotten = [await charge('0700000000'), await charge('0700000001')]
  service.pass(OVERDUE_MS)
  const next = [await charge('0700000000'), await charge('0700000001')]
  service.pass(OVERDUE_MS)
  await service.run('follow-charges')

  const [paid, failed] = await Promise.all(remembered.map(toldOf))
  assert.deepEqual([paid?.data.status, paid?.transfers], ['succeeded', 2])
  assert.deepEqual([failed?.data.failure_reason, failed?.transfers], ['insufficient_funds', 0])
  for (const ids of [forgotten, next]) assert.deepEqual(await Promise.all(ids.map(toldOf)), [paid, failed])
})
