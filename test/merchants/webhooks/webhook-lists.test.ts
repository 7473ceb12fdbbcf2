import assert from 'node:assert/strict'
import test from 'node:test'
import { listStatementFor } from '../../../src/merchants/webhooks/find-deliveries.ts'
import { listStatements } from '../../../src/platform/db/statement.ts'
import { rowsLookedAt } from '../../helpers/database/rows-looked-at.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const MANY = 20_000
const RARE = 3

const service = opened(() => startService())
const shop = made(() => service.merchant())
prepare(async () => {
  const [{ id }] = (await service.rows('select id from merchants where public_id = $1', [shop.id])) as [{ id: number }]
  for (const [name, count, ageHours, status] of [
    ['charge.failed', RARE, 5000, 'failed'],
    ['charge.refunded', RARE, 4000, 'pending'],
    ['payout.succeeded', MANY, 2, 'pending'],
    ['charge.succeeded', MANY, 1, 'sent'],
  ] as const)
    await service.rows(
      `insert into deliveries (merchant_id, event_id, mode, event, status, attempts, delivered_at, created_at)
       select $1, 'evt_' || $6::text || left($2, 1) || lpad(n::text, 8, '0'), 'test', $2, $3, 8, case when $3 = 'sent' then $4::timestamptz end,
         $4::timestamptz - make_interval(secs => n) from generate_series(1, $5::int) n`,
      [id, name, status, new Date(service.clock.nowMs() - ageHours * 3_600_000), count, status],
    )
  await service.rows('analyze deliveries')
})

const AT_ONCE = 10
const PARKED_NOW = `select event_id as id from deliveries where status = 'pending' and next_attempt_at is null
  order by created_at, event_id limit 30`
const UNPARK = listStatements().find(({ name }) => name === 'unpark deliveries with address')?.text ?? ''

const FILTERS: [string, Parameters<typeof listStatementFor>[0]][] = [
  ['event=charge.failed', { event: 'charge.failed', status: null }],
  ['status=failed', { event: null, status: 'failed' }],
  ['event=charge.failed&status=failed', { event: 'charge.failed', status: 'failed' }],
  ['event=charge.refunded&status=pending', { event: 'charge.refunded', status: 'pending' }],
]

for (const [query, filter] of FILTERS)
  test(`D11: GET /v1/webhooks?${query} finds its page without reading the others`, async () => {
    const { status, body } = await service.client(shop.keys.test).get(`/v1/webhooks?${query}`)
    assert.deepEqual([status, body.data.length, body.has_more], [200, RARE, false])
    const found = filter.status === 'pending' ? ['charge.refunded', 'pending'] : ['charge.failed', 'failed']
    for (const one of body.data) assert.deepEqual([one.event, one.status], found)
    assert.ok((await looked(filter)) <= 2 * RARE)
  })

test('every other filter lists exactly what matches', async () => {
  const api = service.client(shop.keys.test)
  for (const [query, count] of [
    ['', 20],
    ['status=sent', 20],
    ['status=pending', 20],
    ['event=payout.succeeded&status=pending', 20],
    ['event=charge.succeeded&status=sent', 20],
    ['event=charge.succeeded&status=failed', 0],
    ['event=charge.refunded', RARE],
    ['event=charge.refunded&status=failed', 0],
  ] as const)
    assert.equal((await api.get(`/v1/webhooks?${query}`)).body.data.length, count, query)
})

async function merchantId(): Promise<number> {
  const [{ id }] = (await service.rows('select merchant_id as id from deliveries limit 1')) as [{ id: number }]
  return id
}

async function looked(filter: Parameters<typeof listStatementFor>[0]): Promise<number> {
  const id = await merchantId()
  return rowsLookedAt(service, {
    text: listStatementFor(filter).older.text,
    types: 'bigint, mode, timestamptz, timestamptz, text, int, text, text',
    values: [id, 'test', '-infinity', 'infinity', 'zzzz', 21, filter.status, filter.event],
  })
}

test('what waits for an address is made due oldest first, and nothing else is looked at', async () => {
  await service.rows(`update merchants set webhook_url = 'https://shop.example/hook' where public_id = $1`, [shop.id])
  const oldest = await service.rows(PARKED_NOW)
  const looked = await rowsLookedAt(service, { text: UNPARK, values: [await merchantId(), AT_ONCE] })
  assert.ok(looked <= 2 * AT_ONCE, `${looked} rows`)
  assert.deepEqual((await service.rows(PARKED_NOW)).slice(0, 20), oldest.slice(AT_ONCE, AT_ONCE + 20))
})
