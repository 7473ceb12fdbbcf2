import assert from 'node:assert/strict'
import test from 'node:test'
import { made, opened, prepare } from '../helpers/opened.ts'
import { pay, payoutOf } from '../helpers/payouts.ts'
import { payer, plan, sendAll } from '../helpers/schedules.ts'
import { type Client, startService } from '../helpers/test-service.ts'
import { CREATED, clockAtFirst, idsNewestFirst, STEP_MS } from './listed-rows.ts'
import { assertRefused, badRequest, invalid } from './refused.ts'

type Row = { id: string; status: string; at: number }

const PHONES = ['0700000000', '0700000001', '0772123456', '0700000003']
const rows: Row[] = []
const service = opened(() =>
  startService({ clock: clockAtFirst(), env: { RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_SCHEDULES: '0' } }),
)
const shop = made(() => payer(service, 10_000_000))
let api: Client

// 32 payouts, two at each moment; the first 24 have ended, each by its phone.
prepare(async () => {
  api = shop.api
  for (let nth = 0; nth < 32; nth += 1) {
    if (nth === 24) await endAll()
    const { status, body } = await pay(api, { recipient: { phone: PHONES[nth % 4] } })
    assert.equal(status, 201)
    rows.push({ id: body.id, status: 'authorized', at: Date.parse(body.created_at) })
    if (nth % 2 === 1) service.pass(STEP_MS)
  }
})

async function endAll(): Promise<void> {
  await sendAll(service)
  for (const row of rows) row.status = (await payoutOf(api, row.id)).status
  assert.deepEqual(
    ['succeeded', 'failed'].map((status) => rows.filter((row) => row.status === status).length),
    [12, 12],
  )
}

const expectedIds = (keep: (row: Row) => boolean) => idsNewestFirst(rows, keep)

const listed = async (query: string | Record<string, string>): Promise<any> => {
  const { status, body } = await api.get(`/v1/payouts?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const idsOf = async (query: Record<string, string>): Promise<string[]> => {
  const { data, has_more, next_cursor } = await listed({ limit: '100', ...query })
  assert.deepEqual([has_more, next_cursor], [false, null])
  return data.map(({ id }: any) => id)
}

type Filter = [Record<string, string>, (row: Row) => boolean]
const NONE: Filter = [{}, () => true]
const STATUS: Filter[] = ['pending', 'authorized', 'succeeded', 'failed'].map((status) => [
  { status },
  (row) => row.status === status,
])

test('each filter alone and all together find exactly their rows, newest first, those of one moment by id', async () => {
  for (const status of [NONE, ...STATUS])
    for (const created of [NONE, ...CREATED]) {
      const query = { ...status[0], ...created[0] }
      assert.deepEqual(
        await idsOf(query),
        expectedIds((row) => status[1](row) && created[1](row)),
        JSON.stringify(query),
      )
    }
})

test('the plain list mixes states in order of time, page by page', async () => {
  for (const limit of ['1', '3', '7', '31', '32']) {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: any = await listed(cursor ? { limit, starting_after: cursor } : { limit })
      seen.push(...page.data.map(({ id }: any) => id))
      assert.equal(page.next_cursor, page.has_more ? page.data.at(-1).id : null)
      cursor = page.next_cursor
    }
    assert.deepEqual(
      seen,
      expectedIds(() => true),
      `limit ${limit}`,
    )
  }
})

test('a filter holds over its pages, and a cursor need not be of the rows it shows', async () => {
  const failed = expectedIds(({ status }) => status === 'failed')
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: any = await listed({
      status: 'failed',
      limit: '5',
      ...(cursor && { starting_after: cursor }),
    })
    seen.push(...page.data.map(({ id }: any) => id))
    cursor = page.next_cursor
  }
  assert.deepEqual(seen, failed)
  const all = expectedIds(() => true)
  const cursor = all[10] as string
  assert.deepEqual(
    await idsOf({ status: 'failed', starting_after: cursor }),
    failed.filter((id) => all.indexOf(id) > 10),
  )
})

test('20 rows unless told otherwise, in the envelope of every list', async () => {
  const body = await listed('')
  assert.deepEqual(Object.keys(body), ['object', 'data', 'has_more', 'next_cursor'])
  assert.deepEqual([body.object, body.data.length, body.has_more], ['list', 20, true])
  assert.deepEqual(body.data[0], await payoutOf(api, body.data[0].id))
  const { api: nobody } = await payer(service)
  assert.deepEqual((await nobody.get('/v1/payouts')).body, {
    object: 'list',
    data: [],
    has_more: false,
    next_cursor: null,
  })
})

test('a walk by sevens while payouts come in and end shows each that was there once', async () => {
  const own = await payer(service, 1_000_000)
  for (let nth = 0; nth < 20; nth += 1) await pay(own.api)
  const before = (await own.api.get('/v1/payouts?limit=100')).body.data.map(({ id }: any) => id)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await own.api.get(`/v1/payouts?limit=7${cursor}`)
    seen.push(...body.data.map(({ id }: any) => id))
    if (!body.has_more) break
    cursor = `&starting_after=${body.next_cursor}`
    await pay(own.api)
    await sendAll(service)
  }
  assert.equal(new Set(seen).size, seen.length, 'none twice')
  assert.deepEqual(
    seen.filter((id) => before.includes(id)),
    before,
  )
})

test('payouts of every kind stand in one list', async () => {
  const own = await payer(service, 1_000_000)
  const charge = (await own.api.charge()).body.id
  service.pass(2000)
  await service.run('follow-charges')
  await pay(own.api)
  await own.api.post('/v1/payouts/bulk', { items: [{ amount: 1000, phone: '0700000000' }] })
  await own.api.post(`/v1/charges/${charge}/refund`)
  await plan(own.api)
  await service.run('run-schedules')
  const { data } = (await own.api.get('/v1/payouts')).body
  assert.deepEqual(data.map(({ kind }: any) => kind).sort(), ['bulk', 'payout', 'refund', 'scheduled'])
  for (const row of data) {
    assert.deepEqual(await payoutOf(own.api, row.id), row)
    assert.deepEqual(
      [row.charge_id !== null, row.batch_id !== null, row.scheduled_payout_id !== null],
      [row.kind === 'refund', row.kind === 'bulk', row.kind === 'scheduled'],
    )
  }
})

const refused = async (query: string, error: string) =>
  assertRefused(await api.get(`/v1/payouts?${query}`), badRequest(error), { because: query })

test('what is no status, limit, time or cursor is refused in the words of the contract', async () => {
  for (const status of ['paid', 'SUCCEEDED', 'refunded', "'", 'succeeded,failed'])
    await refused(`status=${encodeURIComponent(status)}`, `invalid status: ${status}`)
  await refused(`status=${'x'.repeat(100)}`, `invalid status: ${'x'.repeat(40)}`)
  for (const limit of ['0', '101', '-1', '1e1', '1.5', 'ten', '99999999999999999999'])
    await refused(`limit=${limit}`, 'limit must be an integer between 1 and 100')
  for (const name of ['created_after', 'created_before'])
    for (const time of ['yesterday', '2026-02-30', '2026-13-01', '1790000000', '20260101'])
      await refused(`${name}=${time}`, `${name} must be an ISO 8601 datetime`)
  const own = rows[0]?.id as string
  const charge = (await api.charge()).body.id
  for (const cursor of [own.slice(0, -1), `${own}a`, own.toUpperCase(), charge, '%25', 'null', "'"])
    await refused(`starting_after=${cursor}`, 'invalid starting_after cursor')
})

test('of several faults in a query the first in the order of the spec is reported', async () => {
  const faults: [string, string][] = [
    ['status=x', 'invalid status: x'],
    ['created_after=x', 'created_after must be an ISO 8601 datetime'],
    ['created_before=x', 'created_before must be an ISO 8601 datetime'],
    ['limit=x', 'limit must be an integer between 1 and 100'],
    ['starting_after=x', 'invalid starting_after cursor'],
  ]
  for (const [at, [first, error]] of faults.entries())
    for (const [second] of faults.slice(at + 1)) await refused(`${second}&${first}`, error)
})

test('a parameter given twice is refused, unknown and blank ones are not looked at', async () => {
  for (const name of ['limit', 'status', 'starting_after'])
    assertRefused(
      await api.get(`/v1/payouts?${name}=1&${name}=1`),
      invalid(`query parameter ${name} is given twice`),
    )
  const all = expectedIds(() => true)
  const queries: Record<string, string>[] = [
    { status: '', created_after: ' ', starting_after: '' },
    { mode: 'live', merchant_id: '1', kind: 'refund', currency: 'USD' },
  ]
  for (const query of queries) assert.deepEqual((await idsOf(query)).slice(-all.length), all)
})
