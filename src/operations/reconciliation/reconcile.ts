import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App, Gateway } from '../../program/app.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import { checkFloats, type Wallets } from './float.ts'
import { checkInternal } from './internal.ts'
import { type Leg, sumLegs } from './leg.ts'
import { countLeftToReview, reviewReferences } from './references.ts'
import { addRequestedRun, addRun, claimRequestedReconciliation, finishRequestedReconciliation } from './run-log.ts'
import { reportSilence } from './silence.ts'

// How long one run waits for questions that the followers leave over.
const PATIENCE_MS = 60_000
const HOUR_MS = 3_600_000

const BEGIN_HOURLY_RUN = statement(
  'begin hourly reconciliation',
  `insert into reconciliation_runs (begun_at) values ($1) on conflict (one) do update set begun_at = excluded.begun_at
   where excluded.begun_at - reconciliation_runs.begun_at >= interval '1 hour' or reconciliation_runs.begun_at > $2 returning 1`,
)

/** Runs the legs that need no file, now and in full: for staff who run them on demand (rails.md 5). */
export async function reconcileNow(gateway: Gateway, actor: Actor): Promise<Leg[]> {
  allow(actor, 'reconcile.run')
  const begunAt = gateway.clock.now()
  const act = { actor, action: 'reconcile.run', at: begunAt, merchantId: null } as const
  const begun = auditRow({ ...act, subject: null })
  await gateway.directory.query(begun.statement, begun.values)
  const legs = await runAllLegs(gateway)
  const run = { kind: 'asked', place: 'all', by: actorName(actor), file: null, begunAt } as const
  const ended = addRun({ ...run, endedAt: gateway.clock.now() }, legs)
  await gateway.directory.query(ended.statement, ended.values)
  return legs
}

/**
 * Requests a comparison from the workers, and returns at once: it may wait a minute for the operator. Throws 409 when one is under way.
 */
export async function requestReconciliation(gateway: Gateway, actor: Actor): Promise<void> {
  allow(actor, 'reconcile.run')
  const at = gateway.clock.now()
  const asking = addRequestedRun(actorName(actor), at)
  await gateway.directory.transaction(async (tx) => {
    const [[asked]] = await tx.send(asking)
    if (!asked) throw new Refusal(409, 'conflict', 'a comparison was asked for already and is under way')
    const act = { actor, action: 'reconcile.run', at, merchantId: null } as const
    return { value: null, last: [auditRow({ ...act, subject: asked.id })] }
  })
  for (const app of gateway.cells) app.nudge('reconcile')
}

async function runAllLegs(gateway: Wallets): Promise<Leg[]> {
  const internal = sumLegs('internal', await Promise.all(gateway.cells.map(checkInternal)))
  const references = sumLegs('references', await Promise.all(gateway.cells.map(reviewNow)))
  return [internal, references, await checkFloats(gateway)]
}

/** Runs a comparison that staff requested on the console. One that a dead process began is begun again. */
async function runRequested(app: App): Promise<void> {
  const claiming = claimRequestedReconciliation(app.clock.now())
  const [asked] = await app.directory.query(claiming.statement, claiming.values)
  if (!asked) return
  const legs = await runAllLegs({ ...app, cells: app.allCells() })
  const ended = finishRequestedReconciliation(asked.id, legs, app.clock.now())
  await app.directory.query(ended.statement, ended.values)
}

async function reviewNow(app: App): Promise<Leg> {
  const leg = await reviewReferences(app, PATIENCE_MS)
  const { opened, closed } = await reportSilence(app, app.config.unresolvedHours * HOUR_MS)
  const left = await countLeftToReview(app)
  return { ...leg, opened: leg.opened + opened, closed: leg.closed + closed, left }
}

/**
 * The background task of one cell. Finished movements are reviewed all the time, as the budget of questions allows; the other legs run
 * once an hour, however many workers there are. The first cell compares the wallets. Returns how much was compared.
 */
export async function reconcileCell(app: App): Promise<number> {
  const cells = app.allCells()
  if (cells[0] === app) await runRequested(app)
  if (!hasLiveRail(app)) return 0
  const references = await reviewReferences(app, PATIENCE_MS)
  const [begun] = await app.db.query(BEGIN_HOURLY_RUN, [
    app.clock.now().toISOString(),
    latestPlausibleTime(app.clock.now(), 0).toISOString(),
  ])
  if (begun === undefined) return references.lookedAt
  const begunAt = app.clock.now()
  const internal = await checkInternal(app)
  await reportSilence(app, app.config.unresolvedHours * HOUR_MS)
  const floats = cells[0] === app ? await checkFloats({ ...app, cells }) : null
  const run = { kind: 'hourly', place: app.cell, by: null, file: null, begunAt } as const
  const legs = [internal, references, ...(floats === null ? [] : [floats])]
  const ended = addRun({ ...run, endedAt: app.clock.now() }, legs)
  await app.directory.query(ended.statement, ended.values)
  return internal.lookedAt + references.lookedAt + (floats?.lookedAt ?? 0)
}
