import { Type } from 'typebox'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { Refusal, unavailable } from '../../../platform/refusal.ts'
import type { ClaimState, DispenseClaim } from './claim.ts'

/** The claim of a direct dispense with its supplier's answer. */
export type AnsweredClaim = Pick<DispenseClaim, 'merchantId' | 'id' | 'machine' | 'orderId' | 'chargeId'> & {
  state: ClaimState
  /** The acceptance counted as a delivery (contract.md 3 u). */
  optimistic: boolean
  commandedAt: Date | null
  answeredAt: Date | null
  releasedAt: Date | null
  supplierCode: string | null
  supplierMessage: string | null
}

// The code with which suppliers accept a command (contract.md 6.2).
const ACCEPTED = '1'

const ANSWERED_COLUMNS = `k.merchant_id as "merchantId", k.id, k.machine, k.order_id as "orderId", k.charge_id as "chargeId", k.state, k.optimistic,
  k.commanded_at as "commandedAt", k.answered_at as "answeredAt", k.released_at as "releasedAt",
  k.supplier_code as "supplierCode", k.supplier_message as "supplierMessage"`
const LOCK_ANSWERED_CLAIM = statement<AnsweredClaim>(
  'lock direct claim',
  `select ${ANSWERED_COLUMNS} from dispense_claims k where k.merchant_id = $1 and k.id = $2 for no key update`,
)

type AnsweredClaimKey = Pick<DispenseClaim, 'merchantId' | 'id'>

/** Reads a claim and locks it for the commit that finishes its key. */
export const lockAnsweredClaim = ({ merchantId, id }: AnsweredClaimKey): Call<AnsweredClaim> =>
  call(LOCK_ANSWERED_CLAIM, merchantId, id)

/** The answer of a direct dispense (contract.md G36). */
export const DirectDispenseAnswerShape = Type.Object(
  {
    ok: Type.Literal(true),
    machine: Type.String(),
    order_id: Type.String({ description: 'your own' }),
    charge_id: Type.String(),
    vending_status: Type.Enum(['dispensing', 'dispensed'], {
      $id: 'DirectDispenseStatus',
      description:
        'what became of it is said by the report of the machine; `dispensed` at once where your supplier never reports (profile `optimistic`), or where the machine has just reported that an earlier command for this charge was delivered',
    }),
    ambiguous: Type.Boolean({
      description:
        'true when nobody knows whether the supplier took the command: it is never sent again, and the charge stays used',
    }),
    supplier_response: Type.Union([
      Type.Object({ code: Type.String(), message: Type.String() }, { $id: 'SupplierResponse' }),
      Type.Null(),
    ]),
  },
  { $id: 'DirectDispense' },
)

/** Formats the first answer, accepted or unclear, without later reports of the machine. */
export function presentDispense(claim: AnsweredClaim) {
  const { machine, orderId, chargeId, supplierCode: code, supplierMessage: message } = claim
  // The machine reported the delivery of an earlier command before this one was sent, so it is never sent.
  const stopped = claim.commandedAt === null && claim.state === 'delivered'
  return {
    ok: true,
    machine,
    order_id: orderId,
    charge_id: chargeId,
    vending_status: claim.optimistic || stopped ? 'dispensed' : 'dispensing',
    // Only an acceptance has a code without a refusal.
    ambiguous: code === null && !stopped,
    supplier_response: code === null ? null : { code, message: message ?? '' },
  }
}

/**
 * Returns the refusal if the supplier refused and the charge is free again, or if nothing was ever sent; otherwise null. A
 * later report of the machine does not take an acceptance back.
 */
export function directRefusal(claim: AnsweredClaim): Refusal | null {
  if (claim.state !== 'released') return null
  if (claim.commandedAt === null) return unavailable()
  // A refusal is recorded and releases the claim in one commit; a reported jam releases a claim that was answered before.
  if (claim.supplierCode === ACCEPTED || claim.answeredAt?.getTime() !== claim.releasedAt?.getTime()) return null
  return new Refusal(
    502,
    'supplier_error',
    `machine supplier refused the command: ${claim.supplierMessage ?? 'no reason given'}`,
  )
}
