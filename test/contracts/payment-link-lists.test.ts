import assert from 'node:assert/strict'
import test from 'node:test'
import { opened, prepare } from '../helpers/opened.ts'
import { plantOrder } from '../helpers/planted-order.ts'
import { type Client, startService } from '../helpers/test-service.ts'
import { CREATED, clockAtFirst, FIRST_AT, idsNewestFirst, isoAt, STEP_MS } from './listed-rows.ts'
import { assertRefused, badRequest } from './refused.ts'

type Row = { id: string; reference: string | null; at: number }

const LINKS = '/v1/payment-links'
// Two that only a pattern or another spelling would mix up, and none.
const REFERENCES = ['order_1', 'orderX1', 'ORDER_1', null, "o'); --%"]
const rows: Row[] = []
const service = opened(() => startService({ clock: clockAtFirst() }))
let api: Client
let live: Client

// 30 links, two at each moment; the other mode and another merchant have some with the same references.
prepare(async () => {
  const merchant = await service.merchant({ verified: true })
  api = service.client(merchant.keys.test)
  live = service.client(merchant.keys.live)
  const stranger = service.client((await service.merchant()).keys.test)
  for (let nth = 0; nth < 30; nth += 1) {
    const reference = REFERENCES[nth % REFERENCES.length] as string | null
    const { body } = await create({ reference, allow_multiple_uses: nth % 4 === 0 })
    rows.push({ id: body.id, reference, at: Date.parse(body.created_at) })
    for (const other of [live, stranger]) await create({ reference }, other)
    if (nth % 2 === 1) service.pass(STEP_MS)
  }
  // A vending order of the same merchant, in the middle of it all.
  const beside = rows[15]?.id ?? ''
  await plantOrder(service, beside, {
    id: `${beside.slice(0, 9)}order${beside.slice(14)}`,
    reference: 'order_1',
  })
})

const create = (body: object, client = api) => client.post(LINKS, { amount: 5000, ...body })

const expectedIds = (keep: (row: Row) => boolean) => idsNewestFirst(rows, keep)
const listed = async (query: string | Record<string, string> = '', client = api): Promise<any> => {
  const { status, body } = await client.get(`${LINKS}?${new URLSearchParams(query)}`)
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
const NAMED: Filter[] = ['order_1', 'orderX1', 'ORDER_1', "o'); --%", 'order%', 'order', 'null'].map(
  (reference) => [{ reference }, (row) => row.reference === reference],
)
const CREATED_OR_NONE: Filter[] = [
  ...CREATED,
  [{ created_after: isoAt(9), created_before: isoAt(3) }, () => false],
]

test('each filter alone and all together find exactly their rows, newest first, those of one moment by id', async () => {
  for (const named of [NONE, ...NAMED])
    for (const created of [NONE, ...CREATED_OR_NONE]) {
      const query = { ...named[0], ...created[0] }
      const expected = expectedIds((row) => named[1](row) && created[1](row))
      assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
    }
})

test('page by page the list is the whole list, whatever the size of a page', async () => {
  for (const filter of [NONE, NAMED[0] as Filter])
    for (const limit of ['1', '3', '7', '29', '30']) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: any = await listed({ ...filter[0], limit, ...(cursor && { starting_after: cursor }) })
        seen.push(...page.data.map(({ id }: any) => id))
        assert.equal(page.next_cursor, page.has_more ? page.data.at(-1).id : null)
        cursor = page.next_cursor
      }
      assert.deepEqual(seen, expectedIds(filter[1]), `${JSON.stringify(filter[0])} by ${limit}`)
    }
})

test('a cursor need not be of the rows that a filter shows', async () => {
  const all = expectedIds(() => true)
  const named = expectedIds(({ reference }) => reference === 'order_1')
  assert.deepEqual(
    await idsOf({ reference: 'order_1', starting_after: all[10] as string }),
    named.filter((id) => all.indexOf(id) > 10),
  )
})

test('a cursor and a window hold together, whichever ends first', async () => {
  const all = expectedIds(() => true)
  const atOf = (id: string) => rows.find((row) => row.id === id)?.at as number
  for (const cursor of [all[0], all[11], all[12], all.at(-1)] as string[])
    for (const step of [0, 3, 9, 14, 20])
      for (const bound of ['created_before', 'created_after'] as const) {
        const edge = FIRST_AT + step * STEP_MS
        const expected = all
          .slice(all.indexOf(cursor) + 1)
          .filter((id) => (bound === 'created_before' ? atOf(id) <= edge : atOf(id) >= edge))
        const query = { starting_after: cursor, [bound]: isoAt(step) }
        assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
      }
  assert.deepEqual(
    await idsOf({ created_before: '9999-12-31T23:59:59.999Z', created_after: '0001-01-01' }),
    all,
  )
})

test('20 rows unless told otherwise, in the envelope of every list, each as it is by id', async () => {
  const body = await listed()
  assert.deepEqual(Object.keys(body), ['object', 'data', 'has_more', 'next_cursor'])
  assert.deepEqual([body.object, body.data.length, body.has_more], ['list', 20, true])
  for (const row of body.data.slice(0, 5)) assert.deepEqual((await api.get(`${LINKS}/${row.id}`)).body, row)
  assert.ok('transaction_status' in body.data[0])
  const nobody = service.client((await service.merchant()).keys.test)
  assert.deepEqual(await listed('', nobody), { object: 'list', data: [], has_more: false, next_cursor: null })
})

test('each mode has its own list, and its cursors lead nowhere in the other', async () => {
  const [ours, theirs] = [await listed('limit=100'), await listed('limit=100', live)]
  assert.deepEqual([ours.data.length, theirs.data.length], [30, 30])
  for (const { id, mode } of theirs.data) {
    assert.equal(mode, 'live')
    assert.ok(!rows.some((row) => row.id === id))
  }
  const [cursor] = theirs.data
  assertRefused(
    await api.get(`${LINKS}?starting_after=${cursor.id}`),
    badRequest('invalid starting_after cursor'),
  )
})

test('what is no page, no time and no cursor is refused, in this order; what is unknown is ignored', async () => {
  const after = badRequest('created_after must be an ISO 8601 datetime')
  const before = badRequest('created_before must be an ISO 8601 datetime')
  const limit = badRequest('limit must be an integer between 1 and 100')
  const cursor = badRequest('invalid starting_after cursor')
  const faults: [string, typeof after][] = [
    ['created_after=yesterday', after],
    ['created_before=2026-13-01', before],
    ['limit=0', limit],
    ['starting_after=lnk_nobody', cursor],
  ]
  for (const [at, [, expected]] of faults.entries())
    assertRefused(
      await api.get(
        `${LINKS}?${faults
          .slice(at)
          .map(([query]) => query)
          .join('&')}`,
      ),
      expected,
    )
  for (const wrong of ['101', '-1', '1.5', 'ten', '1e1', '0x10'])
    assertRefused(await api.get(`${LINKS}?limit=${wrong}`), limit, { because: wrong })
  for (const wrong of ['txn_x', `${rows[0]?.id}0`, '%25'])
    assertRefused(await api.get(`${LINKS}?starting_after=${wrong}`), cursor, { because: wrong })
  const twice = badRequest('invalid request: query parameter reference is given twice')
  assertRefused(await api.get(`${LINKS}?reference=a&reference=b`), twice)
  assert.equal((await listed('status=paid&kind=order&mode=live&limit=100')).data.length, 30)
  assert.equal((await listed('reference=&limit=100')).data.length, 30, 'blank is absent')
})

test('a walk by sevens while links come in shows each that was there once', async () => {
  const own = service.client((await service.merchant()).keys.test)
  for (let nth = 0; nth < 20; nth += 1) await create({}, own)
  const before = (await listed('limit=100', own)).data.map(({ id }: any) => id)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const body = await listed(`limit=7${cursor}`, own)
    seen.push(...body.data.map(({ id }: any) => id))
    if (!body.has_more) break
    cursor = `&starting_after=${body.next_cursor}`
    service.pass(1)
    await create({}, own)
  }
  assert.deepEqual(seen, before)
})
