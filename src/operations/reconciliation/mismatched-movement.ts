import type { OpenedException } from '../../payments/exceptions/resolve-exception.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { RailSide } from '../../rails/rail.ts'

/** A live movement of which its operator reports something other than we asked for. */
export type MismatchedMovement = {
  id: string
  reference: string
  installation: string
  side: RailSide
  isOpen: boolean
  /** Whether it may still be on its way to the operator: queued, or being posted. */
  isLeaving: boolean
  /** The amount in our books. Whole UGX. */
  amount: number
  giftCardAmount: number | null
  subaccountId: string | null
}

const FIND = statement<MismatchedMovement>(
  'movement that was told differently',
  `select a.subject as id, a.id as reference, a.installation, a.side, a.state not in ('accepted', 'in_doubt') as "isLeaving",
     coalesce(c.voided_at, p.voided_at, t.voided_at) is null
       and coalesce(c.status, p.status, t.status) in ('pending', 'authorized') as "isOpen",
     coalesce(c.amount - c.gift_card_amount, p.amount, t.amount)::float8 as amount,
     c.gift_card_amount::float8 as "giftCardAmount", p.subaccount_id as "subaccountId"
   from rail_attempts a
   left join charges c on c.merchant_id = a.merchant_id and c.id = a.subject
   left join payouts p on p.merchant_id = a.merchant_id and p.id = a.subject
   left join top_ups t on t.merchant_id = a.merchant_id and t.id = a.subject
   where a.merchant_id = $1 and a.subject = $2`,
)

export const findMismatchedMovement = (merchantId: number, id: string): Call<MismatchedMovement> =>
  call(FIND, merchantId, id)

/** The outcome: the amount that the operator says it moved, and the correction of the difference. */
type MismatchOutcome = { moved: number; number: string | null; direction: 'in' | 'out'; amount: number }

/** Computes how this exception ends its movement. Throws a refusal that says why it cannot. */
export function judgeMismatch(exception: OpenedException, movement: MismatchedMovement | undefined): MismatchOutcome {
  const { kind, details } = exception
  if (kind !== 'mismatch')
    throw domainRefusal(
      'conflict',
      `only a movement of which its operator reports another amount can be ended so: this exception is ${kind}`,
    )
  if (!movement?.isOpen) throw domainRefusal('conflict', 'this movement has ended: there is nothing to end any more')
  if (movement.isLeaving) throw domainRefusal('conflict', 'this movement is being sent just now: look at it again')
  const moved = parseMoved(details, movement.amount)
  const isMore = moved > movement.amount
  const isIn = movement.side === 'collect' ? isMore : !isMore
  return {
    ...{ moved, number: typeof details.number === 'string' ? details.number : null },
    ...{ direction: isIn ? 'in' : 'out', amount: Math.abs(moved - movement.amount) },
  }
}

/** The amount that the operator says it moved: ours, where only something else differs. */
function parseMoved({ amount, currency, rail_said: listed, differs }: Record<string, unknown>, ours: number): number {
  if (typeof currency === 'string' && currency !== 'UGX')
    throw domainRefusal('conflict', `its operator reports ${currency}: what it moved cannot be told in UGX`)
  if (typeof differs === 'object' && differs !== null && !('amount' in differs)) return ours
  const moved = amount ?? listed
  if (typeof moved !== 'number' || !Number.isSafeInteger(moved) || moved < 0)
    throw domainRefusal('conflict', 'its operator does not say what it moved')
  return moved
}
