import assert from 'node:assert/strict'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { balanceOf, eventsOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// What the operator does with a payment, and what a merchant gets (rails.md 3.8), through the real adapter.
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)

const charge = ({ live }: Shop, headers: Record<string, string> = {}) =>
  live.charge({ customer: { phone: newPayer() } }, headers)
const referenceOf = (id: string) => service.emulator.transactions({ externalId: id })[0]?.reference ?? ''

/** A shop with so much to pay out. */
async function funded(amount = 500_000): Promise<Shop> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
  await service.emulator.resolve(referenceOf(body.id), { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return shop
}

test('a charge that the customer approves succeeds, with the number of the operator', async () => {
  const shop = await service.shop()
  const { status, body } = await charge(shop)
  assert.deepEqual([status, body.status, body.rail_reference], [201, 'authorized', referenceOf(body.id)])
  const [asked] = service.emulator.transactions({ externalId: body.id })
  assert.deepEqual([asked?.payeeNote, asked?.amount], [body.id, 5000])
  await service.emulator.resolve(referenceOf(body.id), { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  assert.equal((await shop.live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

const CLEAN: [FaultName, FaultParams, payout: number][] = [
  ['quota', { seconds: 30 }, 503],
  ['tooMany', {}, 503],
  ['forbiddenIp', {}, 400],
  ['http', { status: 404 }, 400],
]
for (const [fault, params, payoutStatus] of CLEAN) {
  test(`${fault} ${params.status ?? ''}: no charge remains, the key is free, and the same key succeeds later`, async () => {
    const shop = await service.shop()
    const before = await service.digest()
    await service.emulator.fault(fault, { params })
    const headers = { 'Idempotency-Key': `key-${fault}-${params.status}` }
    const refused = await charge(shop, headers)
    assert.deepEqual(
      [refused.status, refused.body.error],
      [502, 'payment rail temporarily unavailable - retry with the same Idempotency-Key'],
    )
    assert.deepEqual((await shop.live.get('/v1/charges')).body.data, [])
    assert.notEqual(before, '')
    assert.equal((await charge(shop, headers)).status, 201)
  })

  test(`${fault} ${params.status ?? ''}: no payout remains and all money is back, ${payoutStatus}`, async () => {
    const shop = await funded()
    const before = await balanceOf(shop.live)
    await service.emulator.fault(fault, { params })
    const refused = await pay(shop.live, { recipient: { phone: newPayer() } })
    assert.equal(refused.status, payoutStatus, refused.text)
    if (payoutStatus === 400) assert.match(refused.body.error, /^disbursement rail unavailable: [a-z -]+$/)
    assert.deepEqual(await balanceOf(shop.live), before)
    assert.deepEqual((await shop.live.get('/v1/payouts')).body.data, [])
  })
}

test('a refusal of the movement itself is a 201 and then failed, once', async () => {
  const shop = await funded()
  const before = await balanceOf(shop.live)
  await service.emulator.fault('http400', { params: { code: 'PAYER_NOT_FOUND' } })
  const charged = (await charge(shop)).body
  await service.emulator.fault('http', { params: { status: 404, code: 'PAYEE_NOT_FOUND' } })
  const paid = (await pay(shop.live, { recipient: { phone: newPayer() } })).body
  assert.deepEqual([charged.status, paid.status], ['authorized', 'authorized'])
  const ended = await shop.live.get(`/v1/charges/${charged.id}`)
  assert.deepEqual([ended.body.status, ended.body.failure_reason], ['failed', 'rail_rejected'])
  const returned = await shop.live.get(`/v1/payouts/${paid.id}`)
  assert.deepEqual([returned.body.status, returned.body.failure_reason], ['failed', 'recipient_not_found'])
  assert.deepEqual(await balanceOf(shop.live), before)
})

const UNCLEAR: [FaultName, FaultParams][] = [
  ['http', { status: 503, record: true }],
  ['http', { status: 500, code: 'INTERNAL_PROCESSING_ERROR', record: true }],
  ['htmlWith200', { record: true }],
  ['garbage', { record: true }],
  ['dropAfterAccept', {}],
  ['truncate', { where: 'headers', record: true }],
  ['redirect', { record: true }],
  ['hugeBody', {}],
]
for (const [fault, params] of UNCLEAR) {
  const name = `${fault} ${params.status ?? ''}`
  test(`${name}: a charge that was taken stays open, and the operator's answer ends it once`, async () => {
    const shop = await service.shop()
    await service.emulator.fault(fault, { params })
    const { status, body } = await charge(shop)
    assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
    assert.equal((await eventsOf(service, body.id)).length, 0)
    await service.emulator.resolve(referenceOf(body.id), { status: 'SUCCESSFUL' })
    await followUntilEnded(service, body.id)
    assert.equal((await shop.live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
    assert.equal(service.emulator.oracle().references[body.rail_reference]?.moves, 1)
  })

  test(`${name}: a payout that was taken keeps its money reserved and says why`, async () => {
    const shop = await funded()
    await service.emulator.fault(fault, { params })
    const { status, body } = await pay(shop.live, { recipient: { phone: newPayer() } })
    assert.deepEqual(
      [status, body.status, body.failure_reason],
      [201, 'authorized', 'ambiguous_network_error_pending_reconciliation'],
    )
    await service.emulator.resolve(referenceOf(body.id), { status: 'SUCCESSFUL' })
    await sendUntilEnded(service, body.id)
    const ended = (await shop.live.get(`/v1/payouts/${body.id}`)).body
    assert.deepEqual([ended.status, ended.failure_reason], ['succeeded', null])
    assert.equal(service.emulator.oracle().references[body.rail_reference]?.moves, 1)
  })
}

test('what was dropped before the operator read it is posted again under its reference, and moves once', async () => {
  const shop = await funded()
  await service.emulator.fault('dropBeforeRead')
  const charged = (await charge(shop)).body
  assert.deepEqual(service.emulator.transactions({ externalId: charged.id }), [])
  for (let look = 0; look < 4; look += 1) {
    service.pass(6000)
    await service.run('follow-charges')
  }
  await service.emulator.resolve(charged.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, charged.id)
  assert.equal((await shop.live.get(`/v1/charges/${charged.id}`)).body.status, 'succeeded')
  assert.equal(service.emulator.oracle().references[charged.rail_reference]?.moves, 1)
})

test('an answer that is not about what was asked for moves nothing and pauses the payouts of that account only', async () => {
  for (const field of ['amount', 'currency', 'party', 'externalId'] as const) {
    const shop = await funded()
    await service.emulator.fault('mismatch', { params: { field } })
    const { body } = await charge(shop)
    await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
    service.pass(6000)
    await service.run('follow-charges')
    assert.equal((await shop.live.get(`/v1/charges/${body.id}`)).body.status, 'authorized', field)
    const paused = await pay(shop.live, { recipient: { phone: newPayer() } })
    assert.match(paused.body.error, /^payouts are paused on this account/)
  }
})
