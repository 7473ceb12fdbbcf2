import assert from 'node:assert/strict'
import test from 'node:test'
import { CREATED, clockAtFirst, idsNewestFirst, isoAt, STEP_MS } from '../../api/http/listed-rows.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { plantOrder } from '../../helpers/vending/planted-order.ts'

type Row = { id: string; reference: string | null; at: number }

const LINKS = '/v1/payment-links'
// Two that only a pattern or another spelling would mix up, and none.
const REFERENCES = ['order_1', 'orderX1', 'ORDER_1', null, "o'); --%"]
const rows: Row[] = []
const service = opened(() => startService({ clock: clockAtFirst() }))
let api: Client

// 30 links, two at each moment; the other mode and another merchant have some with the same references.
prepare(async () => {
  const merchant = await service.merchant({ verified: true })
  api = service.client(merchant.keys.test)
  const live = service.client(merchant.keys.live)
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
async function idsOf(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await api.get(`${LINKS}?${new URLSearchParams({ limit: '100', ...query })}`)
  assert.deepEqual([status, body.has_more, body.next_cursor], [200, false, null])
  return body.data.map(({ id }: any) => id)
}

type Filter = [Record<string, string>, (row: Row) => boolean]
const NONE: Filter = [{}, () => true]
const NAMED: Filter[] = ['order_1', 'orderX1', 'ORDER_1', "o'); --%", 'order%', 'order', 'null'].map((reference) => [
  { reference },
  (row) => row.reference === reference,
])
const CREATED_OR_NONE: Filter[] = [...CREATED, [{ created_after: isoAt(9), created_before: isoAt(3) }, () => false]]

test('each filter alone and all together find exactly their rows, newest first, those of one moment by id', async () => {
  for (const named of [NONE, ...NAMED])
    for (const created of [NONE, ...CREATED_OR_NONE]) {
      const query = { ...named[0], ...created[0] }
      const expected = expectedIds((row) => named[1](row) && created[1](row))
      assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
    }
})
