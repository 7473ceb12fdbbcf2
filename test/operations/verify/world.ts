import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../src/api/idempotency/keys.ts'
import { newExactWindow } from '../../../src/api/rate-limits/exact-window.ts'
import { makeHeads } from '../../../src/ledger/book.ts'
import { addTestFunds } from '../../../src/ledger/test-funds.ts'
import { pruneDeliveries } from '../../../src/merchants/webhooks/tend-deliveries.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { settleCharges } from '../../../src/payments/charges/settle-charges.ts'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import { call, type Database } from '../../../src/platform/db/database.ts'
import { ServiceCounts } from '../../../src/platform/log/service-counts.ts'
import type { App } from '../../../src/program/app.ts'
import { deadlineIn } from '../../../src/rails/rail.ts'
import { sandboxRail } from '../../../src/rails/sandbox.ts'
import { makeDayTallier } from '../../../src/reports/tallies/tally-days.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { CHARGE, NOW, TAGS } from './names.ts'
import { payByCards } from './selling/world-cards.ts'
import { reportProblems } from './selling/world-disputes.ts'
import { sendInvoices } from './selling/world-invoices.ts'
import { payLinks } from './selling/world-links.ts'
import { offerItems } from './selling/world-storefront.ts'
import { claimGoods, dispenseGoods } from './selling/world-vending.ts'
import { correctBooks } from './world-approvals.ts'
import { auditAll, closeAccounts } from './world-audits.ts'
import { createLive, fail, newCharge, pay, product, storeCharge, write } from './world-charges.ts'
import { moneyOutLately, moneyOutToday, moneyOutUnderWay, saveUp } from './world-money-out.ts'
import { numberEvents, writeDown } from './world-notes.ts'
import { prepareAll } from './world-prepared.ts'
import { topUp } from './world-top-ups.ts'
import { verifyBusiness } from './world-verification.ts'
// Its statement is taken by name.
import '../../../src/ledger/checkpoints.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LADDER = { firstMs: [5000], periods: [] }
const CONFIG = {
  liveHoldHours: 24,
  testHoldSeconds: 0,
  sandboxOutcomeSeconds: 2,
  amountMax: 10_000_000,
  withdrawalMin: 1000,
}

type World = App & { clock: { at: number } }

/**
 * A small world without faults, written by the product's own operations and statements. Two merchants take money: both modes,
 * every state of a charge, gift cards that pay in part and in full, settlements of both kinds, checkpoints, keys, deliveries
 * that were sent, given up and claimed, and two exceptions. A third merchant splits charges, refunds them and pays out: every
 * kind and state of a payout.
 */
export async function buildWorld(db: Database): Promise<void> {
  const clock = { at: NOW.getTime(), now: () => new Date(clock.at), nowMs: () => clock.at }
  const witness = { earlier: clock.now, earlierMs: clock.nowMs }
  const app = {
    db,
    clock,
    witness,
    config: CONFIG,
    log: console,
    nudge: () => {},
    deadlineIn,
  } as unknown as World
  const sandbox = sandboxRail(clock, { outcomeSeconds: CONFIG.sandboxOutcomeSeconds, pays: true })
  Object.assign(app, {
    rails: { test: { op1_momo: sandbox }, live: {} },
    serviceCounts: new ServiceCounts(),
    ladders: { of: () => LADDER },
    exactWindows: { refunds: newExactWindow({ what: 'refunds', limit: 0, db }) },
  })
  await addMerchants(db)
  await liveThroughHistory(app)
  setAge(app, HOUR_MS)
  for (const take of [takeLiveMoney, payByCards, contradictTheRail, playInTheSandbox, payLinks, dispenseGoods, topUp])
    await take(app)
  await moneyOutToday(app)
  await prepareAll(app)
  await correctBooks(app)
  await auditAll(app)
  setAge(app, 10_000)
  await moneyOutUnderWay(app)
  await claimGoods(app)
  await createLive(app, 1, { name: 'sending', amount: 1000, end: 'sending' })
  await addRefusedKey(app)
  await reportProblems(app)
  await offerItems(app)
  await writeDown(app)
  await numberEvents(app)
  await sendInvoices(app)
  await verifyBusiness(app)
  await closeAccounts(app)
  await makeDayTallier(app)()
  await askAboutAll(app)
  await spreadDeliveries(db)
}

/** As if the background tasks had just run: no open charge or payout is overdue to be asked about. */
async function askAboutAll({ db, clock }: App): Promise<void> {
  for (const table of ['charges', 'payouts', 'top_ups'])
    await db.pool.query(`update ${table} set follow_at = $1 where follow_at < $1`, [clock.now().toISOString()])
}

function setAge(app: World, ms: number): void {
  app.clock.at = NOW.getTime() - ms
}

/** Two releases after their holds, each with a checkpoint. The deliveries of the first are pruned already. */
async function liveThroughHistory(app: World): Promise<void> {
  setAge(app, 41 * DAY_MS)
  await pay(app, 1, ['live', 'aged', 20_000])
  await app.db.pool.query(
    `update deliveries set status = 'sent', attempts = 1, delivered_at = created_at, next_attempt_at = null`,
  )
  setAge(app, 40 * DAY_MS)
  await settleAndCheck(app)
  setAge(app, 3 * DAY_MS)
  await pruneDeliveries(app)
  await pay(app, 1, ['live', 'released', 100_000])
  await pay(app, 1, ['live', 'releasedtoo', 5000])
  await saveUp(app)
  setAge(app, 2 * DAY_MS)
  await settleAndCheck(app)
  await moneyOutLately(app)
}

async function settleAndCheck(app: App): Promise<void> {
  await settleCharges(app)
  await write(app.db, call(product('add ledger checkpoint'), 1, 'live', app.clock.now().toISOString(), 1000))
}

async function takeLiveMoney(app: App): Promise<void> {
  await pay(app, 1, ['live', 'held', 400_000])
  await fail(app, 1, ['live', 'livefailed', 7000])
  await createLive(app, 1, { name: 'liveopen', amount: 9000 })
  await createLive(app, 1, { name: 'voided', amount: 9000, end: 'voided' })
  await pay(app, 2, ['live', 'instant', 30_000])
}

/** Opens two exceptions. At the second one the account is paused already. */
async function contradictTheRail(app: App): Promise<void> {
  await fail(app, 2, ['live', 'contradicted', 30_000])
  const charge = { merchantId: 2, id: CHARGE.contradicted, mode: 'live' as const, giftCardAmount: 0 }
  await moveCharge(app, { charge, to: { status: 'succeeded', railTransactionId: 'late' } })
  const mismatch = { merchantId: 2, tag: TAGS[2], mode: 'live', kind: 'mismatch', details: {} } as const
  await write(app.db, ...openException({ ...mismatch, subject: CHARGE.instant }, app.clock.now()))
}

/** The last charge has a realistic hold. The merchant's test clock is moved past it, so real time is long before `hold_until`. */
async function playInTheSandbox(app: App): Promise<void> {
  await addTestFunds(app, BY_HAND, {
    holder: { merchantId: 1, tag: TAGS[1] },
    amount: 1_000_000,
    key: 'first',
  })
  await pay(app, 1, ['test', 'testpaid', 50_000])
  await fail(app, 1, ['test', 'testfailed', 50_000])
  await write(app.db, ...storeCharge(newCharge(app, 1, { mode: 'test', name: 'testopen', amount: 201 })))
  await app.db.pool.query(`update merchants set test_hold = 'realistic' where id = 1`)
  await pay(app, 1, ['test', 'movedclock', 333_334])
  await app.db.pool.query(`update merchants set test_clock_offset_ms = ${2 * DAY_MS} where id = 1`)
  await settleCharges(app)
}

async function addMerchants(db: Database): Promise<void> {
  for (const id of [1, 2, 3] as const) {
    const facts = [`mer_${TAGS[id]}${'0'.repeat(16)}`, TAGS[id], `shop-${id}`]
    await db.pool.query(
      `insert into directory.merchants (id, public_id, tag, handle, cell, created_at) overriding system value
       values ($1, $2, $3, $4, 'cell_0', $5)`,
      [id, ...facts, '2026-01-01T00:00:00Z'],
    )
    await db.pool.query(
      `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, kyc_status,
         instant_settlement, webhook_url, created_at)
       values ($1, $2, $3, $4, 'Shop', 'shop@example.com', $5, $6, 'verified', $7, 'https://shop.example.com', $8)`,
      [id, ...facts, `pk_test_${id}`, `pk_live_${id}`, id === 2, '2026-01-01T00:00:00Z'],
    )
    await write(db, makeHeads(id))
  }
  await addTestMerchant(db)
}

/** A business that merchant 3 has made for its tests. */
async function addTestMerchant(db: Database): Promise<void> {
  const facts = [4, `mer_tests${'0'.repeat(16)}`, 'tests', 'test-tests-tests']
  const until = '2026-03-10T20:00:00Z'
  await db.pool.query(
    `insert into directory.merchants (id, public_id, tag, handle, cell, created_at, parent_id, expires_at) overriding system value
     values ($1, $2, $3, $4, 'cell_0', '2026-03-09T20:00:00Z', 3, $5)`,
    [...facts, until],
  )
  await db.pool.query(
    `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, created_at, parent_id, expires_at)
     values ($1, $2, $3, $4, 'CI run', '', 'pk_test_4', 'pk_live_4', '2026-03-09T20:00:00Z', 3, $5)`,
    [...facts, until],
  )
  await write(db, makeHeads(4))
}

async function addRefusedKey(app: App): Promise<void> {
  const fingerprint = fingerprintRequest('POST', '/v1/charges', {})
  const answer = { status: 400, body: '{"error":{}}', objectId: null }
  const use = {
    merchantId: 1,
    mode: 'test' as const,
    key: 'key-refused',
    fingerprint,
    answer,
    objectId: null,
  }
  await write(app.db, ...addKeys([use], app.clock.now()))
}

/** One delivery was sent, one was given up, one is claimed now. The others are due. */
async function spreadDeliveries(db: Database): Promise<void> {
  const of = (charge: string) => `event_id = (select id from events where subject = '${charge}')`
  await db.pool.query(
    `update deliveries set status = 'sent', attempts = 1, delivered_at = created_at, next_attempt_at = null
     where ${of(CHARGE.testPaid)}`,
  )
  await db.pool.query(
    `update deliveries set status = 'failed', attempts = 8, next_attempt_at = null where ${of(CHARGE.released)}`,
  )
  await db.pool.query(`update deliveries set lease_until = $1, lease_token = 'worker' where ${of(CHARGE.testFailed)}`, [
    new Date(NOW.getTime() + 15_000),
  ])
}
