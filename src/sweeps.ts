import { auditSealer, SEALED_AT_ONCE } from './actors/seal-audit.ts'
import { mailFailingReceivers, mailOutages } from './alerts/mail-failing-receivers.ts'
import { verifyAtNight } from './alerts/nightly-verify.ts'
import { runChecks } from './alerts/run-checks.ts'
import type { App, SweepName } from './app.ts'
import { expireApprovals } from './approvals/end-approval.ts'
import { finishKeys } from './charges/finish-keys.ts'
import { chargeFollower, FOLLOWED_AT_ONCE } from './charges/follow-charges.ts'
import { settleCharges } from './charges/settle-charges.ts'
import { closeAccounts } from './closing/close-accounts.ts'
import { keyPruner } from './idempotency/prune-keys.ts'
import { TAKEN_UP_AT_ONCE, takeUpPayments } from './investigation/search/take-up-payments.ts'
import { LOOKED_FOR, lookForWork } from './jobs/due-work.ts'
import { checkpointLedgers } from './ledger/checkpoints.ts'
import { MAILS_AT_ONCE, pruneMails, sendMails } from './mails/send-mails.ts'
import { closeRevokedKeys } from './merchants/close-revoked-keys.ts'
import { blankCommandAnswers } from './merchants/command-keys.ts'
import { endFreezes, followFreeze } from './merchants/payout-freeze.ts'
import { forgetExpiredSecrets } from './merchants/rotate-webhook-secret.ts'
import { CLOSES_AT_ONCE, sendDailyCloses } from './notices/daily-close.ts'
import { NOTICES_AT_ONCE, sendNotices } from './notices/send-notices.ts'
import { pruneFormResults } from './pages/form-results.ts'
import { pruneFormSteps } from './pages/form-steps.ts'
import { pruneDrafts } from './payouts/bulk/drafts/draft.ts'
import { finishBulks } from './payouts/bulk/finish-bulks.ts'
import { finishPayoutKeys } from './payouts/finish-payout-keys.ts'
import { expirePrepared } from './payouts/prepared/end-prepared.ts'
import { payoutSender, SENT_AT_ONCE } from './payouts/sending/send-payouts.ts'
import { prunePeople } from './people/prune-people.ts'
import { mapValues } from './platform/map-values.ts'
import type { Lookout, Sweep } from './platform/sweep.ts'
import { reconcileCell } from './reconciliation/reconcile.ts'
import { forgetStaged } from './reconciliation/statement-staging.ts'
import { dropOldUploads } from './reconciliation/uploaded-statements.ts'
import { workOnStatements } from './reconciliation/work-on-statements.ts'
import { reopenMonths } from './reports/statement/reopen-months.ts'
import { dayTallier, TALLIED_AT_ONCE } from './reports/tallies/tally-days.ts'
import { pruneRequests } from './requests/prune-requests.ts'
import { runSchedules } from './scheduled-payouts/run-schedules.ts'
import { SET_BACK_AT_ONCE, setBackTimes } from './set-back-times.ts'
import { topUpFollower } from './top-ups/follow-top-ups.ts'
import { pruneCallbacks } from './vending/callbacks/vendor-callbacks.ts'
import { DISPENSED_AT_ONCE, dispenser } from './vending/dispensing/dispense-orders.ts'
import { finishDispenseKeys } from './vending/dispensing/finish-dispense-keys.ts'
import { JAMS_REFUNDED_AT_ONCE, refundJams } from './vending/dispensing/refund-jams.ts'
import { tellEndings } from './verification/document-expiry.ts'
import { pruneDeliveries } from './webhooks/prune-deliveries.ts'
import { sender } from './webhooks/send-deliveries.ts'
import { tendAddresses } from './webhooks/tend-addresses.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A background task of one cell. `finish` waits for what a run has started and not awaited. */
export type CellSweep = Sweep & { name: SweepName; finish?(): Promise<void> }

/** Every background task of the product with its period. */
export function sweepsOf(app: App): CellSweep[] {
  const deliveries = sender(app)
  const charges = chargeFollower(app)
  const topUps = topUpFollower(app)
  const payouts = payoutSender(app)
  const machines = dispenser(app)
  const sealer = auditSealer(app)
  const sweeps: Record<SweepName, Omit<CellSweep, 'name'>> = {
    'follow-charges': {
      everyMs: 50,
      restMs: 250,
      full: FOLLOWED_AT_ONCE,
      runOnce: charges.start,
      finish: charges.stop,
    },
    'follow-top-ups': { everyMs: SECOND, restMs: 5 * SECOND, runOnce: topUps.start, finish: topUps.stop },
    'send-payouts': {
      everyMs: 200,
      restMs: 500,
      full: SENT_AT_ONCE,
      runOnce: payouts.start,
      finish: payouts.stop,
    },
    dispense: {
      everyMs: 500,
      full: DISPENSED_AT_ONCE,
      runOnce: machines.start,
      finish: machines.stop,
    },
    'refund-jams': { everyMs: 5 * SECOND, full: JAMS_REFUNDED_AT_ONCE, runOnce: () => refundJams(app) },
    'run-schedules': { everyMs: MINUTE, runOnce: () => runSchedules(app) },
    'settle-charges': { everyMs: HOUR, runOnce: () => settleCharges(app) },
    'send-deliveries': { everyMs: 200, runOnce: deliveries.start, finish: deliveries.stop },
    'tend-addresses': { everyMs: 250, runOnce: () => tendAddresses(app) },
    'follow-freeze': { everyMs: 5 * SECOND, runOnce: () => tendFreezes(app) },
    'finish-keys': { everyMs: 5 * SECOND, runOnce: () => finishAllKeys(app) },
    'finish-bulks': { everyMs: 2 * SECOND, runOnce: () => finishBulks(app) },
    'close-accounts': { everyMs: MINUTE, full: Number.POSITIVE_INFINITY, runOnce: () => closeAccounts(app) },
    'expire-prepared': { everyMs: MINUTE, runOnce: () => expireWaiting(app) },
    'checkpoint-ledgers': { everyMs: 5 * SECOND, restMs: 30 * SECOND, runOnce: () => checkpoint(app) },
    // Never run again at once: an open condition would be found every time.
    'raise-alerts': { everyMs: 30 * SECOND, full: Number.POSITIVE_INFINITY, runOnce: () => runAlerts(app) },
    'tally-days': { everyMs: 30 * SECOND, full: TALLIED_AT_ONCE, runOnce: dayTallier(app) },
    'send-notices': { everyMs: 30 * SECOND, full: NOTICES_AT_ONCE, runOnce: () => sendNotices(app) },
    'daily-close': { everyMs: 5 * MINUTE, full: CLOSES_AT_ONCE, runOnce: () => sendDailyCloses(app) },
    'send-mails': { everyMs: 2 * SECOND, full: MAILS_AT_ONCE, runOnce: () => sendMails(app) },
    'seal-audit': { everyMs: SECOND, full: SEALED_AT_ONCE, runOnce: sealer.runOnce, finish: sealer.stop },
    // Uses what the budget of status questions has and then rests, however many movements it compared.
    reconcile: { everyMs: MINUTE, full: Number.POSITIVE_INFINITY, runOnce: () => reconcileCell(app) },
    'import-statements': { everyMs: 2 * SECOND, restMs: 15 * SECOND, runOnce: () => workOnStatements(app) },
    verify: { everyMs: MINUTE, full: 2, runOnce: () => verifyAtNight(app) },
    'tell-endings': { everyMs: HOUR, full: 50, runOnce: () => tellEndings(app) },
    'mend-times': { everyMs: MINUTE, full: SET_BACK_AT_ONCE, runOnce: () => mendTimes(app) },
    'take-up-payments': { everyMs: MINUTE, full: TAKEN_UP_AT_ONCE, runOnce: () => takeUpPayments(app) },
    prune: { everyMs: HOUR, runOnce: pruner(app) },
  }
  return Object.values(mapValues(sweeps, (sweep, name) => restsInDoubt(app, { name, ...sweep })))
}

/** Looks for what is due in this cell, so that its tasks can rest. */
export const lookoutOf = (app: App): Lookout => ({
  names: LOOKED_FOR,
  everyMs: 250,
  restMs: SECOND,
  look: () => lookForWork(app),
})

// One raises the alert about the wrong clock, the other carries a stop that no time decides.
const NEVER_RESTS: readonly SweepName[] = ['raise-alerts', 'follow-freeze']

/** Makes a task claim nothing while the clock is in doubt (reliability.md F45). */
const restsInDoubt = (app: App, sweep: CellSweep): CellSweep =>
  NEVER_RESTS.includes(sweep.name)
    ? sweep
    : { ...sweep, runOnce: async () => (app.witness.doubt() === null ? sweep.runOnce() : 0) }

/** Runs the checks for alerts, and mails the owners of receivers that take no webhooks. */
async function runAlerts(app: App): Promise<number> {
  const holding = await runChecks(app)
  if (app.witness.doubt() !== null) return holding
  await mailOutages(app, app.clock.now())
  await mailFailingReceivers(app, app.clock.now())
  return holding
}

/** Expires what waited for a second person and was not decided in time. */
const expireWaiting = async (app: App) => (await expirePrepared(app)) + (await expireApprovals(app))
const checkpoint = ({ db, clock }: App) => checkpointLedgers(db, clock.now())

/** Undoes what a clock that was ahead has done: months closed too early, and times put off. */
const mendTimes = async (app: App) => (await reopenMonths(app)) + (await setBackTimes(app))

/** Copies the platform's freeze, and ends the freezes of accounts whose time has come. */
const tendFreezes = async (app: App) =>
  (await followFreeze(app)) + (app.witness.doubt() === null ? await endFreezes(app) : 0)

const FINISHERS = [finishKeys, finishPayoutKeys, finishDispenseKeys, closeRevokedKeys]

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

function pruner(app: App): () => Promise<number> {
  const pruneKeys = keyPruner(app)
  return async () =>
    (await pruneKeys()) + (await pruneRecords(app)) + (await forgetSecrets(app)) + (await pruneDrafts(app))
}

const pruneRecords = async (app: App) =>
  (await pruneDeliveries(app)) +
  (await pruneCallbacks(app)) +
  (await pruneRequests(app)) +
  (await pruneFormResults(app)) +
  (await pruneFormSteps(app)) +
  (await pruneMails(app)) +
  (await prunePeople(app)) +
  (await dropOldUploads(app)) +
  (await forgetStaged(app))

const forgetSecrets = async (app: App) => (await forgetExpiredSecrets(app)) + (await blankCommandAnswers(app))
