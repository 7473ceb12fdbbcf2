import type { App } from '../../app.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'
import { againWhileAway } from '../../platform/db/while-away.ts'
import { markAt, msBetween } from '../../platform/mark.ts'
import type { CommandAnswer } from '../suppliers/supplier.ts'
import { supplierOf } from '../suppliers/suppliers.ts'
import type { Claim } from './claim.ts'
import { commandClaim } from './move-claim.ts'
import { recordAnswer, withhold } from './record-answer.ts'

// How long recording is retried while the database is away, because only this process knows the answer. Ends within the lease.
const KEPT_MS = 20_000
// Half of the lease. A command that has not left by then is never sent; a call that has begun ends within the other half.
const UNSENT_MS = 30_000

// Commands without an answer are decided after the lease, which relies on no command leaving after SEND_WITHIN_MS.
const NOT_SENT: CommandAnswer = { kind: 'refused', code: null, message: 'it was not sent in time' }

/**
 * Sends the command of a claim, with no transaction open, and records the answer (contract.md 6.2). A command is never sent
 * twice. It is refused without being sent when the charge was refunded or vending switched off since the claim, or when this
 * process stood still after its mark. Null when another process had the claim.
 */
export async function sendCommand(app: App, claim: Claim): Promise<CommandAnswer | null> {
  crashPoint('dispense.claimed')
  const supplier = await supplierOf(app, claim)
  const mark = markAt(app.clock.now())
  const command = commandClaim(claim, mark.at)
  const [commanded] = await app.db.query(command.statement, command.values)
  if (!commanded) return withhold(app, claim)
  crashPoint('dispense.commanded')
  assertOutsideTransaction('a machine supplier')
  const isLate = () => msBetween(mark, markAt(app.clock.now())) >= UNSENT_MS
  const answer = isLate()
    ? NOT_SENT
    : await supplier.dispense({ ...claim, payerPhone: commanded.payerPhone }, isLate).catch((error) => {
        // After a throw it is unknown how far the call got.
        app.log.error({ err: error, object_id: claim.orderId }, 'a machine supplier threw')
        return { kind: 'ambiguous', message: 'internal error' } as const
      })
  crashPoint('dispense.answered')
  await againWhileAway(() => recordAnswer(app, claim, answer), KEPT_MS)
  crashPoint('dispense.recorded')
  return answer
}
