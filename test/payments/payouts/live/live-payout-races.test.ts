import assert from 'node:assert/strict'
import { freezeAccount, freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import type { Heard } from '../../../fakes/operator.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { heardOf } from '../../../helpers/payments/operator-heard.ts'
import { COST, PAID, postingsOf, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { pay, payNew, richShop, startPayingService, watchingLocks } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { type Shop, startBeside } from '../../../helpers/service/live-service.ts'
import { sendToBoth } from '../../../helpers/service/one-key.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import type { Client, Reply } from '../../../helpers/service/test-service.ts'

const FUNDS = 500_000
const LEASE_MS = 30_000
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startBeside(service))

const clientsOf = ({ merchant }: Shop) =>
  [service, second].map((testService) => testService.client(merchant.keys.live)) as [Client, Client]
const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)))
const made = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 201)

longTest(
  'of 100 live payouts at once over two services with money for 49, those 49 are accepted, and each moves once',
  async () => {
    const shop = await richShop(service, FUNDS)
    const clients = clientsOf(shop)
    const replies = await times(100, (nth) => payNew(clients[nth % 2] as Client, { amount: 10_000 }))
    assert.equal(made(replies).length, 49)
    for (const { status, body } of replies)
      assert.ok(status === 201 || (status === 400 && body.code === 'insufficient_balance'), JSON.stringify(body))
    assert.deepEqual(await balanceOf(shop.live), { available: 200, pending: 0 })
    for (const { body } of made(replies)) {
      assert.equal(heardOf(service, 'submit', body.rail_reference).length, 1)
      service.operator.pays(body.id)
    }
    await drain()
    for (const { body } of made(replies)) {
      assert.equal(service.operator.movements().get(body.rail_reference), 1)
      assert.equal((await eventsOf(service, body.id)).length, 1)
      assert.ok(!overlap(heardOf(service, 'question', body.rail_reference)), 'asked by two workers at once')
    }
    assert.deepEqual(await balanceOf(shop.live), { available: 200, pending: 0 })
  },
)

test('two web processes with one key: the operator is asked once, the second gets a 409 or the first answer', async () => {
  const shop = await richShop(service, FUNDS)
  const [here, there] = clientsOf(shop)
  for (let round = 0; round < 5; round += 1) {
    const { body } = await sendToBoth(service, `both at once ${round}`, [
      (phone, key) => pay(here, { recipient: { phone } }, key),
      (phone, key) => pay(there, { recipient: { phone } }, key),
    ])
    await settle(service, body.id)
  }
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - 5 * COST, pending: 0 })
})

const STOPS: [string, string, (shop: Shop) => Promise<void>, (shop: Shop) => Promise<void>][] = [
  [
    'its verification is withdrawn',
    'verification_required',
    ({ merchant }) => service.set(merchant, { kycStatus: 'rejected' }),
    ({ merchant }) => service.set(merchant, { kycStatus: 'verified' }),
  ],
  [
    'it is deactivated',
    'merchant_inactive',
    ({ merchant }) => service.set(merchant, { active: false }),
    ({ merchant }) => service.set(merchant, { active: true }),
  ],
  [
    'the platform is frozen',
    'payouts_frozen',
    () => freezePlatform(service.gateway, BY_HAND, 'a review'),
    () => freezePlatform(service.gateway, BY_HAND, null),
  ],
  ['the account is frozen', 'payouts_paused', (shop) => hold(shop, 'a person asked'), (shop) => hold(shop, null)],
]
for (const [what, code, stop, release] of STOPS)
  longTest(
    `when ${what} under parallel live payouts over two services, none is reserved after that commit`,
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const shop = await richShop(service, 2_000_000)
        const clients = clientsOf(shop)
        let stopped = false
        const late: number[] = []
        const replies: Reply[] = []
        const streams = times(8, async (nth) => {
          for (let sent = 0; sent < 40; sent += 1) {
            const behind = stopped
            const reply = await payNew(clients[nth % 2] as Client)
            replies.push(reply)
            if (behind) late.push(reply.status)
            if (late.length >= 24) return
          }
        })
        while (replies.length < 20 + 10 * round) await new Promise((resolve) => setImmediate(resolve))
        await stop(shop)
        const reserved = await reservationsOf(shop)
        stopped = true
        await streams
        assert.equal(await reservationsOf(shop), reserved, 'nothing was reserved behind it')
        assert.ok(late.length > 0 && late.every((status) => status === 400), 'all that came later were refused')
        const refused = replies.filter(({ status }) => status !== 201)
        assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set([code]))
        assert.equal(made(replies).length, reserved, 'what was accepted before it goes on')
        await release(shop)
        for (const { body } of made(replies)) service.operator.pays(body.id)
        await drain()
        assert.deepEqual(await balanceOf(shop.live), { available: 2_000_000 - reserved * COST, pending: 0 })
      }
    },
  )

longTest('live and test payouts of one merchant at once, with its sandbox switch armed, never deadlock', async () => {
  for (let round = 0; round < 5; round += 1) {
    const shop = await richShop(service, FUNDS)
    await shop.test.charge({ amount: 1_000_000 })
    service.pass(2000)
    await service.run('follow-charges')
    await service.set(shop.merchant, { failNextPayouts: 40, failNextReason: 'timeout' })
    const sandboxes = [service, second].map((testService) => testService.client(shop.merchant.keys.test)) as [
      Client,
      Client,
    ]
    const clients = clientsOf(shop)
    const { value: replies, rings } = await watchingLocks(service, () =>
      times(80, (nth) => payNew((nth % 4 < 2 ? clients : sandboxes)[nth % 2] as Client, { amount: 1000 })),
    )
    assert.deepEqual(
      replies.filter(({ status }) => status !== 201).map(({ status, text }) => [status, text]),
      [],
    )
    for (const { body } of made(replies)) service.operator.pays(body.id)
    await drain()
    const failed = (await shop.test.get('/v1/payouts?status=failed&limit=100')).body.data
    assert.equal(failed.length, 40)
    assert.deepEqual(rings, [], `round ${round}`)
  }
})

longTest('a freeze does not stop money in flight: it is paid or comes back', async () => {
  const shop = await richShop(service, FUNDS)
  const [paid, failed] = [(await payNew(shop.live)).body, (await payNew(shop.live)).body]
  await freezePlatform(service.gateway, BY_HAND, 'a review')
  await hold(shop, 'a person asked')
  try {
    service.operator.refuses(failed.id, 'PAYEE_LOCKED')
    service.operator.pays(paid.id)
    service.pass(6000)
    await service.run('send-payouts')
    assert.deepEqual(await postingsOf(service, paid.id), PAID)
    assert.deepEqual(await postingsOf(service, failed.id), RETURNED)
    for (const { id } of [paid, failed]) assert.equal((await eventsOf(service, id)).length, 1)
    assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - COST, pending: 0 })
  } finally {
    await hold(shop, null)
    await freezePlatform(service.gateway, BY_HAND, null)
  }
})

async function hold({ merchant }: Shop, reason: string | null): Promise<void> {
  const { app, merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await freezeAccount(app, BY_HAND, { merchantId: row.id, reason })
}

async function reservationsOf({ merchant }: Shop): Promise<number> {
  const [row] = await service.rows<{ count: number }>(
    `select count(*)::int from transfers t join merchants m on m.id = t.merchant_id
     where m.public_id = $1 and t.kind = 'payout_reserve'`,
    [merchant.id],
  )
  return row?.count ?? 0
}

/** Both workers ask about everything until nothing is open. */
async function drain(): Promise<void> {
  for (let round = 0; round < 60 && (await openOnes()) > 0; round += 1) {
    service.pass(round < 3 ? 6000 : LEASE_MS + 1000)
    // A worker that finds no free connection on a busy machine leaves its rows to the next round.
    await Promise.allSettled([service, second, service, second].map((worker) => worker.run('send-payouts')))
  }
  assert.equal(await openOnes(), 0)
}

const openOnes = async () => (await service.rows('select 1 from payouts where follow_at is not null')).length

const overlap = (asked: readonly Heard[]) =>
  asked.some((one, index) => index > 0 && one.startedMs < (asked[index - 1]?.endedMs ?? Infinity))
