import { nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { getException } from '../exceptions/any-exception.ts'
import { addExceptionNote } from '../exceptions/notes.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { domainRefusal, notFound } from '../platform/refusal.ts'
import { type Approval, PLATFORM_TAG } from './approval.ts'
import { type Asker, ask } from './ask.ts'
import type { Effect } from './effect.ts'

const ACCEPTED = statement<{ id: string }>(
  'acceptance of a breach',
  `select id from approvals where kind = 'accept-breach' and status = 'approved' and merchant_id = $1
     and convert_from(command, 'UTF8')::jsonb->>'about' = $2`,
)

/**
 * Asks for one offender of one invariant to be accepted: what is wrong with it is known, and stays. `verify` counts it apart from then on,
 * and a new breach is not drowned by it. Throws Refusal.
 */
export async function askAcceptance(
  gateway: Gateway,
  caller: Asker,
  wanted: { exception: string; reason: string },
): Promise<Approval> {
  allow(caller, 'breach.accept')
  const { place, exception } = await getException(gateway, wanted.exception)
  const { kind, subject: about, mode, merchant, id, closedAt } = exception
  if (kind !== 'ledger_breach')
    throw domainRefusal('conflict', `only a breach of the books can be accepted: this exception is ${kind}`)
  if (closedAt !== null) throw domainRefusal('conflict', 'this exception was already resolved')
  const tag = place.app === null ? PLATFORM_TAG : tagOf('exc_', id)
  if (tag === null) throw notFound('exception')
  const { merchantId, db } = place
  const command = { kind: 'accept-breach', merchant, mode, about, ...wanted } as const
  return ask(caller, {
    ...{ db, clock: gateway.clock, merchantId, tag, mode, subject: id, command },
    async along(tx, approval, at) {
      const [[accepted]] = await tx.send(call(ACCEPTED, merchantId, about))
      if (accepted) throw alreadyAccepted(accepted.id)
      const note = { kind: 'asked', text: `${approval}: accept ${about}`, at, by: nameOf(caller) } as const
      return [addExceptionNote({ ...note, merchantId, id })]
    },
  })
}

/** The approval is the acceptance: `verify` reads those that are approved. The exception is resolved by a person, as any other. */
export const ACCEPT_BREACH: Effect<'accept-breach'> = {
  async run({ tx, actor, merchantId, approval, command, at }) {
    const { about, exception, mode } = command
    const [[accepted]] = await tx.send(call(ACCEPTED, merchantId, about))
    if (accepted) throw alreadyAccepted(accepted.id)
    const act = { actor, action: 'breach.accept', at, subject: exception } as const
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    return [auditRow({ ...act, ...whose, after: { about, approval } })]
  },
}

const alreadyAccepted = (id: string) =>
  domainRefusal('conflict', `this breach was accepted already, by ${id}`)
