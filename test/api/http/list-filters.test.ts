import assert from 'node:assert/strict'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { CREATED, clockAtFirst, FIRST_AT, idsNewestFirst, isoAt, STEP_MS } from './listed-rows.ts'

type Row = {
  id: string
  status: string
  reference: string | null
  phone: string
  email: string | null
  at: number
}

const service = opened(() => startService({ clock: clockAtFirst() }))
let api: Client
const rows: Row[] = []

const REFERENCES = ['order-1', 'ORDER-1', 'order_1', null]
const PHONES = ['0700000000', '+256 700 000 001', '+254700000000', '0772123456']
const EMAILS = ['Jane@Example.ug', 'jane@example.ug', 'x_y@b.ug', null]

// 32 charges, two at each moment; the first 24 have ended, each by its phone.
prepare(async () => {
  api = service.client((await service.merchant()).keys.test)
  for (let nth = 0; nth < 32; nth += 1) {
    if (nth === 24) await endAll()
    const phone = PHONES[nth % 4] as string
    const reference = REFERENCES[(nth >> 1) % 4] ?? null
    const email = EMAILS[(nth >> 2) % 4] ?? null
    const { body } = await api.charge({ reference, customer: { phone, email } })
    rows.push({ id: body.id, status: 'authorized', reference, phone, email, at: Date.parse(body.created_at) })
    if (nth % 2 === 1) service.pass(STEP_MS)
  }
})

async function endAll(): Promise<void> {
  service.pass(2000)
  await service.run('follow-charges')
  for (const row of rows) row.status = lastNine(row.phone) === '700000001' ? 'failed' : 'succeeded'
}

const lastNine = (phone: string) => phone.replace(/\D/g, '').slice(-9)
const expectedIds = (keep: (row: Row) => boolean) => idsNewestFirst(rows, keep)

async function idsOf(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await api.get(`/v1/charges?${new URLSearchParams({ limit: '100', ...query })}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.object, body.has_more, body.next_cursor], ['list', false, null])
  return body.data.map(({ id }: any) => id)
}

type Filter = [Record<string, string>, (row: Row) => boolean]
const NONE: Filter = [{}, () => true]
const STATUS: Filter[] = ['pending', 'authorized', 'succeeded', 'failed', 'refunded'].map((status) => [
  { status },
  (row) => row.status === status,
])
const STATUSES: Filter[] = ['succeeded,failed', 'authorized, failed', 'pending,refunded', 'failed,failed'].map(
  (status) => [{ status }, (row) => status.split(',').some((word) => word.trim() === row.status)],
)
const REFERENCE: Filter[] = ['order-1', 'ORDER-1', 'order_1', 'order'].map((reference) => [
  { reference },
  (row) => row.reference === reference,
])
const PHONE: Filter[] = ['0700000000', '700000000', '+256700000001', '256 772-123.456'].map((phone) => [
  { phone },
  (row) => lastNine(row.phone) === lastNine(phone),
])
const EMAIL: Filter[] = ['jane@example.ug', 'JANE@EXAMPLE.UG', 'x_y@b.ug', 'xzy@b.ug'].map((email) => [
  { email },
  (row) => row.email?.toLowerCase() === email.toLowerCase(),
])

test('no filter lists everything, newest first, those of one moment by id', async () => {
  const ids = await idsOf({})
  assert.equal(ids.length, 32)
  assert.deepEqual(
    ids,
    expectedIds(() => true),
  )
})

for (const [name, filters] of Object.entries({ STATUS, STATUSES, REFERENCE, PHONE, EMAIL, CREATED }))
  test(`each ${name.toLowerCase()} filter alone finds exactly its rows`, async () => {
    for (const [query, keep] of filters) assert.deepEqual(await idsOf(query), expectedIds(keep), JSON.stringify(query))
  })

longTest('all filters together, in every combination, find exactly the rows that fit them all', async () => {
  let found = 0
  for (const status of [NONE, ...STATUS.slice(1, 4), ...STATUSES.slice(0, 1)])
    for (const reference of [NONE, ...REFERENCE.slice(0, 2)])
      for (const phone of [NONE, ...PHONE.slice(1, 3)])
        for (const email of [NONE, ...EMAIL.slice(0, 2)])
          for (const created of [NONE, ...CREATED.slice(1)]) {
            const filters = [status, reference, phone, email, created]
            const query = Object.assign({}, ...filters.map(([part]) => part))
            const expected = expectedIds((row) => filters.every(([, keep]) => keep(row)))
            assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
            if (expected.length > 0) found += 1
          }
  assert.ok(found > 50, 'most combinations find something')
})

test('bounds are inclusive to the millisecond at both ends', async () => {
  const at = Date.parse(isoAt(5))
  const iso = (ms: number) => new Date(at + ms).toISOString()
  const own = expectedIds((row) => row.at === at)
  assert.equal(own.length, 2)
  assert.deepEqual(await idsOf({ created_after: iso(0), created_before: iso(0) }), own)
  assert.deepEqual(await idsOf({ created_after: iso(-1), created_before: iso(-1) }), [])
  assert.deepEqual(await idsOf({ created_after: iso(1), created_before: iso(1) }), [])
  assert.deepEqual(await idsOf({ created_after: iso(1), created_before: iso(-1) }), [], 'the wrong way round')
})

const day = new Date(FIRST_AT).toISOString().slice(0, 10)
const inKampala = new Date(FIRST_AT + 3 * 3_600_000 + 4 * STEP_MS).toISOString().slice(0, -1)
const FORMS: [string, string, boolean][] = [
  ['a bare date is its first moment', day, true],
  ['a bare date long past', '0001-01-01', true],
  ['no offset is UTC', isoAt(4).slice(0, -1), false],
  ['an offset', `${inKampala}+03:00`, false],
  ['an offset without a colon', `${inKampala}+0300`, false],
  ['a time finer than milliseconds', isoAt(4).replace('Z', '000Z'), false],
]
for (const [name, created_after, everything] of FORMS)
  test(`${name} in created_after`, async () => {
    const from = everything ? 0 : FIRST_AT + 4 * STEP_MS
    assert.deepEqual(
      await idsOf({ created_after }),
      expectedIds((row) => row.at >= from),
    )
  })

test('a + that arrived as a space is read as +', async () => {
  const { body } = await api.get(`/v1/charges?limit=100&created_after=${inKampala}+03:00`)
  assert.deepEqual(
    body.data.map(({ id }: any) => id),
    expectedIds((row) => row.at >= FIRST_AT + 4 * STEP_MS),
  )
})

test('a phone that is none finds nothing, and is no fault', async () => {
  for (const phone of [
    '%',
    '_________',
    '70000000',
    '00000',
    'abc',
    '*',
    "' or 1=1 --",
    '7000000%0',
    '\\',
    '٧٠٠٠٠٠٠٠٠',
  ])
    assert.deepEqual(await idsOf({ phone }), [], phone)
})

test('wildcards, quotes and code are literal in every filter', async () => {
  for (const text of [
    '%',
    'order%',
    'order-_',
    '_rder-1',
    '*',
    "order-1' or '1'='1",
    "' or true --",
    '\\',
    '$1',
    'null',
  ])
    for (const name of ['reference', 'email']) assert.deepEqual(await idsOf({ [name]: text }), [], `${name}=${text}`)
})
