import assert from 'node:assert/strict'
import test from 'node:test'
import { balanceOf, eventsOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { lookOnce, sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// A refusal that comes as an error of the server holds only when questions confirm it (rails.md 3.6).
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)
const SECOND = 1000

const postsOf = (reference: string) =>
  service.emulator.journal(reference).filter(({ method }) => method === 'POST').length
const questionsOf = (reference: string) =>
  service.emulator.journal(reference).filter(({ method }) => method === 'GET').length

async function refusedCharge(shop: Shop, code: string, record = false) {
  await service.emulator.fault('http500', { params: { code, record } })
  const { status, body } = await shop.live.charge({ customer: { phone: newPayer() } })
  assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
  return body
}

async function funded(): Promise<Shop> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount: 500_000, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return shop
}

for (const [code, reason] of [
  ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
  ['NOT_ALLOWED', 'rail_rejected'],
  ['PAYER_NOT_FOUND', 'rail_rejected'],
] as const)
  test(`a charge that the operator refuses with 500 ${code} fails after three "not found" over a minute, and is posted once`, async () => {
    const shop = await service.shop()
    const { id, rail_reference: reference } = await refusedCharge(shop, code)
    service.pass(20 * SECOND)
    await service.run('follow-charges')
    service.pass(30 * SECOND)
    await service.run('follow-charges')
    assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'authorized', 'not before a minute')
    await followUntilEnded(service, id)
    const { body } = await shop.live.get(`/v1/charges/${id}`)
    assert.deepEqual([body.status, body.failure_reason], ['failed', reason])
    assert.equal((await eventsOf(service, id)).length, 1)
    assert.equal(postsOf(reference), 1)
    assert.ok(questionsOf(reference) >= 4, 'the one of the submit, and three more')
  })

test('a charge that the operator took all the same succeeds', async () => {
  const shop = await service.shop()
  const { id, rail_reference: reference } = await refusedCharge(shop, 'NOT_ENOUGH_FUNDS', true)
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
})

test('a refused payout is posted once more, and fails when the same comes back', async () => {
  const shop = await funded()
  const before = await balanceOf(shop.live)
  await service.emulator.fault('http500', { params: { code: 'PAYEE_NOT_FOUND' }, count: 2 })
  const { body } = await pay(shop.live, { recipient: { phone: newPayer() } })
  assert.equal(body.failure_reason, 'ambiguous_network_error_pending_reconciliation')
  await sendUntilEnded(service, body.id)
  const ended = (await shop.live.get(`/v1/payouts/${body.id}`)).body
  assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'recipient_not_found'])
  assert.equal(postsOf(body.rail_reference), 2)
  assert.deepEqual(await balanceOf(shop.live), before)
})

test('a payout refused for a fault of ours is sent again until the operator takes it', async () => {
  const shop = await funded()
  await service.emulator.fault('http500', { params: { code: 'NOT_ALLOWED' } })
  const { body } = await pay(shop.live, { recipient: { phone: newPayer() } })
  for (let look = 0; look < 16 && postsOf(body.rail_reference) < 2; look += 1) await lookOnce(service, body.id)
  assert.equal(postsOf(body.rail_reference), 2)
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await sendUntilEnded(service, body.id)
  assert.equal((await shop.live.get(`/v1/payouts/${body.id}`)).body.status, 'succeeded')
  assert.equal(service.emulator.oracle().references[body.rail_reference]?.moves, 1)
})
