import assert from 'node:assert/strict'
import { addTestFunds } from '../../../src/ledger/test-funds.ts'
import { payOutSubaccount } from '../../../src/payments/payouts/pay-out-subaccount.ts'
import { refundCharge } from '../../../src/payments/refunds/refund-charge.ts'
import { decideWithdrawal, requestWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { call } from '../../../src/platform/db/database.ts'
import type { App } from '../../../src/program/app.ts'
import { BY_HAND, fullKey } from '../../helpers/service/actors.ts'
import { REFUNDED, SCHEDULE, SUBACCOUNT, TAGS } from './names.ts'
import { payInBulk, storeBatch } from './world-bulk.ts'
import { fail, pay, product, splitCharge, storeCharge, write } from './world-charges.ts'
import { createPayout, endPayout, PAID, publish, takeBack, UNPAID } from './world-payouts.ts'
import { addSchedule, cancelSchedule, runNextCycle } from './world-schedules.ts'
import { orderStanding } from './world-standing-orders.ts'
import { addSubaccount, putToSleep } from './world-subaccounts.ts'

const HOLDER = { merchantId: 3, tag: TAGS[3] }
const { farm, shop, asleep } = SUBACCOUNT

/** The money of merchant 3: test funds, and live charges, one of them split, that are still in their hold. */
export async function saveUp(app: App): Promise<void> {
  await addTestFunds(app, BY_HAND, { holder: HOLDER, amount: 10_000_000, key: 'first' })
  for (const id of Object.values(SUBACCOUNT)) await addSubaccount(app, id)
  await pay(app, 3, ['live', 'saved', 2_000_000])
  await pay(app, 3, [
    'live',
    'splitreleased',
    50_000,
    [
      [farm, 10_000],
      [shop, 20_000],
    ],
  ])
}

/** Two days ago, just after the release of the live money: the first cycles of the schedules. */
export async function moneyOutLately(app: App): Promise<void> {
  await addSchedule(app, { id: SCHEDULE.daily, mode: 'test', amount: 1000 })
  await addSchedule(app, { id: SCHEDULE.live, mode: 'live', amount: 2000, interval: 'weekly' })
  await addSchedule(app, { id: SCHEDULE.poor, mode: 'live', amount: 9_000_000 })
  await addSchedule(app, { id: SCHEDULE.cancelled, mode: 'test', amount: 3000 })
  for (const id of Object.values(SCHEDULE)) await runNextCycle(app, id)
  await cancelSchedule(app, SCHEDULE.cancelled)
  await write(app.db, call(product('add ledger checkpoint'), 3, 'live', app.clock.now().toISOString(), 1000))
}

/** An hour ago. */
export async function moneyOutToday(app: App): Promise<void> {
  await runNextCycle(app, SCHEDULE.daily)
  for (const move of [shareOut, payOutSubaccounts, payInTest, payLive, withdraw, orderStanding, refund, payInBulk])
    await move(app)
}

/** Now: what is still in progress. */
export async function moneyOutUnderWay(app: App): Promise<void> {
  await createPayout(app, ['live', 'sending', 6000])
  await storeBatch(app, 'waiting', [{ reference: 'rent-9', amount: 700 }])
}

async function shareOut(app: App): Promise<void> {
  const shares = (one: string, other: string): [string, number][] => [
    [one, 3000],
    [other, 2000],
  ]
  await pay(app, 3, ['test', 'splitatonce', 100_000, shares(farm, shop)])
  await pay(app, 3, ['test', 'splitwhole', 5200, shares(shop, farm)])
  await fail(app, 3, ['test', 'splitfailed', 40_000, shares(farm, shop)])
  await write(app.db, ...storeCharge(splitCharge(app, 3, ['test', 'splitopen', 30_000, shares(farm, shop)])))
  await putToSleep(app, asleep)
  await pay(app, 3, ['test', 'splitasleep', 60_000, shares(asleep, farm)])
  await pay(app, 3, ['live', 'splitheld', 80_000, shares(farm, shop)])
}

async function payOutSubaccounts(app: App): Promise<void> {
  const payOut = (key: string, amount: number) =>
    payOutSubaccount(app, BY_HAND, { holder: { ...HOLDER, mode: 'test' }, subaccountId: farm, amount, key })
  await endPayout(app, await payOut('subpaid', 1000), PAID)
  await endPayout(app, await payOut('subunpaid', 1100), UNPAID)
  await payOut('subopen', 1200)
}

async function payInTest(app: App): Promise<void> {
  await endPayout(app, await createPayout(app, ['test', 'paid', 50_000]), PAID)
  await endPayout(app, await createPayout(app, ['test', 'unpaid', 60_000]), UNPAID)
  await createPayout(app, ['test', 'open', 70_000])
}

async function payLive(app: App): Promise<void> {
  for (const [name, outcome] of [
    ['livepaid', PAID],
    ['liveunpaid', UNPAID],
  ] as const) {
    const payout = await createPayout(app, ['live', name, 20_000])
    await publish(app, payout, 'accepted')
    await endPayout(app, payout, outcome)
  }
  await publish(app, await createPayout(app, ['live', 'indoubt', 30_000]), 'in_doubt')
  await takeBack(app, await createPayout(app, ['live', 'voided', 4000]), null)
  await takeBack(app, await createPayout(app, ['live', 'refused', 5000]), 400)
}

async function withdraw(app: App): Promise<void> {
  await setWithdrawalNumber(app, BY_HAND, { merchantId: 3, phone: '0700000009' })
  await verifyWithdrawalNumber(app, BY_HAND, { merchantId: 3, phone: '0700000009' })
  const request = (key: string) => requestWithdrawal(app, BY_HAND, { merchantId: 3, amount: 10_000, key })
  const decide = (id: string, decision: 'approved' | 'rejected' | 'cancelled') =>
    decideWithdrawal(app, BY_HAND, { merchantId: 3, id, decision, note: null })
  await request('requested')
  await decide((await request('approved')).id, 'approved')
  const withdrawn = await request('withdrawn')
  await decide(withdrawn.id, 'approved')
  await endPayout(app, withdrawn, PAID)
  await decide((await request('rejected')).id, 'rejected')
  await decide((await request('cancelled')).id, 'cancelled')
}

async function refund(app: App): Promise<void> {
  const caller = fullKey({ ...HOLDER, cell: app.cell, mode: 'test' })
  for (const name of ['refundpaid', 'refundopen', 'refundfailed', 'unrefunded'])
    await pay(app, 3, ['test', name, 90_000])
  const refunded = async (chargeId: string) => {
    const { payout } = await refundCharge(app, caller, { chargeId })
    assert.ok(payout)
    return payout
  }
  await endPayout(app, await refunded(REFUNDED.paid), PAID)
  await refunded(REFUNDED.open)
  await endPayout(app, await refunded(REFUNDED.failed), UNPAID)
}
