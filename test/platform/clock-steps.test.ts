import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { newKeyPruner } from '../../src/api/idempotency/prune-keys.ts'
import { endExpiredFreezes, freezeAccount } from '../../src/merchants/account/payout-freeze.ts'
import { expireApprovals } from '../../src/operations/approvals/end-approval.ts'
import { settleCharges } from '../../src/payments/charges/settle-charges.ts'
import { expirePrepared } from '../../src/payments/payouts/prepared/end-prepared.ts'
import { runSchedules } from '../../src/payments/scheduled-payouts/run-schedules.ts'
import type { Mode } from '../../src/platform/mode.ts'
import { payNew, richShop } from '../helpers/payments/payouts.ts'
import { payer, planned } from '../helpers/payments/schedules.ts'
import { boundsOf, monthNow, nextMonth, passMonth, totalOf } from '../helpers/payments/statements.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { newPayer, startLiveService } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 31 * DAY

const service = opened(() => startLiveService())
afterEach(() => service.clock.beWrong(0))

const headOf = async (merchantId: number, mode: Mode) => {
  const [head] = await service.rows<{ until: Date | null; frozen: string | null }>(
    `select nullif(closed_until, '-infinity') as until, payouts_frozen_for as frozen from ledger_heads
     where merchant_id = $1 and mode = $2`,
    [merchantId, mode],
  )
  assert.ok(head)
  return head
}
const keysOf = async (merchantId: number) =>
  (await service.rows('select 1 from idempotency_keys where merchant_id = $1', [merchantId])).length
const idOf = async (handle: string) =>
  (await service.rows<{ id: number }>('select id from merchants where handle = $1', [handle]))[0]?.id as number

test('F47: a month is closed by the earlier of both clocks, and stays as it was shown while the clock is wrong', async () => {
  const own = await payer(service, 10_000)
  const month = monthNow(service)
  passMonth(service, HOUR)
  const closed = await own.api.get(`/v1/statements/${month}`)
  assert.equal(closed.body.complete, true)
  const running = monthNow(service)
  const { end } = boundsOf(running)
  for (const ms of [MONTH, 40 * DAY, DAY * 400]) {
    service.clock.beWrong(ms)
    const { status, body } = await own.api.get(`/v1/statements/${running}`)
    assert.deepEqual([status, body.complete, body.closing_balance], [200, false, 10_000])
    assert.equal((await own.api.get(`/v1/statements/${month}`)).text, closed.text)
  }
  service.clock.beWrong(-MONTH)
  assert.equal((await own.api.get(`/v1/statements/${month}`)).text, closed.text)
  // The clocks still agree, and by the one of them the month is over.
  service.clock.beWrong(0)
  service.pass(end.getTime() - service.clock.nowMs() - 1500)
  service.clock.beWrong(1800)
  assert.ok(service.clock.now() >= end)
  assert.equal((await own.api.get(`/v1/statements/${running}`)).body.complete, false)
  assert.deepEqual((await headOf(own.merchantId, 'test')).until, boundsOf(month).end)
  service.clock.beWrong(0)
  assert.equal((await own.api.charge()).status, 201)
})

test('F47: keys are forgotten by the earlier of both clocks, and in an hour at most those of the oldest day', async () => {
  const own = await payer(service)
  const charge = (key: string) => own.api.charge({}, { 'idempotency-key': key })
  const first = await charge('first')
  service.pass(DAY + HOUR)
  await charge('a day later')
  service.clock.beWrong(MONTH)
  const prune = newKeyPruner(service.app)
  await prune()
  await service.run('prune')
  const again = await charge('first')
  assert.deepEqual([again.status, again.body.id], [201, first.body.id], 'replayed, and not a second charge')
  service.clock.beWrong(0)
  service.pass(40 * DAY)
  while ((await keysOf(own.merchantId)) === 2) {
    await service.run('prune')
    service.pass(HOUR + MINUTE)
  }
  const left = await service.rows<{ key: string }>('select key from idempotency_keys where merchant_id = $1', [
    own.merchantId,
  ])
  assert.deepEqual(left, [{ key: 'a day later' }])
  await service.run('prune')
  assert.equal(await keysOf(own.merchantId), 0)
})

test('F47: a freeze of seven days is not ended by a clock that is eight days ahead', async () => {
  const { merchant } = await service.shop()
  const merchantId = await idOf(merchant.handle)
  const until = new Date(service.clock.nowMs() + 7 * DAY)
  await freezeAccount(service.app, BY_HAND, { merchantId, reason: 'robbed', until })
  service.clock.beWrong(8 * DAY)
  await service.run('follow-freeze')
  await endExpiredFreezes(service.app)
  assert.equal((await headOf(merchantId, 'live')).frozen, 'robbed')
  service.clock.beWrong(0)
  service.pass(8 * DAY)
  await service.run('follow-freeze')
  assert.equal((await headOf(merchantId, 'live')).frozen, null)
})

test('F47: what ends or moves money with time asks the earlier clock itself, also in the middle of a run', async () => {
  const shop = await richShop(service)
  const { body: charge } = await shop.live.charge({ amount: 9000, customer: { phone: newPayer() } })
  service.operator.pays(charge.id)
  service.pass(MINUTE)
  await service.run('follow-charges')
  const own = await payer(service, 100_000)
  await planned(own.api, { start_at: new Date(service.clock.nowMs() + DAY).toISOString() })
  const before = await service.digest()
  for (const ms of [1900, 2 * DAY, MONTH]) {
    service.clock.beWrong(ms)
    const runs = [settleCharges, runSchedules, expirePrepared, expireApprovals, endExpiredFreezes]
    for (const run of runs) assert.equal(await run(service.app), 0, run.name)
  }
  assert.equal(await service.digest(), before)
})

test('F47: what was asked while the clock was ahead is asked again soon after it is right', async () => {
  const { live } = await richShop(service)
  service.pass(DAY + HOUR)
  await service.run('settle-charges')
  for (const ms of [HOUR, DAY, MONTH]) {
    const { body: charge } = await live.charge({ amount: 7000, customer: { phone: newPayer() } })
    const { body: payout } = await payNew(live)
    assert.equal(payout.status, 'authorized')
    service.pass(ms)
    for (const sweep of ['follow-charges', 'send-payouts']) await service.run(sweep)
    service.pass(-ms)
    service.operator.pays(charge.id)
    service.operator.pays(payout.id)
    await service.run('mend-times')
    for (const sweep of ['follow-charges', 'send-payouts']) await service.run(sweep)
    assert.equal((await live.get(`/v1/charges/${charge.id}`)).body.status, 'succeeded')
    assert.equal((await live.get(`/v1/payouts/${payout.id}`)).body.status, 'succeeded')
  }
})

test('F47: nothing is called early that only waits for its own next step', async () => {
  const { live } = await richShop(service)
  const { body } = await live.charge({ amount: 7000, customer: { phone: newPayer() } })
  for (const ms of [5000, 20_000, MINUTE, 10 * MINUTE, HOUR, DAY, 8 * DAY]) {
    service.pass(ms)
    await service.run('follow-charges')
    assert.equal(await service.run('mend-times'), 0)
  }
  service.operator.pays(body.id)
  service.pass(DAY * 2)
  await service.run('follow-charges')
})

test('F47: a month that was closed before it was over is opened again; months that are over stay closed', async () => {
  const own = await payer(service, 20_000)
  const last = monthNow(service)
  passMonth(service, HOUR)
  const closed = await own.api.get(`/v1/statements/${last}`)
  const running = monthNow(service)
  // As a release did that closed months by its own clock alone.
  await service.rows(`update ledger_heads set closed_until = $2 where merchant_id = $1 and mode = 'test'`, [
    own.merchantId,
    boundsOf(nextMonth(running)).end,
  ])
  for (const period of [running, nextMonth(running)])
    await service.rows(
      `insert into statement_headers (merchant_id, mode, period, merchant_name, handle, vat_number, kept_at)
       values ($1, 'test', $2, 'As it was', 'as-it-was', null, $3)`,
      [own.merchantId, period, service.clock.now()],
    )
  const payOut = () => own.api.post('/v1/payouts', { amount: 1000, recipient: { phone: newPayer() } })
  assert.equal((await payOut()).status, 503)
  assert.equal((await own.api.get(`/v1/statements/${running}`)).body.merchant_name, 'As it was')
  assert.equal(await service.run('mend-times'), 1)
  assert.equal((await payOut()).status, 201)
  assert.deepEqual((await headOf(own.merchantId, 'test')).until, boundsOf(last).end)
  assert.equal((await own.api.get(`/v1/statements/${last}`)).text, closed.text)
  const { body } = await own.api.get(`/v1/statements/${running}`)
  assert.deepEqual([body.complete, body.closing_balance], [false, await totalOf(own.api)])
  assert.notEqual(body.merchant_name, 'As it was')
  const acts = await service.rows(`select 1 from audit where action = 'month.reopen' and merchant_id = $1`, [
    own.merchantId,
  ])
  assert.equal(acts.length, 1)
  assert.equal(await service.run('mend-times'), 0)
})
