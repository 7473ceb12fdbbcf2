import { assertOutsideTransaction } from '../../../platform/db/open-transaction.ts'
import { retryWhileAway } from '../../../platform/db/retry-while-away.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { momentAt, msBetween } from '../../../platform/time/moment.ts'
import type { App } from '../../../program/app.ts'
import type { CommandReply } from '../suppliers/supplier.ts'
import { chooseSupplier } from '../suppliers/suppliers.ts'
import type { DispenseClaim } from './claim.ts'
import { commandClaim } from './move-claim.ts'
import { recordAnswer, releaseUncommandable } from './record-answer.ts'

// How long recording is retried while the database is away, because only this process knows the answer. Ends within the lease.
const RECORD_WITHIN_MS = 20_000
// Half of the lease. A command that has not left by then is never sent; a call that has begun ends within the other half.
const SEND_WITHIN_MS = 30_000

// Commands without an answer are decided after the lease, which relies on no command leaving after SEND_WITHIN_MS.
const NOT_SENT: CommandReply = { kind: 'refused', code: null, message: 'it was not sent in time' }

/**
 * Sends the command of a claim, with no transaction open, and records the answer (contract.md 6.2). A command is never sent
 * twice. It is refused without being sent when the charge was refunded or vending switched off since the claim, or when this
 * process stood still after its mark. Null when another process had the claim.
 */
export async function sendCommand(app: App, claim: DispenseClaim): Promise<CommandReply | null> {
  crashPoint('dispense.claimed')
  const supplier = await chooseSupplier(app, claim)
  const mark = momentAt(app.clock.now())
  const command = commandClaim(claim, mark.at)
  const [commanded] = await app.db.query(command.statement, command.values)
  if (!commanded) return releaseUncommandable(app, claim)
  crashPoint('dispense.commanded')
  assertOutsideTransaction('a machine supplier')
  const isLate = () => msBetween(mark, momentAt(app.clock.now())) >= SEND_WITHIN_MS
  const answer = isLate()
    ? NOT_SENT
    : await supplier.dispense({ ...claim, payerPhone: commanded.payerPhone }, isLate).catch((error) => {
        // After a throw it is unknown how far the call got.
        app.log.error({ err: error, object_id: claim.orderId }, 'a machine supplier threw')
        return { kind: 'ambiguous', message: 'internal error' } as const
      })
  crashPoint('dispense.answered')
  await retryWhileAway(() => recordAnswer(app, claim, answer), RECORD_WITHIN_MS)
  crashPoint('dispense.recorded')
  return answer
}
