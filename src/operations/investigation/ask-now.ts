import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { hurryQuestion } from '../../rails/callbacks.ts'
import { followerOf } from '../reconciliation/rail-callback.ts'

/**
 * Asks the operator about a payment now, by bringing forward the question that was due later. It takes its turn in the budget of
 * questions like any other (rails.md 4.2) and moves nothing by itself. Throws 400 for a payment that waits for no answer.
 */
export async function askNow(
  app: App,
  actor: Actor,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<void> {
  allow(actor, 'movement.ask', merchantId)
  const { sooner, sweep } = followerOf(id)
  await app.db.transaction(async (tx) => {
    const now = app.clock.now()
    // Decided on the locked rows, so that an answer that arrives at this moment wins.
    if (!(await hurryQuestion(tx, { merchantId, id, sooner, now })))
      throw domainRefusal('not_open', 'this payment does not wait for an answer of its operator')
    const row = auditRow({ actor, action: 'movement.ask', at: now, merchantId, mode: 'live', subject: id })
    return { value: null, last: [row] }
  })
  app.nudge(sweep)
}
