import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { listStatements } from '../../../src/platform/db/statement.ts'
import { clockAtFirst, FIRST_AT, idsNewestFirst, STEP_MS } from '../../api/http/listed-rows.ts'
import { pay, payoutOf } from '../../helpers/payments/payouts.ts'
import { payer, plan } from '../../helpers/payments/schedules.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

type Row = { id: string; status: string; reference: string | null; phone: string; at: number }

const REFERENCES = ['wage-1', 'WAGE-1', 'wage_1', null]
const PHONES = ['0700000000', '+256 700 000 001', '+254700000000', '0772123456']
const rows: Row[] = []
const service = opened(() => startService({ clock: clockAtFirst() }))
const shop = made(() => payer(service, 10_000_000))
let api: Client

const lastNine = (phone: string) => phone.replace(/\D/g, '').slice(-9)

// 32 payouts, two at each moment; the first 24 have ended, each by its phone.
prepare(async () => {
  api = shop.api
  for (let nth = 0; nth < 32; nth += 1) {
    if (nth === 24) {
      service.pass(3000)
      await service.run('send-payouts')
    }
    const phone = PHONES[nth % 4] as string
    const reference = REFERENCES[(nth >> 1) % 4] ?? null
    const { status, body } = await pay(api, { recipient: { phone }, reference })
    assert.equal(status, 201)
    rows.push({ id: body.id, status: '', reference, phone, at: Date.parse(body.created_at) })
    if (nth % 2 === 1) service.pass(STEP_MS)
  }
  for (const row of rows) row.status = (await api.get(`/v1/payouts/${row.id}`)).body.status
  for (const status of ['authorized', 'succeeded', 'failed'])
    assert.ok(rows.filter((row) => row.status === status).length >= 6, status)
})

const expectedIds = (keep: (row: Row) => boolean) => idsNewestFirst(rows, keep)

async function idsOf(query: Record<string, string>, as: Client = api): Promise<string[]> {
  const { status, body } = await as.get(`/v1/payouts?${new URLSearchParams({ limit: '100', ...query })}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ id }: any) => id)
}

type Filter = [Record<string, string>, (row: Row) => boolean]
const NONE: Filter = [{}, () => true]
const STATUS: Filter[] = ['pending', 'authorized', 'succeeded', 'failed'].map((status) => [
  { status },
  (row) => row.status === status,
])
const REFERENCE: Filter[] = ['wage-1', 'WAGE-1', 'wage_1', 'wage', '%', 'wage-2'].map((reference) => [
  { reference },
  (row) => row.reference === reference,
])
const PHONE: Filter[] = ['0700000000', '700000000', '+256700000001', '256 772-123.456'].map((phone) => [
  { phone },
  (row) => lastNine(row.phone) === lastNine(phone),
])
const moment = Date.parse(new Date(FIRST_AT + 5 * STEP_MS).toISOString())
const CREATED: Filter[] = [
  [{ created_after: new Date(moment).toISOString() }, (row) => row.at >= moment],
  [{ created_before: new Date(moment).toISOString() }, (row) => row.at <= moment],
]

for (const [name, filters] of Object.entries({ STATUS, REFERENCE, PHONE, CREATED }))
  test(`C11 each ${name.toLowerCase()} filter of payouts alone finds exactly its rows`, async () => {
    for (const [query, keep] of filters) assert.deepEqual(await idsOf(query), expectedIds(keep), JSON.stringify(query))
  })

test('C11 all filters of payouts together, in every combination, find exactly the rows that fit them all', async () => {
  let found = 0
  for (const status of [NONE, ...STATUS])
    for (const reference of [NONE, ...REFERENCE.slice(0, 2)])
      for (const phone of [NONE, ...PHONE.slice(1, 3)])
        for (const created of [NONE, ...CREATED]) {
          const filters = [status, reference, phone, created]
          const query = Object.assign({}, ...filters.map(([part]) => part))
          const expected = expectedIds((row) => filters.every(([, keep]) => keep(row)))
          assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
          if (expected.length > 0) found += 1
        }
  assert.ok(found > 30, `${found} combinations find something`)
})

test('C11 what is no phone finds nothing, and wildcards are letters', async () => {
  for (const phone of ['%', 'abc', '0700', '_________', '07000000%', '0'.repeat(20)])
    assert.deepEqual(await idsOf({ phone }), [], phone)
})

test('C11 a wage of a bulk is found by its reference, with how it ended', async () => {
  const items = [{ amount: 1000, phone: '0700000000', reference: 'june/17' }]
  assert.equal((await api.post('/v1/payouts/bulk', { items })).status, 200)
  const { body } = await api.get('/v1/payouts?reference=june%2F17')
  assert.deepEqual(
    body.data.map(({ kind, reference, amount }: any) => [kind, reference, amount]),
    [['bulk', 'june/17', 1000]],
  )
  assert.deepEqual((await api.get('/v1/payouts?reference=june%2F18')).body.data, [])
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

test('C11 each filter is read from its index, however long the history is', async () => {
  const own = await payer(service, 1_000_000)
  const { body } = await pay(own.api, { reference: 'only one' })
  const columns = await service.rows<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'cell_0' and table_name = 'payouts'`,
  )
  const own_columns: Record<string, string> = {
    id: `p.id || lpad(n::text, 6, '0')`,
    reference: `'of ' || n`,
    recipient_phone: `'2567' || lpad(n::text, 8, '0')`,
    rail_reference: 'gen_random_uuid()::text',
    created_at: `p.created_at + n * interval '1 ms'`,
  }
  const names = columns.map(({ name }) => name)
  await service.rows(
    `insert into payouts (${names.join(', ')})
     select ${names.map((name) => own_columns[name] ?? `p.${name}`).join(', ')} from payouts p, generate_series(1, 5000) n where p.id = $1`,
    [body.id],
  )
  const db = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await db.connect()
  try {
    await db.query('analyze payouts')
    await db.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
    for (const [by, index, filters] of [
      ['reference', 'payouts_by_reference', `null, 'of 77', null`],
      ['phone', 'payouts_by_phone', `null, null, '700000077'`],
    ]) {
      const text = listStatements().find(({ name }) => name === `list payouts by ${by}`)?.text
      await db.query(`prepare looked_at as ${text}`)
      const call = `looked_at (${own.merchantId}, 'test', '-infinity', 'infinity', 'zzzz', 21, ${filters})`
      // After five runs the server decides whether to keep one plan for all values.
      for (let run = 1; run <= 6; run += 1) assert.equal((await db.query(`execute ${call}`)).rowCount, 1)
      const { rows: lines } = await db.query(`explain (analyze, buffers off) execute ${call}`)
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
      assert.ok(plan.includes(index as string), plan)
      assert.doesNotMatch(plan, /Rows Removed by Filter: [1-9]/)
      await db.query('deallocate looked_at')
    }
  } finally {
    await db.end()
    await service.rows('delete from payouts where id like $1', [`${body.id}______`])
  }
})
