import type { App } from '../app.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { assertOutsideTransaction } from '../platform/db/open-transaction.ts'
import { statement } from '../platform/db/statement.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import type { Claim } from './claim.ts'
import { recordAnswer, withhold } from './record-answer.ts'
import type { CommandAnswer } from './supplier.ts'
import { supplierOf } from './suppliers.ts'

// From this commit on the command may have left: it is never sent again by the program (VE4). The charge is held by this
// statement: a claim may have waited for a minute after its process died, and nothing is commanded after a refund (VE3).
const COMMAND = statement<{ payerPhone: string | null }>(
  'command dispense',
  `with paid as materialized (
     select c.phone from dispense_claims d join charges c on c.merchant_id = d.merchant_id and c.id = d.charge_id
     where d.merchant_id = $1 and d.id = $2 and c.status = 'succeeded' for share of c)
   update dispense_claims k set state = 'commanding', commanded_at = $3, lease_until = $4
   from paid where k.merchant_id = $1 and k.id = $2 and k.state = 'claimed'
     and exists (select 1 from merchants m where m.id = $1 and m.vending_enabled) returning paid.phone as "payerPhone"`,
)

// The call itself takes 30 s at most; after this whoever made it is gone, and nobody knows what became of it.
const COMMAND_LEASE_MS = 60_000
// Within the lease: what was heard is known to this process alone, and is kept while the database is away.
const KEPT_MS = 20_000

/**
 * Sends the command of a claim, at most once for ever, with no transaction open, and records what was heard (contract.md 6.2).
 * Refused without being sent when the charge was refunded or vending switched off since the claim. Null when somebody else
 * had the claim.
 */
export async function sendCommand(app: App, claim: Claim): Promise<CommandAnswer | null> {
  crashPoint('dispense.claimed')
  const supplier = await supplierOf(app, claim)
  const at = app.clock.now()
  const [sent] = await app.db.query(COMMAND, [
    claim.merchantId,
    claim.id,
    at.toISOString(),
    new Date(at.getTime() + COMMAND_LEASE_MS).toISOString(),
  ])
  if (!sent) return withhold(app, claim)
  crashPoint('dispense.commanded')
  assertOutsideTransaction('a machine supplier')
  const answer = await supplier.dispense({ ...claim, payerPhone: sent.payerPhone }).catch((error) => {
    // Nobody can say how far a throw got.
    app.log.error({ err: error, object_id: claim.orderId }, 'a machine supplier threw')
    return { kind: 'ambiguous', message: 'internal error' } as const
  })
  crashPoint('dispense.answered')
  await againWhileAway(() => recordAnswer(app, claim, answer), KEPT_MS)
  crashPoint('dispense.recorded')
  return answer
}
