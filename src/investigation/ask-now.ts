import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { noteWatched } from '../rails/hints.ts'
import { readAttempt } from '../rails/read-attempt.ts'
import { followerOf } from '../reconciliation/rail-callback.ts'

const OPEN = ['sending', 'accepted', 'in_doubt']

/**
 * Has the operator asked about a payment now, by the question that was due later: it takes its place in the budget of questions like any
 * other (rails.md 4.2). It moves nothing by itself. Throws 400 for a payment that waits for no answer.
 */
export async function askNow(
  app: App,
  actor: Actor,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<void> {
  allow(actor, 'movement.ask', merchantId)
  const found = await readAttempt(app, { merchantId, id })
  if (found === null || !OPEN.includes(found.attempt.state))
    throw domainRefusal('not_open', 'this payment does not wait for an answer of its operator')
  const at = app.clock.now()
  const row = auditRow({ actor, action: 'movement.ask', at, merchantId, mode: 'live', subject: id })
  await app.db.query(row.statement, row.values)
  const { sooner, sweep } = followerOf(id)
  await noteWatched(app, { merchantId, id, sooner })
  app.nudge(sweep)
}
