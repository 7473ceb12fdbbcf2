import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { resolveException } from '../../../../src/payments/exceptions/resolve-exception.ts'
import { domain } from '../../../api/http/refused.ts'
import type { StatusHow, SubmitHow } from '../../../fakes/operator.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { lookOnce, sendUntilEnded, settle } from '../../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf } from '../../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, COST, PAID, postingsOf, RESERVED, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { pay, payNew, payoutOf, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { askTwice } from '../../../helpers/service/late-answer.ts'
import { DAY, newPayer, type Shop, startBeside } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'

const FUNDS = 500_000
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startBeside(service))
const WORKERS = { service, second, sweep: 'send-payouts' } as const
const BOOK = { answer: 'book' } as const

const PAUSED = domain(
  'payouts_paused',
  'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
)

/** A payout whose submit the operator treated in this way. */
async function parked(shop: Shop, how: SubmitHow): Promise<any> {
  const phone = newPayer()
  service.operator.onSubmit(how, phone)
  const accepted = await pay(shop.live, { recipient: { phone } })
  assert.equal(accepted.status, 201)
  return accepted.body
}

const DOUBTS: { submit: SubmitHow['answer']; question: StatusHow['answer'] }[] = [
  { submit: 'reset late', question: 'pending' },
  { submit: 'garbage', question: 'unknown' },
  { submit: 'reset late', question: 'garbage' },
  { submit: 'error', question: 'reset' },
  { submit: 'error', question: 'error' },
  { submit: 'accept', question: 'error' },
  { submit: 'accept', question: 'pending' },
  { submit: 'accept', question: 'not found' },
  { submit: 'accept', question: 'unknown' },
]

longTest(
  'a payout that the operator leaves open stays authorized and reserved for 30 days, and is paid once it says so',
  async () => {
    const shop = await richShop(service, FUNDS)
    const made: any[] = []
    for (const { submit, question } of DOUBTS) {
      const body = await parked(shop, { answer: submit, takes: true })
      const reason = submit === 'accept' ? null : AMBIGUOUS
      assert.deepEqual([body.status, body.failure_reason, body.completed_at], ['authorized', reason, null])
      assert.deepEqual(await payoutOf(shop.live, body.id), body)
      assert.equal(await attemptOf(service, body.id), submit === 'accept' ? 'accepted' : 'in_doubt')
      service.operator.onQuestion({ answer: question }, body.id)
      made.push(body)
    }
    await lookForDays(30)
    for (const [at, body] of made.entries()) {
      assert.deepEqual(await payoutOf(shop.live, body.id), body, `as it was parked: ${DOUBTS[at]?.question}`)
      assert.deepEqual(await eventsOf(service, body.id), [])
      assert.deepEqual(await postingsOf(service, body.id), RESERVED)
      assert.equal(heardOf(service, 'submit', body.rail_reference).length, 1)
      assert.ok(heardOf(service, 'question', body.rail_reference).length > 30)
    }
    assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - made.length * COST, pending: 0 })
    for (const { id, rail_reference } of made) {
      service.operator.onQuestion({ answer: 'book' }, id)
      await settle(service, id)
      const { status, failure_reason } = await payoutOf(shop.live, id)
      assert.deepEqual([status, failure_reason], ['succeeded', null], 'the reason is gone')
      assert.deepEqual(await postingsOf(service, id), PAID)
      assert.equal((await eventsOf(service, id)).length, 1)
      assert.equal(service.operator.movements().get(rail_reference), 1)
    }
  },
)

test('a parked payout can still fail, once, for the reason the operator gives', async () => {
  const shop = await richShop(service, FUNDS)
  const body = await parked(shop, { answer: 'reset late' })
  assert.equal(body.failure_reason, AMBIGUOUS)
  service.operator.refuses(body.id, 'PAYEE_LOCKED')
  await sendUntilEnded(service, body.id)
  const failed = await payoutOf(shop.live, body.id)
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'wallet_locked'])
  assert.deepEqual(await postingsOf(service, body.id), RETURNED)
  const [event, ...more] = await eventsOf(service, body.id)
  assert.deepEqual([event?.type, more], ['payout.failed', []])
  assert.equal(JSON.parse(event?.body ?? '').data.failure_reason, 'wallet_locked')
})

test('"pending" about a parked payout settles nothing: the merchant still reads why it waits', async () => {
  const shop = await richShop(service, FUNDS)
  const body = await parked(shop, { answer: 'reset late' })
  await lookOnce(service, body.id)
  assert.equal(await attemptOf(service, body.id), 'accepted', 'the operator knows it')
  assert.deepEqual(await payoutOf(shop.live, body.id), body)
  await settle(service, body.id)
})

for (const [what, says] of [
  ['amount', { amount: 5001 }],
  ['amount less', { amount: 4999 }],
  ['currency', { currency: 'EUR' }],
  ['party', { phone: '256711111111' }],
  ['external id', { external_id: 'pout_of_somebody_else' }],
] as const)
  test(`success with another ${what} moves nothing and opens one exception that pauses this account in live`, async () => {
    const shop = await richShop(service, FUNDS)
    const { body } = await payNew(shop.live)
    service.operator.pays(body.id)
    service.operator.onQuestion({ answer: 'book', says }, body.id)
    for (let nth = 0; nth < 3; nth += 1) await lookOnce(service, body.id)
    assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized')
    assert.deepEqual(await postingsOf(service, body.id), RESERVED)
    assert.deepEqual(await eventsOf(service, body.id), [])
    const id = await assertPaused(shop, body.id, 'mismatch')
    // Money in flight is not stopped: it is paid once the operator reports the requested facts.
    service.operator.onQuestion({ answer: 'book' }, body.id)
    await sendUntilEnded(service, body.id)
    assert.deepEqual(await postingsOf(service, body.id), PAID)
    assert.equal((await payNew(shop.live)).body.code, 'payouts_paused', 'only a person ends the pause')
    await resolve(shop, id)
    await settle(service, (await payNew(shop.live)).body.id)
  })

test('the same party in another written form is not a mismatch', async () => {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  const { body } = await pay(shop.live, { recipient: { phone } })
  service.operator.onQuestion({ answer: 'book', says: { phone: `0${phone.slice(3)}` } }, body.id)
  await settle(service, body.id)
  assert.deepEqual(await postingsOf(service, body.id), PAID)
})

for (const [first, then] of [
  ['failed', 'succeeded'],
  ['succeeded', 'failed'],
] as const)
  test(`once a payout has ${then}, a late "${first}" changes nothing, opens one exception and pauses the account`, async () => {
    const shop = await richShop(service, FUNDS)
    const { body } = await payNew(shop.live)
    const answerLate = await askTwice({
      ...WORKERS,
      movement: body,
      first: { answer: first },
      next: { answer: then, code: 'EXPIRED' },
    })
    const ended = await payoutOf(shop.live, body.id)
    assert.equal(ended.status, then)
    const money = await balanceOf(shop.live)
    await answerLate()
    assert.deepEqual(await payoutOf(shop.live, body.id), ended)
    assert.deepEqual(await balanceOf(shop.live), money)
    assert.deepEqual(await postingsOf(service, body.id), then === 'succeeded' ? PAID : RETURNED)
    assert.equal((await eventsOf(service, body.id)).length, 1)
    await assertPaused(shop, body.id, 'late_contradiction')
  })

test('the same answer twice is no contradiction', async () => {
  const shop = await richShop(service, FUNDS)
  const { body } = await payNew(shop.live)
  service.operator.pays(body.id)
  const answerLate = await askTwice({ ...WORKERS, movement: body, first: BOOK, next: BOOK })
  await answerLate()
  assert.deepEqual(await postingsOf(service, body.id), PAID)
  assert.equal((await eventsOf(service, body.id)).length, 1)
  assert.deepEqual(await service.rows('select 1 from exceptions where subject = $1', [body.id]), [])
})

/** One open exception; live payouts of this account are refused; its sandbox, its charges and all others go on. */
async function assertPaused(shop: Shop, subject: string, kind: string): Promise<string> {
  const open = await service.rows<{ id: string }>(
    'select id, kind, severity, mode from exceptions where subject = $1 and closed_at is null',
    [subject],
  )
  const id = open[0]?.id ?? ''
  assert.deepEqual(open, [{ id, kind, severity: 'critical', mode: 'live' }])
  const refused = await payNew(shop.live)
  assert.deepEqual([refused.status, refused.body.code, refused.body.error], [400, PAUSED.code, PAUSED.error])
  assert.equal((await shop.live.charge({ customer: { phone: newPayer() } })).status, 201)
  await shop.test.charge()
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal((await pay(shop.test, { amount: 1000 })).status, 201)
  const other = await richShop(service, FUNDS)
  await settle(service, (await payNew(other.live)).body.id)
  return id
}

async function resolve({ merchant }: Shop, id: string): Promise<void> {
  const { app, merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await resolveException(app, BY_HAND, {
    merchantId: row.id,
    id,
    note: 'the operator has corrected itself',
    resolution: 'no_difference',
  })
}

/** Step by step through the questions of the first minutes, then in steps of twelve hours. */
async function lookForDays(days: number): Promise<void> {
  const end = service.clock.nowMs() + days * DAY
  for (const seconds of [5, 5, 5, 5, 10, 15, 15, 30, 30, 60, 60, 60, 120, 900, 3600]) {
    service.pass(seconds * 1000)
    await service.run('send-payouts')
  }
  while (service.clock.nowMs() < end) {
    service.pass(DAY / 2)
    await service.run('send-payouts')
  }
}
