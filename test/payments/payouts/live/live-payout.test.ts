import assert from 'node:assert/strict'
import test from 'node:test'
import { transactionOf } from '../../../fakes/operator-answers.ts'
import { balanceOf, eventsOf, transfersOf } from '../../../helpers/database/money-rows.ts'
import { sendUntilEnded, settle } from '../../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf } from '../../../helpers/payments/operator-heard.ts'
import { PAID, postingsOf, RESERVED, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { ACCEPTED, pay, payNew, payoutOf, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'

const service = openedAndVerified(() => startPayingService())

const FUNDS = 500_000
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('the operator is asked for a live payout; it is paid once, posted and announced', async () => {
  const { live } = await richShop(service, FUNDS)
  const phone = newPayer()
  const recipient = { phone: `+${phone}`, name: 'Nakato Jane' }
  const accepted = await pay(live, { amount: 20_000, recipient, reference: 'salary-1' })
  const { id, rail_reference, created_at } = accepted.body
  assert.equal(accepted.status, 201)
  assert.match(rail_reference, UUID_4)
  assert.deepEqual(accepted.body, {
    ...ACCEPTED,
    id,
    mode: 'live',
    amount: 20_000,
    fee: 300,
    recipient_phone: phone,
    recipient_name: 'Nakato Jane',
    rail_reference,
    reference: 'salary-1',
    created_at,
  })
  assert.deepEqual(service.entryOf(id), {
    reference: rail_reference,
    external_id: id,
    amount: 20_000,
    currency: 'UGX',
    phone,
    state: 'open',
  })
  assert.deepEqual(await balanceOf(live), { available: FUNDS - 20_300, pending: 0 })
  assert.deepEqual(await payoutOf(live, id), accepted.body)
  assert.equal(await attemptOf(service, id), 'accepted')

  await settle(service, id)
  await service.run('send-payouts')
  const paid = await payoutOf(live, id)
  const { completed_at } = paid
  assert.ok(completed_at > created_at)
  assert.deepEqual(paid, {
    ...accepted.body,
    status: 'succeeded',
    rail_transaction_id: transactionOf(rail_reference),
    completed_at,
  })
  assert.deepEqual(await transfersOf(service, id), [
    { kind: 'payout_reserve', amount: 20_300, mode: 'live' },
    { kind: 'payout_sent', amount: 20_000, mode: 'live' },
    { kind: 'payout_fee', amount: 300, mode: 'live' },
  ])
  assert.deepEqual(await balanceOf(live), { available: FUNDS - 20_300, pending: 0 })
  assert.equal(service.operator.movements().get(rail_reference), 1)
  assert.equal(heardOf(service, 'submit', rail_reference).length, 1)
  assert.equal(await attemptOf(service, id), 'ended')
  const [event, ...others] = await eventsOf(service, id)
  assert.deepEqual([event?.type, others], ['payout.succeeded', []])
  const { rail_transaction_id: _, ...shown } = paid
  assert.deepEqual(JSON.parse(event?.body ?? '').data, { ...shown, merchant_reference: 'salary-1' })
})

for (const [code, reason] of [
  ['PAYEE_NOT_FOUND', 'recipient_not_found'],
  ['PAYEE_LOCKED', 'wallet_locked'],
  ['EXPIRED', 'timeout'],
  ['A_WORD_NOBODY_KNOWS', 'rail_rejected'],
] as const) {
  test(`a payout that the operator fails later (${code}) returns amount and fee, with ${reason}`, async () => {
    const { live } = await richShop(service, FUNDS)
    const { body } = await payNew(live)
    service.operator.refuses(body.id, code)
    await sendUntilEnded(service, body.id)
    await service.run('send-payouts')
    await assertFailed(live, body.id, reason)
  })

  test(`an immediate refusal (${code}) is a 201, right after it failed with ${reason}`, async () => {
    const { live } = await richShop(service, FUNDS)
    const phone = newPayer()
    service.operator.onSubmit({ answer: 'refuse', code }, phone)
    const key = { 'idempotency-key': `refused-${code}` }
    const accepted = await pay(live, { recipient: { phone } }, key)
    const { id, status, failure_reason, completed_at } = accepted.body
    assert.deepEqual([accepted.status, status, failure_reason, completed_at], [201, 'authorized', null, null])
    await assertFailed(live, id, reason)
    const again = await pay(live, { recipient: { phone } }, key)
    assert.equal(again.text, accepted.text, 'a replay shows the first answer for ever')
    assert.equal(service.entryOf(id), undefined)
  })
}

async function assertFailed(live: Parameters<typeof payoutOf>[0], id: string, reason: string) {
  const failed = await payoutOf(live, id)
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', reason])
  assert.ok(failed.completed_at >= failed.created_at)
  assert.deepEqual(await postingsOf(service, id), RETURNED)
  assert.deepEqual(await balanceOf(live), { available: FUNDS, pending: 0 })
  const [event, ...more] = await eventsOf(service, id)
  assert.deepEqual([event?.type, more], ['payout.failed', []])
  const { rail_transaction_id: _, ...shown } = failed
  assert.deepEqual(JSON.parse(event?.body ?? '').data, { ...shown, merchant_reference: null })
  assert.equal(await attemptOf(service, id), 'ended')
}

test('row, reservation, reference and attempt are durable before the first byte reaches the operator', async () => {
  const { live } = await richShop(service, FUNDS)
  const phone = newPayer()
  const seen: unknown[] = []
  const look = async () => {
    const [row] = await service.rows<any>(
      `select p.id, p.status, p.published, a.state, a.installation, a.id = p.rail_reference as same, k.status as answered
       from payouts p join rail_attempts a on a.subject = p.id join idempotency_keys k on k.object_id = p.id
       where p.recipient_phone = $1`,
      [phone],
    )
    const { id, ...rest } = row
    seen.push(rest, await postingsOf(service, id), (await live.get(`/v1/payouts/${id}`)).status)
    seen.push((await live.get('/v1/payouts')).body.data)
  }
  service.operator.onSubmit(() => ({ answer: 'accept', until: look() }), phone)
  const { status, body } = await pay(live, { recipient: { phone } })
  assert.equal(status, 201)
  const row = {
    ...{ status: 'pending', published: false, state: 'sending', installation: 'first contract' },
    ...{ same: true, answered: null },
  }
  assert.deepEqual(seen, [row, RESERVED, 404, []], 'and nobody sees it before it is decided')
  const attempt = service.rail.submitted.find(({ publicId }) => publicId === body.id)
  assert.equal(attempt?.installation, 'first contract')
})

test('an operator that already had the reference has accepted it', async () => {
  const { live } = await richShop(service, FUNDS)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'had it' }, phone)
  const { status, body } = await pay(live, { recipient: { phone } })
  assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
  assert.equal(await attemptOf(service, body.id), 'accepted')
  await settle(service, body.id)
  assert.deepEqual(await postingsOf(service, body.id), PAID)
})

test('the first question comes 5 seconds after the submit, not before, and each payout has its own time', async () => {
  const { live } = await richShop(service, FUNDS)
  const { body } = await payNew(live)
  const questions = () => heardOf(service, 'question', body.rail_reference).length
  service.pass(4000)
  await service.run('send-payouts')
  assert.equal(questions(), 0)
  service.pass(1000)
  await service.run('send-payouts')
  assert.equal(questions(), 1)
  await service.run('send-payouts')
  assert.equal(questions(), 1)
  await settle(service, body.id)
})

test('the live and the test ledger of one merchant are independent', async () => {
  const { live, test: sandbox } = await richShop(service, FUNDS)
  assert.equal((await pay(sandbox)).body.error.startsWith('insufficient available balance: have 0,'), true)
  await sandbox.charge({ amount: 20_000 })
  service.pass(2000)
  await service.run('follow-charges')
  const rehearsal = await pay(sandbox, {}, { 'idempotency-key': 'the same in both' })
  const real = await payNew(live, {}, { 'idempotency-key': 'the same in both' })
  assert.deepEqual([rehearsal.body.mode, real.body.mode], ['test', 'live'])
  assert.equal(service.entryOf(rehearsal.body.id), undefined, 'a test payout never reaches the operator')
  assert.deepEqual(await balanceOf(sandbox), { available: 19_700 - 5200, pending: 0 })
  assert.deepEqual(await balanceOf(live), { available: FUNDS - 5200, pending: 0 })
  await settle(service, real.body.id)
})

test('money in flight is still paid for a merchant that loses its verification, or its account', async () => {
  for (const change of [{ kycStatus: 'rejected' }, { active: false }] as const) {
    const { merchant, live } = await richShop(service, FUNDS)
    const { body } = await payNew(live)
    await service.set(merchant, change)
    assert.equal((await payNew(live)).status, 400)
    await settle(service, body.id)
    assert.equal((await payoutOf(live, body.id)).status, 'succeeded')
    assert.equal((await eventsOf(service, body.id)).length, 1)
  }
})
