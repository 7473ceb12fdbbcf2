import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { assertKept, caseOf, type Rule } from '../../api/http/kept-or-free.ts'
import {
  CURRENCY,
  FROZEN,
  INACTIVE,
  NOT_POSITIVE,
  noAdapter,
  overLimit,
  PAUSED,
  TOO_MUCH,
  unverified,
} from '../../api/http/known-refusals.ts'
import { assertRefused, insufficient } from '../../api/http/refused.ts'
import { PAYOUT, pay, payoutDigest, payoutOf, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { fund, payer } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startPayingService())

type Case = Rule & {
  /** What else is wrong while the fault lasts. */
  set?(shop: Shop): Promise<void>
  cure?(shop: Shop): Promise<void>
}

const FUNDS = 500_000

const freeze = (reason: string | null) => async () => freezePlatform(service.gateway, BY_HAND, reason)
const hold =
  (reason: string | null) =>
  async ({ merchant }: Shop) => {
    const { app, merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
    await freezeAccount(app, BY_HAND, { merchantId: row.id, reason })
  }

const DOMAIN: Case[] = [
  ...[false, true].map((live) => ({
    expected: INACTIVE,
    live,
    fault: { active: false },
    cured: { active: true },
  })),
  { expected: NOT_POSITIVE, body: { amount: 0 } },
  { expected: NOT_POSITIVE, body: { amount: -1 } },
  {
    expected: TOO_MUCH,
    body: { amount: 1_000_000_001 },
  },
  {
    expected: TOO_MUCH,
    body: '{"amount":1e30,"recipient":{"phone":"0700000000"}}',
  },
  ...[false, true].map((live) => ({
    expected: overLimit('payout', 4999),
    live,
    fault: { payoutLimit: 4999 },
    cured: { payoutLimit: 5000 },
  })),
  { expected: CURRENCY, body: { currency: 'KES' } },
  { expected: CURRENCY, body: { currency: 'ugx' } },
  { expected: noAdapter('op2_money'), body: { channel: 'op2_money' } },
  { expected: noAdapter('op2_money'), body: { channel: 'op2_money' }, live: true },
  { expected: noAdapter('card'), body: { channel: 'card' } },
  { expected: noAdapter('x'.repeat(40)), body: { channel: 'x'.repeat(300) } },
  { expected: noAdapter('OP1_MOMO'), body: { channel: 'OP1_MOMO' } },
  { expected: noAdapter('__proto__'), body: { channel: '__proto__' } },
  ...(['pending', 'rejected'] as const).map((kycStatus) => ({
    expected: unverified('payouts'),
    live: true,
    fault: { kycStatus },
    cured: { kycStatus: 'verified' as const },
  })),
  {
    expected: FROZEN,
    live: true,
    set: freeze('a review'),
    cure: freeze(null),
  },
  { expected: PAUSED, live: true, set: hold('a person asked'), cure: hold(null) },
  {
    expected: insufficient(FUNDS, [500_000, 5000]),
    body: { amount: 500_000 },
  },
  {
    expected: insufficient(FUNDS, [500_000, 5000], 'live'),
    live: true,
    body: { amount: 500_000 },
  },
]

for (const refusal of DOMAIN)
  test(`"${refusal.expected.error}" is kept under its key for good (${caseOf(refusal)})`, async () => {
    const shop = await fundedShop(refusal)
    const api = refusal.live ? shop.live : shop.test
    const body = bodyOf(refusal)
    const submitted = service.rail.submitted.length
    const sent = { api, path: '/v1/payouts', body, expected: refusal.expected, digest }
    await assertKept(sent, () => cure(refusal, shop))
    assert.deepEqual((await api.get('/v1/payouts')).body.data, [])
    assert.equal(service.rail.submitted.length, submitted, 'the operator heard nothing')
    if (refusal.cured || refusal.cure)
      assert.equal((await api.post('/v1/payouts', body)).status, 201, 'a new key finds the cause gone')
  })

test('the freeze of the platform and of an account stop live money only', async () => {
  const shop = await fundedShop({})
  for (const stop of [freeze, hold]) {
    await stop('a review')(shop)
    const [live, sandbox] = [await pay(shop.live), await pay(shop.test)]
    await stop(null)(shop)
    assert.deepEqual([live.status, sandbox.status], [400, 201])
  }
})

const keyed = (key: string) => ({ 'idempotency-key': key })
const replayed = (reply: { headers: Headers }) => reply.headers.get('idempotent-replayed')

test('a live replay shows the first answer for ever, whatever the operator did since', async () => {
  const { live } = await richShop(service)
  for (const outcome of ['pays', 'refuses'] as const) {
    const order = { recipient: { phone: newPayer() } }
    const first = await pay(live, order, keyed(outcome))
    assert.equal(first.body.status, 'authorized')
    service.operator[outcome](first.body.id)
    service.pass(6000)
    await service.run('send-payouts')
    assert.notEqual((await payoutOf(live, first.body.id)).status, 'authorized')
    const again = await pay(live, order, keyed(outcome))
    assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, 'true'])
  }
})

test('a refusal for want of money is kept: the same key is refused when there is some, a new one pays', async () => {
  const own = await payer(service)
  const expected = insufficient(0, [5000, 200])
  const first = await pay(own.api, {}, keyed('poor'))
  assertRefused(first, expected)
  await fund(service, own, 5200)
  const again = await pay(own.api, {}, keyed('poor'))
  assert.deepEqual([again.status, again.text, replayed(again)], [400, first.text, 'true'])
  assert.equal((await pay(own.api)).status, 201)
})

const digest = async () => `${await service.digest()} ${await payoutDigest(service)}`

/** A merchant with the same money in both modes, and what is wrong with it. */
async function fundedShop({ live, fault, set }: Partial<Case>): Promise<Shop> {
  const shop = live === false ? await service.shop() : await richShop(service, FUNDS)
  const { merchant: row } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await fund(service, { merchant: shop.merchant, merchantId: row.id, tag: row.tag, api: shop.test }, FUNDS)
  if (fault) await service.set(shop.merchant, fault)
  await set?.(shop)
  return shop
}

async function cure({ cured, cure: heal }: Case, shop: Shop): Promise<void> {
  if (cured) await service.set(shop.merchant, cured)
  await heal?.(shop)
}

const bodyOf = ({ body }: Case): Parameters<Client['post']>[1] =>
  typeof body === 'string' ? body : { ...PAYOUT, ...body }
