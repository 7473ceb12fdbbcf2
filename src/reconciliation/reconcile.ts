import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { checkFloats } from './float.ts'
import { checkInternal } from './internal.ts'
import { type Leg, sumLegs } from './leg.ts'
import { reviewReferences } from './references.ts'
import { reportSilence } from './silence.ts'

// For so long one run waits for questions that the followers leave over.
const PATIENCE_MS = 60_000
const HOUR_MS = 3_600_000

/** The legs that need no file, now and in full: for staff who run it on demand (rails.md 5). */
export async function reconcileNow(gateway: Gateway, actor: Actor): Promise<Leg[]> {
  allow(actor, 'reconcile.run')
  const act = { actor, action: 'reconcile.run', at: gateway.clock.now(), merchantId: null } as const
  const begun = auditRow({ ...act, subject: null })
  await gateway.directory.query(begun.statement, begun.values)
  const internal = sumLegs('internal', await Promise.all(gateway.cells.map(checkInternal)))
  const references = sumLegs('references', await Promise.all(gateway.cells.map((app) => reviewOf(app))))
  return [internal, references, await checkFloats(gateway)]
}

async function reviewOf(app: App): Promise<Leg> {
  const leg = await reviewReferences(app, PATIENCE_MS)
  const { opened, closed } = await reportSilence(app, app.config.unresolvedHours * HOUR_MS)
  return { ...leg, opened: leg.opened + opened, closed: leg.closed + closed }
}

/** The background task of one cell, every hour; the first cell compares the wallets. Answers how much was looked at. */
export async function reconcileCell(app: App): Promise<number> {
  if (app.rails.live.op1_momo === undefined) return 0
  const internal = await checkInternal(app)
  const references = await reviewOf(app)
  const cells = app.allCells()
  const floats = cells[0] === app ? await checkFloats({ ...app, cells }) : null
  return internal.lookedAt + references.lookedAt + (floats?.lookedAt ?? 0)
}
