import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { assertVerified, newPayer } from '../helpers/live-service.ts'
import { availableOf, digestOf, payer, sendAll } from '../helpers/schedules.ts'
import { type Client, startService, type TestService } from '../helpers/test-service.ts'
import { assertRefused, domain } from './refused.ts'

// No endpoint takes a gift card yet: the hosted checkout will write what these tests write into the charge.
let service: TestService
before(async () => {
  service = await startService({ env: { RATE_LIMIT_REFUNDS: '0' } })
})
after(() => service.close())

const refund = (api: Client, id: string) => api.post(`/v1/charges/${id}/refund`)

/** A test charge of 10,000 of which a card covers a part. */
async function coveredBy(api: Client, card: { amount: number; fee: number }): Promise<string> {
  const { body } = await api.charge({ amount: 10_000, customer: { phone: newPayer() } })
  await service.rows('update charges set gift_card_amount = $2, fee = $3 where id = $1', [
    body.id,
    card.amount,
    card.fee,
  ])
  service.pass(2000)
  await service.run('follow-charges')
  return body.id
}

test('of a charge partly paid by card the part paid by mobile money is refunded', async () => {
  const { api } = await payer(service, 100_000)
  const id = await coveredBy(api, { amount: 4000, fee: 200 })
  const before = await availableOf(api)
  assert.equal(before, 100_000 + 5800)
  const { status, body } = await refund(api, id)
  assert.equal(status, 202)
  assert.deepEqual([body.gift_card_restored, body.refund.amount, body.refund.fee], [4000, 6000, 200])
  const [event] = await service.rows<any>(
    `select body from events where subject = $1 and type = 'charge.refunded'`,
    [id],
  )
  const { amount, gift_card_amount, gift_card_restored, refund_amount, net } = JSON.parse(event.body).data
  assert.deepEqual(
    { amount, gift_card_amount, gift_card_restored, refund_amount, net },
    { amount: 10_000, gift_card_amount: 4000, gift_card_restored: 4000, refund_amount: 6000, net: 5800 },
  )
  assert.equal(await availableOf(api), before - 6200)
  await sendAll(service)
  assert.equal(await availableOf(api), 100_000 - 200, 'the payout fee is what it costs')
  await assertVerified(service)
})

test('a charge that a card paid in full has nothing to refund, which is told before its missing phone', async () => {
  const { api } = await payer(service, 100_000)
  const id = await coveredBy(api, { amount: 10_000, fee: 0 })
  await service.rows('update charges set phone = null, phone9 = null where id = $1', [id])
  const before = await digestOf(service)
  assertRefused(await refund(api, id), domain('refund_amount_is_zero', 'refund_amount_is_zero'))
  assert.equal(await digestOf(service), before)
})

test('a charge without a phone has nowhere to go back to, which is told before its channel', async () => {
  const { api } = await payer(service, 100_000)
  const missing = 'no_customer_phone_on_record_to_refund_to'
  for (const channel of ['op1_momo', 'card']) {
    const { body } = await api.charge({ channel, customer: { phone: newPayer() } })
    service.pass(2000)
    await service.run('follow-charges')
    await service.rows('update charges set phone = null, phone9 = null where id = $1', [body.id])
    const before = await digestOf(service)
    assertRefused(await refund(api, body.id), domain(missing, missing))
    assert.equal(await digestOf(service), before)
  }
})
