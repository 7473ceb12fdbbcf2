import assert from 'node:assert/strict'
import test from 'node:test'
import type { MerchantRole, StaffRole } from '../../../../src/api/access/actor.ts'
import { decideStandingOrder } from '../../../../src/payments/withdrawals/standing-orders/decide-standing-order.ts'
import {
  setStandingOrder,
  stopStandingOrder,
} from '../../../../src/payments/withdrawals/standing-orders/set-standing-order.ts'
import type { StandingOrderTerms } from '../../../../src/payments/withdrawals/standing-orders/standing-order.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { OWN_NUMBER, orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { BY_HAND, fullKey, operator, owner, worker } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { digestOf } from '../../../helpers/service/test-service.ts'

const HOUR = 3_600_000
const service = openedAndVerified(() => startPayingService())
const digest = () =>
  digestOf(service.rows, ['standing_orders', 'standing_order_runs', 'payouts', 'withdrawals', 'audit'])

/** Fails unless this is refused so, with nothing written. */
async function refuses(
  act: () => Promise<unknown>,
  refusal: { status?: number; code: string; field?: string },
  says?: RegExp,
) {
  const before = await digest()
  await assert.rejects(act(), (error: any) => {
    assert.deepEqual({ ...refusal, ...error, message: '' }, { ...error, ...refusal, message: '' })
    if (says) assert.match(error.message, says)
    return true
  })
  assert.equal(await digest(), before)
}

test('an order is made by an owner alone, with a fresh factor, for live money, a verified merchant and a verified number', async () => {
  const shop = await orderingShop(service)
  const { merchantId, tag, caller, merchant } = shop
  const terms: StandingOrderTerms = {
    ...{ rhythm: 'daily', weekday: null, hour: 20 },
    ...{ keepBack: 0, least: 5000, dayLimit: 100_000 },
  }
  const set = (actor: Parameters<typeof setStandingOrder>[1], more: object = {}) =>
    setStandingOrder(service.app, actor, { merchantId, tag }, { ...terms, ...more } as StandingOrderTerms)
  const forbidden = { status: 403, code: 'forbidden' }
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] satisfies MerchantRole[])
    await refuses(() => set(worker(caller, role, 5)), forbidden, /your role/)
  await refuses(() => set(fullKey(caller)), forbidden)
  await refuses(() => set(BY_HAND), forbidden)
  await refuses(() => set(operator('admin', 5)), forbidden)
  await refuses(() => set({ ...caller, factorAgeMs: 6 * 60_000 }), { status: 403, code: 'step_up_required' })
  await refuses(() => set({ ...caller, heldUntil: service.clock.now() }), { status: 403, code: 'money_out_held' })
  await refuses(() => set(owner({ ...caller, mode: 'test' })), { status: 400, code: 'live_only' })
  const tooSmall = { status: 400, code: 'amount_too_small' }
  await refuses(() => set(caller, { least: 4999 }), { ...tooSmall, field: 'least' }, /minimum of 5000$/)
  await refuses(() => set(caller, { dayLimit: 4999 }), { ...tooSmall, field: 'day_limit' })
  await service.set(merchant, { active: false })
  await refuses(() => set(caller), { status: 400, code: 'merchant_inactive' })
  await service.set(merchant, { active: true, kycStatus: 'rejected' })
  await refuses(() => set(caller), { status: 400, code: 'verification_required' })
  await service.set(merchant, { kycStatus: 'verified' })
  await shop.setNumber('0772 000 999')
  await refuses(() => set(caller), { status: 400, code: 'no_withdrawal_number' }, /^no verified withdrawal number$/)
})

test('staff approve what they have looked at, within what the merchant wants, and those of the money alone', async () => {
  const shop = await orderingShop(service)
  const { merchantId } = shop
  const { id, revision, dayLimit } = await shop.set({ dayLimit: 100_000 })
  const approval = { merchantId, id, revision, decision: 'approved', phone: OWN_NUMBER, limit: dayLimit } as const
  const approve = (more: object = {}, actor = operator('finance', 9)) =>
    decideStandingOrder(service.app, actor, { ...approval, ...more })
  for (const role of ['support', 'risk'] satisfies StaffRole[])
    await refuses(() => approve({}, operator(role, 9)), { status: 403, code: 'forbidden' })
  const stale = { ...operator('finance', 9), factorAgeMs: 6 * 60_000 }
  await refuses(() => approve({}, stale), { status: 403, code: 'step_up_required' })
  await refuses(() => decideStandingOrder(service.app, shop.caller as never, approval), {
    status: 403,
    code: 'forbidden',
  })
  const conflict = { status: 409, code: 'conflict' }
  await refuses(() => approve({ revision: revision + 1 }), conflict, /changed this order meanwhile/)
  await refuses(() => approve({ revision: Number.NaN }), conflict, /changed this order meanwhile/)
  await refuses(() => approve({ phone: '256772000112' }), conflict, /another number meanwhile/)
  const tooLarge = { status: 400, code: 'amount_too_large', field: 'limit' }
  for (const limit of [0, 100_001]) await refuses(() => approve({ limit }), tooLarge, /between 1 and the 100000/)
  await refuses(() => approve({ id: `${id.slice(0, -1)}!` }), { status: 404, code: 'not_found' })
  await service.set(shop.merchant, { active: false })
  await refuses(() => approve(), conflict, /inactive or not verified/)
  await service.set(shop.merchant, { active: true })
  await approve()
  const approved = await digest()
  await approve()
  assert.equal(await digest(), approved, 'the same decision again changes nothing')
  await refuses(() => approve({ limit: 50_000 }), conflict, /already approved/)
  const refusal = { merchantId, id, revision, decision: 'refused', note: 'no' } as const
  await refuses(() => decideStandingOrder(service.app, operator('admin', 9), refusal), conflict, /already approved/)
})

test('a refused order says why and sends nothing; changed, it is looked at again', async () => {
  const shop = await orderingShop(service)
  const { merchantId } = shop
  const { id, revision } = await shop.set({})
  const refusal = { merchantId, id, revision, decision: 'refused', note: 'The limit is too high' } as const
  await decideStandingOrder(service.app, operator('admin', 9), refusal)
  await runAfter(service, 2 * HOUR)
  const { state, note } = await shop.find()
  assert.deepEqual([state, note, await shop.runs()], ['refused', 'The limit is too high', []])
  await refuses(() => shop.approve(), { status: 409, code: 'conflict' }, /already refused/)
  const again = await shop.set({})
  assert.deepEqual([again.id, again.state, again.note, again.revision], [id, 'waiting', null, revision + 1])
})

test('an order is stopped by its owner or by staff of the money, for good; the next one is another', async () => {
  const shop = await orderingShop(service)
  const stranger = await orderingShop(service)
  const { merchantId } = shop
  const { id } = await shop.set({})
  await shop.approve()
  const stop = (actor: Parameters<typeof stopStandingOrder>[1], of = merchantId, note: string | null = null) =>
    stopStandingOrder(service.app, actor, { merchantId: of, id, note })
  const forbidden = { status: 403, code: 'forbidden' }
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] satisfies MerchantRole[])
    await refuses(() => stop(worker(shop.caller, role, 5)), forbidden)
  for (const role of ['support', 'risk'] satisfies StaffRole[]) await refuses(() => stop(operator(role, 5)), forbidden)
  await refuses(() => stop(stranger.caller, stranger.merchantId), { status: 404, code: 'not_found' })
  await refuses(() => stop(owner({ ...shop.caller, mode: 'test' })), { status: 400, code: 'live_only' })
  // Without a fresh factor: money stays where it is.
  await stop({ ...shop.caller, factorAgeMs: null })
  const stopped = await digest()
  await stop(shop.caller)
  assert.equal(await digest(), stopped)
  await runAfter(service, 2 * HOUR)
  assert.deepEqual([(await shop.find()).state, await shop.runs()], ['stopped', []])
  const next = await shop.set({})
  assert.notEqual(next.id, id)
  await stopStandingOrder(service.app, operator('finance', 9), { merchantId, id: next.id, note: 'Asked by phone' })
  assert.equal((await shop.find()).note, 'Asked by phone')
})
