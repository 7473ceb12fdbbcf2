import { actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { getException } from '../../payments/exceptions/any-exception.ts'
import { addExceptionNote } from '../../payments/exceptions/notes.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { Gateway } from '../../program/app.ts'
import { type Approval, PLATFORM_TAG } from './approval.ts'
import { type Asker, askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

const FIND_ACCEPTANCE = statement<{ id: string }>(
  'acceptance of a breach',
  `select id from approvals where kind = 'accept-breach' and status = 'approved' and merchant_id = $1
     and convert_from(command, 'UTF8')::jsonb->>'about' = $2`,
)

/**
 * Asks to accept one offender of one invariant: the breach is understood, and stays. `verify` counts accepted offenders apart, so that
 * they do not drown a new breach. Throws Refusal.
 */
export async function askAcceptance(
  gateway: Gateway,
  caller: Asker,
  input: { exception: string; reason: string },
): Promise<Approval> {
  allow(caller, 'breach.accept')
  const { location, exception } = await getException(gateway, input.exception)
  const { kind, subject: about, mode, merchant, id, closedAt } = exception
  if (kind !== 'ledger_breach')
    throw domainRefusal('conflict', `only a breach of the books can be accepted: this exception is ${kind}`)
  if (closedAt !== null) throw domainRefusal('conflict', 'this exception was already resolved')
  const tag = location.app === null ? PLATFORM_TAG : parseTag('exc_', id)
  if (tag === null) throw notFound('exception')
  const { merchantId, db } = location
  const command = { kind: 'accept-breach', merchant, mode, about, ...input } as const
  return askForApproval(caller, {
    ...{ db, clock: gateway.clock, merchantId, tag, mode, subject: id, command },
    async extraWrites(tx, approval, at) {
      const [[accepted]] = await tx.send(call(FIND_ACCEPTANCE, merchantId, about))
      if (accepted) throw alreadyAccepted(accepted.id)
      const note = { kind: 'asked', text: `${approval}: accept ${about}`, at, by: actorName(caller) } as const
      return [addExceptionNote({ ...note, merchantId, id })]
    },
  })
}

/** Writes only the audit: the approval is the acceptance, and `verify` reads the approved ones. A person still resolves the exception. */
export const ACCEPT_BREACH: Effect<'accept-breach'> = {
  async run({ tx, actor, merchantId, approval, command, at }) {
    const { about, exception, mode } = command
    const [[accepted]] = await tx.send(call(FIND_ACCEPTANCE, merchantId, about))
    if (accepted) throw alreadyAccepted(accepted.id)
    const act = { actor, action: 'breach.accept', at, subject: exception } as const
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    return [auditRow({ ...act, ...whose, after: { about, approval } })]
  },
}

const alreadyAccepted = (id: string) => domainRefusal('conflict', `this breach was accepted already, by ${id}`)
