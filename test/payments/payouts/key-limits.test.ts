import assert from 'node:assert/strict'
import test from 'node:test'
import { createKey, rotateKey } from '../../../src/merchants/account/api-keys.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { setKeyLimit } from '../../../src/merchants/account/set-key-limit.ts'
import { assertRefused } from '../../api/http/refused.ts'
import { pay, payoutOf } from '../../helpers/payments/payouts.ts'
import { change, type Payer, payer, plan, planned, sendAll } from '../../helpers/payments/schedules.ts'
import { owner } from '../../helpers/service/actors.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { hasForm } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const DAY_MS = 86_400_000
const env = { RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database, clock: service.clock }))

const HINT =
  'a new day begins at midnight in Kampala; an owner may change the limit on the page of the key (Developers, Keys)'
const above = (limit: number, sent: number, amount: number) => ({
  status: 400,
  code: 'key_limit_reached',
  error: `this API key may send ${limit} a day: ${sent} is sent today, and this is ${amount}`,
  hint: HINT,
})

/** A shop with money whose test key may send this much a day. */
async function limited(limit: number | null, funds = 1_000_000) {
  const shop = await payer(service, funds)
  const { merchantId, tag } = shop
  const who = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  const keys = () => listKeys(service.app, { id: merchantId })
  const keyId = (await keys()).find(({ kind }) => kind === 'test')?.id ?? ''
  const set = (limit: number | null, by: Parameters<typeof setKeyLimit>[1] = who, id = keyId) =>
    setKeyLimit(service.app, by, { holder: { id: merchantId }, id, limit })
  const sent = async () => (await keys()).find(({ id }) => id === keyId)?.sent
  if (limit !== null) await set(limit)
  return { ...shop, who, keys, keyId, set, sent }
}

/** The next midnight in Kampala and a little more: a day in which nothing was sent yet. */
const toNextDay = () => service.pass(DAY_MS - ((service.clock.nowMs() + 3 * 3_600_000) % DAY_MS) + 3_600_000)

const statusesOf = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status)
const clientsOf = ({ merchant }: Pick<Payer, 'merchant'>) =>
  [service, other].map((testService) => testService.client(merchant.keys.test)) as [Client, Client]

test('payouts, items and refunds of a key count together up to its limit, and a new day begins at zero', async () => {
  toNextDay()
  const shop = await limited(20_000)
  assert.equal((await pay(shop.api, { amount: 9000 })).status, 201)
  const bulk = await shop.api.post('/v1/payouts/bulk', {
    payouts: [5000, 7000, 5000].map((amount, nth) => ({ amount, phone: '0700000000', reference: `${nth}` })),
  })
  assert.deepEqual(
    bulk.body.results.map(({ ok, code, retryable }: any) => [ok, code, retryable]),
    [
      [true, undefined, false],
      [false, 'key_limit_reached', false],
      [true, undefined, false],
    ],
  )
  const charge = await shop.api.charge({ amount: 2000 })
  service.pass(10_000)
  await service.run('follow-charges')
  assertRefused(await shop.api.post(`/v1/charges/${charge.body.id}/refund`), above(20_000, 19_000, 2000))
  assertRefused(await pay(shop.api, { amount: 1001 }), above(20_000, 19_000, 1001))
  assert.equal((await pay(shop.api, { amount: 1000 })).status, 201, 'to the last shilling')
  assert.equal(await shop.sent(), 20_000)
  toNextDay()
  assert.equal((await shop.api.post(`/v1/charges/${charge.body.id}/refund`)).status, 202)
  assert.equal(await shop.sent(), 2000)
})

for (const places of [1, 2])
  test(`of 60 payouts of 10,000 at once under a limit of 250,000 over ${places} services 25 are accepted`, async () => {
    toNextDay()
    const shop = await limited(250_000, 5_000_000)
    await other.gateway.keyRing.refresh()
    const clients = clientsOf(shop)
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, nth) => pay(clients[nth % places] as Client, { amount: 10_000 })),
    )
    assert.equal(statusesOf(replies, 201).length, 25)
    const refused = statusesOf(replies, 400)
    assert.equal(refused.length, 35, 'the rule refuses them, not the database')
    for (const { body } of refused) assert.equal(body.code, 'key_limit_reached')
    assert.equal(await shop.sent(), 250_000)
  })

test('payouts, bulk calls and refunds at once over two services never pass the limit together', async () => {
  toNextDay()
  const shop = await limited(100_000, 5_000_000)
  await other.gateway.keyRing.refresh()
  const charges = await Promise.all(Array.from({ length: 4 }, () => shop.api.charge({ amount: 10_000 })))
  service.pass(10_000)
  while ((await service.run('follow-charges')) > 0);
  const clients = clientsOf(shop)
  const items = (nth: number) =>
    Array.from({ length: 6 }, (_, item) => ({ amount: 5000, phone: '0700000000', reference: `${nth}-${item}` }))
  await Promise.all([
    ...Array.from({ length: 10 }, (_, nth) => pay(clients[nth % 2] as Client, { amount: 10_000 })),
    ...[0, 1].map((nth) => clients[nth]?.post('/v1/payouts/bulk', { payouts: items(nth) })),
    ...charges.map(({ body }, nth) => clients[nth % 2]?.post(`/v1/charges/${body.id}/refund`)),
  ])
  const [made] = await service.rows<{ sum: number }>(
    'select sum(amount)::bigint as sum from payouts where merchant_id = $1 and limited_key = $2',
    [shop.merchantId, shop.keyId],
  )
  assert.equal(Number(made?.sum), await shop.sent())
  assert.equal(await shop.sent(), 100_000, 'it is used to the full, and by nothing more')
})

test('a payout that fails may be sent again on the same day, and one from another day frees nothing', async () => {
  toNextDay()
  const shop = await limited(10_000)
  await service.set(shop.merchant, { failNextPayouts: 2, failNextReason: 'wallet_locked' })
  const failing = await pay(shop.api, { amount: 10_000 })
  assertRefused(await pay(shop.api, { amount: 1000 }), above(10_000, 10_000, 1000))
  await sendAll(service)
  assert.equal((await payoutOf(shop.api, failing.body.id)).status, 'failed')
  assert.equal(await shop.sent(), 0)
  const late = await pay(shop.api, { amount: 10_000 })
  assert.equal(late.status, 201)
  toNextDay()
  assert.equal((await pay(shop.api, { amount: 4000 })).status, 201)
  await sendAll(service)
  assert.equal((await payoutOf(shop.api, late.body.id)).status, 'failed')
  assert.equal(await shop.sent(), 4000)
})

test('a key without a limit counts nothing, and one whose limit was lifted does not any more', async () => {
  toNextDay()
  const shop = await limited(null)
  assert.equal((await pay(shop.api, { amount: 50_000 })).status, 201)
  await shop.set(10_000)
  assert.equal((await pay(shop.api, { amount: 10_000 })).status, 201, 'what was sent before is not known')
  assert.equal((await pay(shop.api, { amount: 1 })).status, 400)
  await shop.set(null)
  assert.equal((await pay(shop.api, { amount: 50_000 })).status, 201)
  const counted = await service.rows('select 1 from payouts where merchant_id = $1 and limited_key is not null', [
    shop.merchantId,
  ])
  assert.equal(counted.length, 1)
  assert.equal(await shop.sent(), 10_000)
  await shop.set(5000)
  assert.equal((await pay(shop.api, { amount: 1 })).status, 400, 'lowered below what was sent, it sends nothing')
})

test('the database refuses what is above the limit, whoever writes it', async () => {
  toNextDay()
  const shop = await limited(10_000)
  await pay(shop.api, { amount: 6000 })
  const name = [shop.merchantId, shop.keyId]
  const write = (set: string) =>
    service.rows(`update key_limits set ${set} where merchant_id = $1 and key_id = $2`, name)
  const refused = { constraint: 'key_limits_hold' }
  await assert.rejects(write('sent = 10001'), refused)
  await assert.rejects(write(`sent = 10001, day = '2099-01-01'`), refused)
  await assert.rejects(write('sent = -1'), { constraint: 'key_limits_sent_check' })
})

test('a schedule sends without the key, so a key with a limit makes and resumes none', async () => {
  toNextDay()
  const shop = await limited(null)
  const schedule = await planned(shop.api)
  await shop.set(10_000)
  const refusal = {
    status: 403,
    code: 'key_has_limit',
    error:
      'this API key may send only so much a day, and a schedule sends without it: make or resume it on the dashboard',
  }
  assertRefused(await plan(shop.api), refusal)
  assert.equal((await change(shop.api, schedule.id, 'pause')).status, 200)
  assertRefused(await change(shop.api, schedule.id, 'resume'), refusal)
  assert.equal((await change(shop.api, schedule.id, 'cancel')).status, 200)
})

test('a new key begins with the limit of the newest of its kind', async () => {
  toNextDay()
  const shop = await limited(10_000)
  const holder = { id: shop.merchantId }
  const second = await createKey(service.app, shop.who, { holder, kind: 'test' })
  assert.equal((await pay(service.client(second.key), { amount: 10_001 })).body.code, 'key_limit_reached')
  assert.equal((await pay(service.client(second.key), { amount: 10_000 })).status, 201)
  const third = await rotateKey(service.app, shop.who, { holder, kind: 'test' })
  assert.equal((await pay(service.client(third), { amount: 10_001 })).body.code, 'key_limit_reached')
  assert.equal((await pay(service.client(third), { amount: 10_000 })).status, 201)
})

test('only an owner with a fresh factor sets the limit, of a full key alone, and the audit has both', async () => {
  const shop = await limited(10_000)
  await assert.rejects(shop.set(1, { ...shop.who, factorAgeMs: null }), { code: 'step_up_required' })
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    await assert.rejects(shop.set(1, { ...shop.who, role }), { status: 403, code: 'forbidden' })
  for (const wrong of [-1, 1.5, 1e15]) await assert.rejects(shop.set(wrong), { status: 400, code: 'bad_request' })
  await assert.rejects(shop.set(1, shop.who, 'key_none'), { code: 'not_found' })
  const collections = (await shop.keys()).find(({ kind }) => kind === 'test_collections')?.id ?? ''
  await assert.rejects(shop.set(1, shop.who, collections), { code: 'no_money_out' })
  await shop.set(10_000)
  await shop.set(null)
  const audit = await service.rows<any>(
    `select subject, before, after from directory.audit where merchant_id = $1 and action = 'key.restrict' order by id`,
    [shop.merchantId],
  )
  assert.deepEqual(audit, [
    { subject: shop.keyId, before: { daily_limit: null }, after: { daily_limit: 10_000 } },
    { subject: shop.keyId, before: { daily_limit: 10_000 }, after: { daily_limit: null } },
  ])
})

test('on the page of a full key an owner sets the limit and sees what was sent', async () => {
  toNextDay()
  const shop = await limited(null)
  const browser = await signedInAs(service, shop.merchant)
  const page = `/dashboard/test/developers/keys/${shop.keyId}`
  const before = await browser.get(page)
  assert.match(mainOf(before), /May send in a day as much as there is/)
  const send = (limit: string) => browser.send(before, `/developers/keys/${shop.keyId}/limit`, { limit })
  assert.equal((await send('20,000')).status, 303)
  await pay(shop.api, { amount: 9000 })
  assert.match(mainOf(await browser.get(page)), /May send in a day UGX 20,000 Sent on \S+ UGX 9,000/)
  assert.equal((await send('')).status, 303)
  assert.match(mainOf(await browser.get(page)), /May send in a day as much as there is/)
  const till = (await shop.keys()).find(({ kind }) => kind === 'test_collections')?.id
  assert.equal(hasForm(await browser.get(`/dashboard/test/developers/keys/${till}`), '/limit'), false)
})

test('owners who set limits at the same moment leave page and judgement alike', async () => {
  const shop = await limited(5000)
  for (const high of Array.from({ length: 12 }, (_, round) => (round % 2 === 0 ? null : 90_000 + round))) {
    const wanted = [high, 1000, 50_000, 7000]
    await Promise.all(
      wanted.map((limit, nth) =>
        setKeyLimit((nth % 2 === 0 ? service : other).app, shop.who, {
          ...{ holder: { id: shop.merchantId }, id: shop.keyId, limit },
        }),
      ),
    )
    const shown = (await shop.keys()).find(({ id }) => id === shop.keyId)?.dailyLimit
    const [judged] = await service.rows<{ limit: number | null }>(
      'select daily_limit as "limit" from key_limits where merchant_id = $1 and key_id = $2',
      [shop.merchantId, shop.keyId],
    )
    assert.equal(judged?.limit === null ? null : Number(judged?.limit), shown)
  }
})
