import { MAX_ROWS_SEALED_AT_ONCE, newAuditSealer } from '../api/access/seal-audit.ts'
import { newKeyPruner } from '../api/idempotency/prune-keys.ts'
import { checkpointLedgers } from '../ledger/checkpoints.ts'
import { closeRevokedKeys } from '../merchants/account/close-revoked-keys.ts'
import { blankCommandAnswers } from '../merchants/account/command-keys.ts'
import { endExpiredFreezes, repairFreezeCopy } from '../merchants/account/payout-freeze.ts'
import { forgetExpiredSecrets } from '../merchants/account/rotate-webhook-secret.ts'
import { MAILS_PER_RUN, pruneMails, sendMails } from '../merchants/mails/send-mails.ts'
import { prunePeople } from '../merchants/people/write-accounts.ts'
import { pruneRequests } from '../merchants/request-log/prune-requests.ts'
import { mailExpiringDocuments } from '../merchants/verification/document-expiry.ts'
import { newDeliverySweep } from '../merchants/webhooks/addresses/send-address-deliveries.ts'
import { tendFailingAddresses } from '../merchants/webhooks/addresses/switch-off.ts'
import { applyAddressChanges } from '../merchants/webhooks/apply-address-changes.ts'
import { EVENTS_SEALED_AT_ONCE, sealEvents } from '../merchants/webhooks/stream/seal-events.ts'
import { pruneDeliveries, setBackDeliveries } from '../merchants/webhooks/tend-deliveries.ts'
import { mailFailingReceivers, mailOutages } from '../operations/alerts/mail-failing-receivers.ts'
import { verifyAtNight } from '../operations/alerts/nightly-verify.ts'
import { runChecks } from '../operations/alerts/run-checks.ts'
import { expireApprovals } from '../operations/approvals/end-approval.ts'
import { closeAccounts } from '../operations/closing/close-accounts.ts'
import { TAKEN_UP_AT_ONCE, takeUpPayments } from '../operations/investigation/search/take-up-payments.ts'
import { findDueSweeps, POLLED_SWEEPS } from '../operations/jobs/due-work.ts'
import type { SweepName } from '../operations/jobs/sweep-name.ts'
import { pruneServiceDays } from '../operations/overview/service-days.ts'
import { reconcileCell } from '../operations/reconciliation/reconcile.ts'
import { forgetStaged } from '../operations/reconciliation/statements/statement-staging.ts'
import { dropOldUploads } from '../operations/reconciliation/statements/uploaded-statements.ts'
import { workOnStatements } from '../operations/reconciliation/statements/work-on-statements.ts'
import { finishChargeKeys } from '../payments/charges/finish-charge-keys.ts'
import { chargeFollower, TEST_CHARGES_PER_RUN } from '../payments/charges/follow-charges.ts'
import { settleCharges } from '../payments/charges/settle-charges.ts'
import { SET_BACK_CHARGES } from '../payments/charges/write-charges.ts'
import { pruneDrafts } from '../payments/payouts/bulk/drafts/draft.ts'
import { finishBulks } from '../payments/payouts/bulk/finish-bulks.ts'
import { finishPayoutKeys } from '../payments/payouts/finish-payout-keys.ts'
import { expirePrepared } from '../payments/payouts/prepared/end-prepared.ts'
import { payoutSender, TEST_PAYOUTS_PER_RUN } from '../payments/payouts/sending/send-payouts.ts'
import { SET_BACK_PAYOUTS } from '../payments/payouts/write-payouts.ts'
import { runSchedules } from '../payments/scheduled-payouts/run-schedules.ts'
import { endTestAccounts } from '../payments/testing/end-test-accounts.ts'
import { topUpFollower } from '../payments/top-ups/top-up-mover.ts'
import { SET_BACK_TOP_UPS } from '../payments/top-ups/write-top-ups.ts'
import { runStandingOrders } from '../payments/withdrawals/standing-orders/run-standing-orders.ts'
import type { DueWorkCheck, Sweep } from '../platform/batches/sweep.ts'
import { mapValues } from '../platform/map-values.ts'
import { longestSteps } from '../rails/following/follow-ladder.ts'
import { setBackTooFarAhead } from '../rails/following/questions-too-far-ahead.ts'
import { pruneChosenEnds } from '../rails/next-ends.ts'
import { CLOSES_PER_PAGE, sendDailyCloses } from '../reports/notices/daily-close.ts'
import { MONTH_CLOSES_PER_PAGE, writeMonthCloses } from '../reports/notices/month-close.ts'
import { sendMonthCloses } from '../reports/notices/send-month-closes.ts'
import { NOTICES_PER_RUN, sendNotices } from '../reports/notices/send-notices.ts'
import { pruneTold } from '../reports/push/collect-news.ts'
import { newPushSender } from '../reports/push/send-pushes.ts'
import { reopenMonths } from '../reports/statement/reopen-months.ts'
import { makeDayTallier, TALLIED_AT_ONCE } from '../reports/tallies/tally-days.ts'
import { INVOICE_MAILS_PER_RUN, isMailWanted, writeInvoiceMails } from '../selling/invoices/write-invoice-mails.ts'
import { pruneCallbacks } from '../selling/vending/callbacks/vendor-callbacks.ts'
import { newDispenser, ORDERS_PER_RUN } from '../selling/vending/dispensing/dispense-orders.ts'
import { finishDispenseKeys } from '../selling/vending/dispensing/finish-dispense-keys.ts'
import { JAMS_PER_RUN, refundJams } from '../selling/vending/dispensing/refund-jams.ts'
import { pruneFormResults } from '../web/parts/forms/form-results.ts'
import { pruneFormSteps } from '../web/parts/forms/form-steps.ts'
import type { App } from './app.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * A background task of one cell. `begin` is called where it is going to run again and again, `finish` waits for what it has started and not
 * awaited.
 */
export type CellSweep = Sweep & { name: SweepName; begin?(): void; finish?(): Promise<void> }

/** Every background task of the product with its period. */
export function buildSweeps(app: App): CellSweep[] {
  const deliveries = newDeliverySweep(app)
  const charges = chargeFollower(app)
  const topUps = topUpFollower(app)
  const payouts = payoutSender(app)
  const machines = newDispenser(app)
  const pushes = newPushSender(app)
  const sweeps: Record<SweepName, Omit<CellSweep, 'name'>> = {
    'follow-charges': {
      everyMs: 50,
      restMs: 250,
      full: TEST_CHARGES_PER_RUN,
      runOnce: charges.start,
      finish: charges.stop,
    },
    'follow-top-ups': { everyMs: SECOND, restMs: 5 * SECOND, runOnce: topUps.start, finish: topUps.stop },
    'send-payouts': {
      everyMs: 200,
      restMs: 500,
      full: TEST_PAYOUTS_PER_RUN,
      runOnce: payouts.start,
      finish: payouts.stop,
    },
    dispense: { everyMs: 500, full: ORDERS_PER_RUN, runOnce: machines.start, finish: machines.stop },
    'refund-jams': { everyMs: 5 * SECOND, full: JAMS_PER_RUN, runOnce: () => refundJams(app) },
    'run-schedules': { everyMs: MINUTE, runOnce: () => runSchedules(app) },
    'run-standing-orders': { everyMs: MINUTE, runOnce: () => runStandingOrders(app) },
    'settle-charges': { everyMs: HOUR, runOnce: () => settleCharges(app) },
    'send-deliveries': deliveries,
    'tend-addresses': { everyMs: 250, runOnce: () => applyAddressChanges(app) },
    'follow-freeze': { everyMs: 5 * SECOND, runOnce: () => tendFreezes(app) },
    'finish-keys': { everyMs: 5 * SECOND, runOnce: () => finishAllKeys(app) },
    'finish-bulks': { everyMs: 2 * SECOND, runOnce: () => finishBulks(app) },
    'close-accounts': { everyMs: MINUTE, full: Number.POSITIVE_INFINITY, runOnce: () => closeAll(app) },
    'expire-prepared': { everyMs: MINUTE, runOnce: () => expireUndecided(app) },
    'checkpoint-ledgers': { everyMs: 5 * SECOND, restMs: 30 * SECOND, runOnce: () => checkpoint(app) },
    // Never run again at once: an open condition would be found every time.
    'raise-alerts': { everyMs: 30 * SECOND, full: Number.POSITIVE_INFINITY, runOnce: () => runAlerts(app) },
    'tally-days': { everyMs: 30 * SECOND, full: TALLIED_AT_ONCE, runOnce: makeDayTallier(app) },
    ...mailSweeps(app),
    'push-payments': { everyMs: SECOND, full: Number.POSITIVE_INFINITY, runOnce: pushes.start, finish: pushes.stop },
    ...sealSweeps(app),
    // Uses what the budget of status questions has and then rests, however many movements it compared.
    reconcile: { everyMs: MINUTE, full: Number.POSITIVE_INFINITY, runOnce: () => reconcileCell(app) },
    'import-statements': { everyMs: 2 * SECOND, restMs: 15 * SECOND, runOnce: () => workOnStatements(app) },
    verify: { everyMs: MINUTE, full: 2, runOnce: () => verifyAtNight(app) },
    'tell-endings': { everyMs: HOUR, full: 50, runOnce: () => mailExpiringDocuments(app) },
    'mend-times': { everyMs: MINUTE, full: SET_BACK_AT_ONCE, runOnce: () => mendTimes(app) },
    'take-up-payments': { everyMs: MINUTE, full: TAKEN_UP_AT_ONCE, runOnce: () => takeUpPayments(app) },
    prune: { everyMs: HOUR, runOnce: buildPruner(app) },
  }
  return Object.values(mapValues(sweeps, (sweep, name) => pauseInDoubt(app, { name, ...sweep })))
}

/** What is chained or numbered after its commit. */
function sealSweeps(app: App) {
  const { runOnce, stop } = newAuditSealer(app)
  return {
    'seal-audit': { everyMs: SECOND, full: MAX_ROWS_SEALED_AT_ONCE, runOnce, finish: stop },
    // Within a second, and not woken by payments: what commits meanwhile gets its numbers together.
    'seal-events': { everyMs: 800, full: EVENTS_SEALED_AT_ONCE, runOnce: () => sealEvents(app) },
  }
}

/** What people hear by mail. */
const mailSweeps = (app: App) => ({
  'send-notices': { everyMs: 30 * SECOND, full: NOTICES_PER_RUN, runOnce: () => sendNotices(app) },
  'daily-close': { everyMs: 5 * MINUTE, full: CLOSES_PER_PAGE, runOnce: () => sendDailyCloses(app) },
  'month-close': { everyMs: 5 * MINUTE, full: MONTH_CLOSES_PER_PAGE, runOnce: () => writeMonthCloses(app) },
  'mail-invoices': { everyMs: 5 * SECOND, full: INVOICE_MAILS_PER_RUN, runOnce: () => writeInvoiceMails(app) },
  'send-files': { everyMs: 2 * SECOND, full: 1, runOnce: () => sendMonthCloses(app) },
  'send-mails': {
    everyMs: 2 * SECOND,
    full: MAILS_PER_RUN,
    runOnce: () => sendMails(app, (...mail) => isMailWanted(app, ...mail)),
  },
})

/** Looks for what is due in this cell, so that its tasks can rest. */
export const buildLookout = (app: App): DueWorkCheck => ({
  names: POLLED_SWEEPS,
  everyMs: 250,
  restMs: SECOND,
  findDue: () => findDueSweeps(app),
})

// One raises the alert about the wrong clock, the other carries a stop that no time decides.
const RUN_IN_DOUBT: readonly SweepName[] = ['raise-alerts', 'follow-freeze']

/** Makes a task claim nothing while the clock is in doubt (reliability.md F45). */
const pauseInDoubt = (app: App, sweep: CellSweep): CellSweep =>
  RUN_IN_DOUBT.includes(sweep.name)
    ? sweep
    : { ...sweep, runOnce: async () => (app.witness.doubt() === null ? sweep.runOnce() : 0) }

/** Runs the checks for alerts, and mails the owners of receivers that take no webhooks. */
async function runAlerts(app: App): Promise<number> {
  const holding = await runChecks(app)
  if (app.witness.doubt() !== null) return holding
  await mailOutages(app, app.clock.now())
  await mailFailingReceivers(app, app.clock.now())
  await tendFailingAddresses(app, app.clock.now())
  return holding
}

/** Expires what waited for a second person and was not decided in time. */
const expireUndecided = async (app: App) => (await expirePrepared(app)) + (await expireApprovals(app))
const closeAll = async (app: App) => (await closeAccounts(app)) + (await endTestAccounts(app))
const checkpoint = ({ db, clock }: App) => checkpointLedgers(db, clock.now())

/** Undoes what a clock that was ahead has done: months closed too early, and times put off. */
const mendTimes = async (app: App) => (await reopenMonths(app)) + (await setBackTimes(app))

/** Copies the platform's freeze, and ends the freezes of accounts whose time has come. */
const tendFreezes = async (app: App) =>
  (await repairFreezeCopy(app)) + (app.witness.doubt() === null ? await endExpiredFreezes(app) : 0)

const FINISHERS = [finishChargeKeys, finishPayoutKeys, finishDispenseKeys, closeRevokedKeys]

/** Runs every finisher; one that fails does not stop the others. The first error is thrown when all have run. */
async function finishAllKeys(app: App): Promise<number> {
  let finished = 0
  const errors: unknown[] = []
  for (const finish of FINISHERS)
    finished += await finish(app).catch((error) => {
      errors.push(error)
      return 0
    })
  if (errors.length > 0) throw errors[0]
  return finished
}

function buildPruner(app: App): () => Promise<number> {
  const pruneKeys = newKeyPruner(app)
  return async () =>
    (await pruneKeys()) + (await pruneRecords(app)) + (await forgetSecrets(app)) + (await pruneDrafts(app))
}

const pruneRecords = async (app: App) =>
  (await pruneDeliveries(app)) +
  (await pruneCallbacks(app)) +
  (await pruneChosenEnds(app)) +
  (await pruneTold(app)) +
  (await pruneRequests(app)) +
  (await pruneFormResults(app)) +
  (await pruneFormSteps(app)) +
  (await pruneMails(app)) +
  (await pruneServiceDays(app)) +
  (await prunePeople(app)) +
  (await dropOldUploads(app)) +
  (await forgetStaged(app))

const forgetSecrets = async (app: App) => (await forgetExpiredSecrets(app)) + (await blankCommandAnswers(app))

const SET_BACK_AT_ONCE = 500

/**
 * Makes due what a clock that was ahead has put off: movements and deliveries whose next question or attempt lies further ahead than the
 * longest step. Their claims find due times by index, so these are put right instead of skipped. Returns the largest number of rows that
 * one kind had.
 */
async function setBackTimes({ db, config, clock }: App): Promise<number> {
  const now = clock.now()
  const input = { now, steps: longestSteps(config.followLadder), most: SET_BACK_AT_ONCE }
  const movements = [SET_BACK_CHARGES, SET_BACK_PAYOUTS, SET_BACK_TOP_UPS].map((statement) =>
    setBackTooFarAhead(statement, input),
  )
  const deliveries = setBackDeliveries(now, config.webhookRetryDelays, SET_BACK_AT_ONCE)
  let largest = 0
  for (const { statement, values } of [...movements, ...deliveries])
    largest = Math.max(largest, (await db.query(statement, values)).length)
  return largest
}
