import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { balanceOf, postingsOf } from '../../helpers/database/money-rows.ts'
import {
  addSubaccounts,
  balanceOfSubaccount,
  setStatus,
  settlementsOf,
  splitOf,
} from '../../helpers/payments/splits.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({
    env: { WEBHOOK_ALLOW_PRIVATE: receiver.place },
  }),
)

const REST = 'platform_residual'
const DECLINED = { customer: { phone: '0700000001' } }

async function shop(...names: string[]) {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  return { merchant, api, ids: await addSubaccounts(api, ...names) }
}

async function follow(api: Client, id: string) {
  service.pass(2000)
  await service.run('follow-charges')
  return (await api.get(`/v1/charges/${id}`)).body
}

test('without a hold each party gets its share in the commit that pays the charge', async () => {
  const { merchant, api, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  await service.set(merchant, { webhookUrl: receiver.url })
  const accepted = await api.charge({
    amount: 10_000,
    split: [
      { subaccount: A, amount: 3000 },
      { subaccount: B, bps: 2500 },
    ],
  })
  assert.equal(accepted.status, 201)
  assert.equal(accepted.body.net, 9800)
  assert.deepEqual(accepted.body.split, [
    { subaccount: A, platform: false, amount: 3000, settlement_status: 'pending', settled_at: null },
    { subaccount: B, platform: false, amount: 2450, settlement_status: 'pending', settled_at: null },
    { subaccount: REST, platform: true, amount: 4350, settlement_status: 'pending', settled_at: null },
  ])
  assert.deepEqual((await api.get(`/v1/charges/${accepted.body.id}`)).body, accepted.body)
  assert.deepEqual(await balanceOfSubaccount(api, A), [0, 0])

  const paid = await follow(api, accepted.body.id)
  assert.equal(paid.status, 'succeeded')
  assert.equal(paid.net, 9800)
  assert.equal(paid.settled, true)
  assert.deepEqual(splitOf(paid), [`${A} 3000 available`, `${B} 2450 available`, `${REST} 4350 available`])
  for (const row of paid.split) assert.equal(row.settled_at, paid.completed_at)
  const listed = (await api.get('/v1/charges')).body.data
  assert.deepEqual(listed, [paid])

  assert.deepEqual(await postingsOf(service, paid.id), [
    'charge_net rail:op1_momo available 4350',
    'charge_fee rail:op1_momo fees 200',
    `split_share rail:op1_momo sub_available:${A} 3000`,
    `split_share rail:op1_momo sub_available:${B} 2450`,
  ])
  assert.deepEqual(await balanceOf(api), { available: 4350, pending: 0 }, 'shares are never in it')
  assert.deepEqual(await balanceOfSubaccount(api, A), [3000, 0])
  assert.deepEqual(await balanceOfSubaccount(api, B), [2450, 0])
  assert.deepEqual(
    await settlementsOf(api),
    ['instant 4350 1 null', `split_sweep 3000 1 ${A}`, `split_sweep 2450 1 ${B}`].sort(),
  )

  assert.equal(await service.run('send-deliveries'), 1)
  const told = receiver.received.at(-1)
  assert.deepEqual(told?.event.data.split, paid.split)
  assert.match(
    told?.body ?? '',
    /"split":\[\{"amount":3000,"platform":false,"settled_at":"[^"]+","settlement_status":"available","subaccount":"sub_/,
  )
})

test('a failed split charge moves nothing, and every row of its split is reversed', async () => {
  const { merchant, api, ids } = await shop('A')
  const [A = ''] = ids
  await service.set(merchant, { webhookUrl: receiver.url })
  const { body: accepted } = await api.charge({ ...DECLINED, split: [{ subaccount: A, bps: 5000 }] })
  const failed = await follow(api, accepted.id)
  assert.equal(failed.status, 'failed')
  assert.deepEqual(splitOf(failed), [`${A} 2400 reversed`, `${REST} 2400 reversed`])
  for (const row of failed.split) assert.equal(row.settled_at, null)
  assert.deepEqual(await postingsOf(service, failed.id), [])
  assert.deepEqual(await balanceOfSubaccount(api, A), [0, 0])
  assert.deepEqual(await settlementsOf(api), [])
  await service.run('send-deliveries')
  assert.deepEqual(receiver.received.at(-1)?.event.data.split, failed.split)
})

test('the share of a subaccount that is inactive at success stays with the merchant, the others are credited', async () => {
  const { merchant, api, ids } = await shop('A', 'B', 'C')
  const [A = '', B = '', C = ''] = ids
  const { body: accepted } = await api.charge({
    split: [
      { subaccount: A, amount: 1000 },
      { subaccount: B, amount: 700 },
      { subaccount: C, amount: 300 },
    ],
  })
  await setStatus(service, merchant, { id: A, status: 'inactive' })
  await setStatus(service, merchant, { id: C, status: 'inactive' })
  const paid = await follow(api, accepted.id)
  assert.deepEqual(splitOf(paid), [
    `${A} 1000 reversed`,
    `${B} 700 available`,
    `${C} 300 reversed`,
    `${REST} 4100 available`,
  ])
  assert.equal(paid.net, 4800)
  assert.deepEqual(await balanceOf(api), { available: 4100, pending: 0 })
  assert.deepEqual(await balanceOfSubaccount(api, A), [0, 0])
  assert.deepEqual(await balanceOfSubaccount(api, B), [700, 0])
  assert.deepEqual(await settlementsOf(api), ['instant 4100 1 null', `split_sweep 700 1 ${B}`])
  // That decision is final: activating it later does not pay it.
  await setStatus(service, merchant, { id: A, status: 'active' })
  assert.deepEqual(splitOf((await api.get(`/v1/charges/${paid.id}`)).body), splitOf(paid))
})

test('a split of the whole net leaves a remainder of 0, and nothing is posted or settled for it', async () => {
  const { api, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  const { body: accepted } = await api.charge({
    split: [
      { subaccount: A, bps: 2500 },
      { subaccount: B, amount: 3600 },
    ],
  })
  assert.deepEqual(splitOf(accepted), [`${A} 1200 pending`, `${B} 3600 pending`, `${REST} 0 pending`])
  const paid = await follow(api, accepted.id)
  assert.equal(paid.settled, true)
  assert.equal(paid.available_on, paid.completed_at)
  assert.deepEqual(splitOf(paid), [`${A} 1200 available`, `${B} 3600 available`, `${REST} 0 available`])
  assert.deepEqual(await postingsOf(service, paid.id), [
    'charge_fee rail:op1_momo fees 200',
    `split_share rail:op1_momo sub_available:${A} 1200`,
    `split_share rail:op1_momo sub_available:${B} 3600`,
  ])
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 0 })
  assert.deepEqual(await settlementsOf(api), [`split_sweep 1200 1 ${A}`, `split_sweep 3600 1 ${B}`])
})

test('when every party in a split of the whole net is inactive, all of it stays with the merchant', async () => {
  const { merchant, api, ids } = await shop('A')
  const [A = ''] = ids
  const { body: accepted } = await api.charge({ split: [{ subaccount: A, bps: 10_000 }] })
  await setStatus(service, merchant, { id: A, status: 'inactive' })
  const paid = await follow(api, accepted.id)
  assert.deepEqual(splitOf(paid), [`${A} 4800 reversed`, `${REST} 4800 available`])
  assert.deepEqual(await balanceOf(api), { available: 4800, pending: 0 })
  assert.deepEqual(await settlementsOf(api), ['instant 4800 1 null'])
})

test('shares in basis points are rounded down and the rest stays with the merchant', async () => {
  const { api, ids } = await shop('A', 'B', 'C')
  const { body: accepted } = await api.charge({
    amount: 5001,
    split: ids.map((subaccount) => ({ subaccount, bps: 3333 })),
  })
  assert.equal(accepted.net, 4801)
  assert.deepEqual(
    accepted.split.map(({ amount }: any) => amount),
    [1600, 1600, 1600, 1],
  )
})

test('a replay shows the split as it was first answered, and the charge exists once', async () => {
  const { api, ids } = await shop('A')
  const body = { split: [{ subaccount: ids[0], amount: 1000, bps: null, note: 'ignored' }] }
  const key = { 'idempotency-key': 'split once' }
  const first = await api.charge(body, key)
  await follow(api, first.body.id)
  const again = await api.charge(body, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await balanceOfSubaccount(api, ids[0] ?? ''), [1000, 0])
})

test('a charge without a split shows none, beside split ones in the same batch and list', async () => {
  const { api, ids } = await shop('A')
  const split = [{ subaccount: ids[0], amount: 1 }]
  const replies = await Promise.all([api.charge(), api.charge({ split }), api.charge(), api.charge({ split })])
  const shown = replies.map(({ status, body }) => [status, Object.hasOwn(body, 'split')])
  assert.deepEqual(shown, [
    [201, false],
    [201, true],
    [201, false],
    [201, true],
  ])
  service.pass(2000)
  assert.equal(await service.run('follow-charges'), 4)
  const { data } = (await api.get('/v1/charges')).body
  for (const row of data) {
    assert.equal(row.status, 'succeeded')
    assert.deepEqual((await api.get(`/v1/charges/${row.id}`)).body, row)
  }
  assert.equal(data.filter((row: any) => Object.hasOwn(row, 'split')).length, 2)
  assert.deepEqual(await balanceOfSubaccount(api, ids[0] ?? ''), [2, 0])
  assert.deepEqual(await balanceOf(api), { available: 4 * 4800 - 2, pending: 0 })
})

test('up to twenty parties are allowed, and every one of them is paid', async () => {
  const { api, ids } = await shop(...Array.from({ length: 20 }, (_, index) => `Farm ${index}`))
  const { body: accepted } = await api.charge({ split: ids.map((subaccount) => ({ subaccount, bps: 500 })) })
  const paid = await follow(api, accepted.id)
  assert.deepEqual(
    splitOf(paid),
    [...ids.map((id) => `${id} 240 available`), `${REST} 0 available`],
    'in the order of the request',
  )
  for (const id of ids) assert.deepEqual(await balanceOfSubaccount(api, id), [240, 0])
})
