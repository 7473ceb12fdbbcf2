import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeAgain } from '../../helpers/database/rows-again.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { payer, planned, sendAll } from '../../helpers/payments/schedules.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { assertRefused, badRequest } from './refused.ts'

const MANY = 11_000
const service = opened(() => startService())
const busy = made(() => payer(service, 1_000_000))
const shop = made(() => payer(service, 1_000_000))
const stranger = made(() => payer(service, 1_000_000))

type Query = Record<string, string>
const idsOf = async (api: Client, path: string, query: Query): Promise<string[]> => {
  const { status, body, headers, text } = await api.get(`${path}?${new URLSearchParams({ limit: '100', ...query })}`)
  assert.deepEqual([status, headers.get('ignored-parameters')], [200, null], text)
  return body.data.map(({ id }: any) => id)
}

// One charge a second, every thousandth of another amount.
prepare(async () => {
  await busy.api.charge({ amount: 5000 })
  await writeAgain(service, 'charges', {
    own: {
      id: `left(t.id, length(t.id) - 6) || lpad(n::text, 6, '0')`,
      rail_reference: 'gen_random_uuid()::text',
      amount: 'case when n % 1000 = 7 then 7777 else 5000 end',
      created_at: `$2::timestamptz + n * interval '1 second'`,
    },
    from: `charges t, generate_series(1, ${MANY}) n where t.merchant_id = $1 and t.mode = 'test'`,
    values: [busy.merchantId, service.clock.now().toISOString()],
  })
})

/** Follows the cursors to the end; `longest` is the most steps that this may take. */
async function walk(way: 'starting_after' | 'ending_before', from: string | null, query: Query, longest: number) {
  const seen: string[] = []
  let steps = 0
  for (let cursor = from; steps === 0 || cursor !== null; steps += 1) {
    assert.ok(steps < longest, `${steps} steps`)
    const sent = new URLSearchParams({ ...query, ...(cursor === null ? {} : { [way]: cursor }) })
    const { body, text } = await busy.api.get(`/v1/charges?${sent}`)
    assert.ok(body.data, text)
    const ids = body.data.map(({ id }: any) => id)
    if (way === 'starting_after') seen.push(...ids)
    else seen.unshift(...ids)
    cursor = body.next_cursor
    assert.equal(body.has_more, cursor !== null)
  }
  return seen
}

test('a filter that no index answers finds each row once, however far back, from page to page and in both directions', async () => {
  const rows = await service.rows<{ id: string; amount: number }>(
    'select id, amount::int as amount from charges where merchant_id = $1 order by created_at desc, id desc',
    [busy.merchantId],
  )
  const expected = rows.filter(({ amount }) => amount === 7777).map(({ id }) => id)
  assert.equal(expected.length, MANY / 1000)
  for (const limit of ['1', '3', '20', '100'])
    assert.deepEqual(await walk('starting_after', null, { amount: '7777', limit }, 16), expected, limit)
  const oldest = rows.at(-1)?.id ?? ''
  for (const limit of ['2', '20'])
    assert.deepEqual(await walk('ending_before', oldest, { amount: '7777', limit }, 16), expected, limit)
  assert.deepEqual(await walk('starting_after', null, { amount: '7778' }, 4), [], 'nothing is found in four steps')
})

test('charges are found by amount, channel, failure reason and link, alone and together', async () => {
  const { api } = shop
  const made = [
    await api.charge({ amount: 5000 }),
    await api.charge({ amount: 6000 }),
    await api.charge({ amount: 6000, customer: { phone: '0700000001' } }),
  ].map(({ body }) => body.id)
  const [first, second, third] = made as [string, string, string]
  service.pass(5000)
  await service.run('follow-charges')
  const { channel } = (await api.get(`/v1/charges/${first}`)).body
  const cases: [Query, string[]][] = [
    [{ amount: '5000' }, [first]],
    [{ amount: '6000' }, [second, third]],
    [{ amount: '6000', failure_reason: 'insufficient_funds' }, [third]],
    [{ failure_reason: 'insufficient_funds' }, [third]],
    [{ amount: '6000', status: 'succeeded,pending' }, [second]],
    [{ channel }, made],
    [{ amount: '0' }, []],
    [{ payment_link: 'lnk_none' }, []],
  ]
  for (const [query, ids] of cases)
    assert.deepEqual((await idsOf(api, '/v1/charges', query)).sort(), [...ids].sort(), JSON.stringify(query))
  assert.deepEqual(await idsOf(stranger.api, '/v1/charges', { amount: '6000' }), [])
})

test('payouts are found by amount, failure reason, bulk call and schedule', async () => {
  const { api } = shop
  const single = (await pay(api, { amount: 7000 })).body.id
  const failed = (await pay(api, { recipient: { phone: '0700000001' } })).body.id
  const items = [{ phone: '0700000102', amount: 1000, name: 'Jane', reference: 'item-1' }]
  const bulk = (await api.post('/v1/payouts/bulk', { items })).body
  const schedule = await planned(api)
  service.pass(40 * 86_400_000)
  await service.run('run-schedules')
  await sendAll(service)
  const of = (query: Query) => idsOf(api, '/v1/payouts', query)
  assert.deepEqual(await of({ amount: '7000' }), [single])
  assert.deepEqual(await of({ failure_reason: 'recipient_not_found' }), [failed])
  const [, item = ''] = /"(pout_[a-z0-9]+)"/.exec(JSON.stringify(bulk)) ?? []
  const { batch_id } = (await api.get(`/v1/payouts/${item}`)).body
  assert.deepEqual(await of({ batch: batch_id }), [item])
  const cycle = await of({ schedule: schedule.id })
  assert.ok(cycle.length > 0)
  for (const id of cycle) assert.equal((await api.get(`/v1/payouts/${id}`)).body.scheduled_payout_id, schedule.id)
  assert.deepEqual(await idsOf(stranger.api, '/v1/payouts', { batch: batch_id }), [])
})

const REFUSED: [string, string][] = [
  ['/v1/charges?amount=5,000', 'amount must be whole shillings, as digits'],
  ['/v1/charges?amount=-1', 'amount must be whole shillings, as digits'],
  ['/v1/payouts?amount=1e3', 'amount must be whole shillings, as digits'],
  ['/v1/charges?channel=cash', 'invalid channel: cash'],
  ['/v1/charges?failure_reason=none', 'invalid failure_reason: none'],
  ['/v1/payouts?failure_reason=none', 'invalid failure_reason: none'],
  ['/v1/charges?amount=5000&starting_after=txn_none', 'invalid starting_after cursor'],
  ['/v1/charges?amount=5000&ending_before=txn_none', 'invalid ending_before cursor'],
]
for (const [path, text] of REFUSED)
  test(`${path} is refused`, async () => assertRefused(await shop.api.get(path), badRequest(text)))
