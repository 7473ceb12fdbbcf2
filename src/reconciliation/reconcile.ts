import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { checkFloats } from './float.ts'
import { checkInternal } from './internal.ts'
import { type Leg, sumLegs } from './leg.ts'
import { leftToLookAt, reviewReferences } from './references.ts'
import { reportSilence } from './silence.ts'

// For so long one run waits for questions that the followers leave over.
const PATIENCE_MS = 60_000
const HOUR_MS = 3_600_000

const BEGIN = statement(
  'begin hourly reconciliation',
  `insert into reconciliation_runs (begun_at) values ($1) on conflict (one) do update set begun_at = excluded.begun_at
   where reconciliation_runs.begun_at <= excluded.begun_at - interval '1 hour' returning 1`,
)

/** The legs that need no file, now and in full: for staff who run it on demand (rails.md 5). */
export async function reconcileNow(gateway: Gateway, actor: Actor): Promise<Leg[]> {
  allow(actor, 'reconcile.run')
  const act = { actor, action: 'reconcile.run', at: gateway.clock.now(), merchantId: null } as const
  const begun = auditRow({ ...act, subject: null })
  await gateway.directory.query(begun.statement, begun.values)
  const internal = sumLegs('internal', await Promise.all(gateway.cells.map(checkInternal)))
  const references = sumLegs('references', await Promise.all(gateway.cells.map(reviewNow)))
  return [internal, references, await checkFloats(gateway)]
}

async function reviewNow(app: App): Promise<Leg> {
  const leg = await reviewReferences(app, PATIENCE_MS)
  const { opened, closed } = await reportSilence(app, app.config.unresolvedHours * HOUR_MS)
  const left = await leftToLookAt(app)
  return { ...leg, opened: leg.opened + opened, closed: leg.closed + closed, left }
}

/**
 * The background task of one cell. What has ended is looked at all the time, as the budget of questions allows; the other legs
 * run once an hour, whatever number of workers there is. The first cell compares the wallets. Answers how much was looked at.
 */
export async function reconcileCell(app: App): Promise<number> {
  if (app.rails.live.op1_momo === undefined) return 0
  const references = await reviewReferences(app, PATIENCE_MS)
  const [begun] = await app.db.query(BEGIN, [app.clock.now().toISOString()])
  if (begun === undefined) return references.lookedAt
  const internal = await checkInternal(app)
  await reportSilence(app, app.config.unresolvedHours * HOUR_MS)
  const cells = app.allCells()
  const floats = cells[0] === app ? await checkFloats({ ...app, cells }) : null
  return internal.lookedAt + references.lookedAt + (floats?.lookedAt ?? 0)
}
