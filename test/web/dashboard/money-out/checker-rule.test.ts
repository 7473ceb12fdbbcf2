import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { PersonCaller } from '../../../../src/api/access/actor.ts'
import type { BulkItem } from '../../../../src/payments/payouts/bulk/bulk-item.ts'
import { getPrepared } from '../../../../src/payments/payouts/prepared/find-prepared.ts'
import { parsePreparedLines } from '../../../../src/payments/payouts/prepared/prepared-lines.ts'
import { requestBulk } from '../../../../src/payments/payouts/prepared/request-payout.ts'
import { requestSubaccountPayout } from '../../../../src/payments/payouts/prepared/request-subaccount-payout.ts'
import {
  agreeToChecker,
  checkerState,
  dropCheckerChange,
  setCheckerRule,
} from '../../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { requestSchedule } from '../../../../src/payments/scheduled-payouts/request-schedule.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, crewed } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { balanceOfSubaccount } from '../../../helpers/payments/splits.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'

const service = openedAndVerified(() => startPayingService())
const form = () => ({
  ...{ key: randomUUID(), fingerprint: Buffer.alloc(32, 2), requestId: 'req_test', note: null },
})
const item = (index: number, amount: number, reference: string | null = `ref-${index}`): BulkItem => ({
  ...{ ok: true, index, amount, phone: newPayer(), name: null, channel: 'op1_momo', reference },
})
const bulk = (caller: PersonCaller, items: BulkItem[]) => requestBulk(service.app, { ...form(), caller, items })
const schedule = (caller: PersonCaller, amount: number, people: number) =>
  requestSchedule(service.app, {
    ...{ ...form(), caller },
    input: {
      ...{ amount, interval: 'weekly', name: 'wages' },
      recipients: Array.from({ length: people }, () => ({ phone: newPayer() })),
    },
  })

test('a bulk call counts by what it pays together: an amount below zero takes nothing off', async () => {
  const { anna, ben, live } = await crewed(service)
  const small = await bulk(anna, [item(0, 5000), item(1, 5000)])
  assert.match(small.objectId ?? '', /^batch_/)
  const tricked = [item(0, 9000, 'a'), item(1, 9000, 'b'), item(2, -15_000, 'c')]
  const { objectId: id } = await bulk(anna, tricked)
  assert.match(id ?? '', /^prep_/)
  const row = await getPrepared(service.app, ben, id ?? '')
  assert.deepEqual([row.kind, row.amount, row.fees, row.recipients], ['bulk', 18_000, 400, 3])
  const have = await availableOf(live)
  const { status, objectId, body } = await approve(service, ben, id ?? '')
  assert.equal(status, 200)
  assert.match(objectId ?? '', /^batch_/)
  assert.deepEqual([JSON.parse(body).accepted, JSON.parse(body).failed], [2, 1])
  assert.equal(await availableOf(live), have - 18_400)
  const again = JSON.parse((await approve(service, ben, id ?? '')).body)
  assert.deepEqual([again.batch_id, again.accepted], [objectId, 2])
  assert.equal(await availableOf(live), have - 18_400)
})

test('a bulk call of which nothing can be paid is not prepared', async () => {
  const { books } = await crewed(service)
  const unreadable: BulkItem = {
    ok: false,
    index: 0,
    reference: null,
    error: 'invalid item: amount must be an integer',
  }
  await assert.rejects(bulk(books, [unreadable, item(1, -5)]), /none of these lines can be paid/)
})

test('a schedule counts by what one cycle pays, and is approved like a payout', async () => {
  const { anna, ben, live } = await crewed(service)
  assert.match((await schedule(anna, 5000, 2)).objectId ?? '', /^spo_/)
  const { objectId: id } = await schedule(anna, 5000, 3)
  assert.match(id ?? '', /^prep_/)
  const { objectId } = await approve(service, ben, id ?? '')
  const { body } = await live.get(`/v1/scheduled-payouts/${objectId}`)
  assert.deepEqual([body.status, body.amount, body.recipients.length, body.name], ['active', 5000, 3, 'wages'])
  await assert.rejects(approve(service, worker(ben, 'owner', 4), id ?? ''), { status: 409 })
})

test('the pay-out of a subaccount above the amount waits for a second owner, and is sent once', async () => {
  const { anna, ben, books, live } = await crewed(service)
  const phone = newPayer()
  const { id: farm } = (await live.post('/v1/subaccounts', { name: 'Farm', payout_phone: phone })).body
  const split = [{ subaccount: farm, amount: 100_000 }]
  const { body: charge } = await live.charge({ amount: 200_000, customer: { phone: newPayer() }, split })
  await succeed(service, charge.id)
  const payOut = (caller: PersonCaller, amount: number, key: string = randomUUID()) =>
    requestSubaccountPayout(service.app, { ...form(), caller, subaccountId: farm, amount, key })
  assert.match((await payOut(anna, 10_000)).objectId ?? '', /^pout_/)
  const before = await balanceOfSubaccount(live, farm)
  const { objectId: id } = await payOut(anna, 40_000, 'sent twice')
  assert.match(id ?? '', /^prep_/)
  assert.equal((await payOut(anna, 40_000, 'sent twice')).objectId, id)
  assert.deepEqual(await balanceOfSubaccount(live, farm), before, 'nothing is reserved')
  await assert.rejects(payOut(books, 40_000), { status: 403 })
  await assert.rejects(payOut(anna, 400_000), /insufficient/)
  const row = await getPrepared(service.app, ben, id ?? '')
  assert.deepEqual([row.kind, row.amount, row.fees, row.recipients], ['subaccount', 40_000, 600, 1])
  assert.deepEqual(parsePreparedLines(row), [
    { ...{ line: 1, phone, name: 'Farm', amount: 40_000 }, reference: null, problem: null },
  ])
  await assert.rejects(approve(service, anna, id ?? ''), { status: 403, message: /second person/ })
  const { objectId } = await approve(service, ben, id ?? '')
  const { body: sent } = await live.get(`/v1/payouts/${objectId}`)
  assert.deepEqual([sent.kind, sent.amount, sent.recipient_phone], ['subaccount', 40_000, phone])
  assert.equal((await approve(service, ben, id ?? '')).objectId, objectId)
  assert.deepEqual(await balanceOfSubaccount(live, farm), [before[0] - 40_600, before[1]])
  await assert.rejects(approve(service, worker(ben, 'owner', 4), id ?? ''), { status: 409 })
})

test('a stricter rule holds at once; a weaker one when a second owner agrees, and not before', async () => {
  const { anna, ben } = await crewed(service, { above: null })
  assert.deepEqual(await checkerState(service.app, anna), { above: null, wanted: null })
  assert.equal((await setCheckerRule(service.app, anna, 50_000)).above, 50_000)
  assert.equal((await setCheckerRule(service.app, ben, 10_000)).above, 10_000)
  const waiting = await setCheckerRule(service.app, anna, null)
  assert.deepEqual([waiting.above, waiting.wanted?.above, waiting.wanted?.name], [10_000, null, anna.name])
  assert.match(await ask(service, anna, { amount: 20_000 }), /^prep_/)
  await assert.rejects(agreeToChecker(service.app, anna, null), {
    ...{ status: 403, message: 'you asked for this change yourself: a second owner must agree' },
  })
  await assert.rejects(agreeToChecker(service.app, ben, 99_000), { status: 409 })
  assert.deepEqual(await agreeToChecker(service.app, ben, null), { above: null, wanted: null })
  assert.match(await ask(service, anna, { amount: 20_000 }), /^pout_/)
})

test('without a second owner a weaker rule holds after a day; any owner drops it before', async () => {
  const { anna, ben } = await crewed(service)
  await setCheckerRule(service.app, anna, 100_000)
  assert.deepEqual((await dropCheckerChange(service.app, ben)).wanted, null)
  service.pass(DAY)
  assert.match(await ask(service, anna, { amount: 20_000 }), /^prep_/)
  await setCheckerRule(service.app, anna, 100_000)
  service.pass(DAY - 1000)
  assert.match(await ask(service, anna, { amount: 20_000 }), /^prep_/)
  service.pass(1000)
  assert.match(await ask(service, anna, { amount: 20_000 }), /^pout_/)
  assert.deepEqual(await checkerState(service.app, anna), { above: 100_000, wanted: null })
  await assert.rejects(agreeToChecker(service.app, ben, 100_000), { status: 409 })
})

test('a stricter wish of the other owner ends the weaker one that waits', async () => {
  const { anna, ben } = await crewed(service)
  await setCheckerRule(service.app, anna, null)
  assert.deepEqual(await setCheckerRule(service.app, ben, 5000), { above: 5000, wanted: null })
  service.pass(2 * DAY)
  assert.equal((await checkerState(service.app, anna)).above, 5000)
})

test('only owners set the rule, with a fresh factor, on proven addresses and unheld accounts, in test mode too', async () => {
  const { anna } = await crewed(service)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    for (const set of [setCheckerRule, agreeToChecker])
      await assert.rejects(set(service.app, worker(anna, role, 8), null), { status: 403 })
  const inTest = { ...anna, mode: 'test' as const }
  const heldUntil = new Date(service.clock.nowMs() + DAY)
  await assert.rejects(setCheckerRule(service.app, { ...inTest, factorAgeMs: null }, null), { status: 403 })
  await assert.rejects(setCheckerRule(service.app, { ...inTest, confirmed: false }, null), { status: 403 })
  await assert.rejects(setCheckerRule(service.app, { ...inTest, heldUntil }, null), { status: 403 })
  for (const above of [-1, 1.5, Number.NaN, 2 ** 60])
    await assert.rejects(setCheckerRule(service.app, anna, above), { status: 400 })
  assert.equal((await checkerState(service.app, anna)).above, 10_000)
})

test('two owners who set the first rule at once: the stricter one stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { anna, ben } = await crewed(service, { above: null })
    await Promise.all([setCheckerRule(service.app, anna, 1000), setCheckerRule(service.app, ben, 900_000)])
    assert.equal((await checkerState(service.app, anna)).above, 1000)
  }
})
