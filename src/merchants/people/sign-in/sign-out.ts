import type { SignedInActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { notFound } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { ownAccountRow } from '../accounts.ts'
import { endSession } from '../write-sessions.ts'

/** Ends one of the caller's own sessions: this one, or that of another browser. Throws 404. */
export async function endOwnSession(gateway: Gateway, caller: SignedInActor, sessionId: string): Promise<void> {
  allow(caller, 'account.sessions')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [ended] = await tx.send(endSession(caller.personId, sessionId))
    if (ended.length === 0) throw notFound('session')
    return { value: null, last: [ownAccountRow(caller, { action: 'account.sessions', at, subject: sessionId })] }
  })
}
