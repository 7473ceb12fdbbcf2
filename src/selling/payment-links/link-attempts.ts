import type { ChargeStatus } from '../../payments/charges/charge.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { PAYMENT_LINK_COLUMNS, type PaymentLink } from './payment-link.ts'

/** The charge that an earlier sending of the same form has made. `voided`: it was taken back; its id cannot be used again. */
export type FormCharge = { id: string; paymentLinkId: string | null; voided: boolean }

const LOCK_LINK_FOR_SHARE = statement<PaymentLink>(
  'share payment link',
  `select ${PAYMENT_LINK_COLUMNS} from payment_links l where l.merchant_id = $1 and l.id = $2 for share of l`,
)
const ATTEMPT_HOLDING = statement<{ id: string; status: ChargeStatus }>(
  'attempt that holds payment link',
  `select c.id, c.status from payment_links l join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id
   where l.merchant_id = $1 and l.id = $2 and c.voided_at is null`,
)
const CHARGE_OF_FORM = statement<FormCharge>(
  'charge of form',
  `select c.id, c.payment_link_id as "paymentLinkId", c.voided_at is not null as voided from charges c
   where c.merchant_id = $1 and c.id = $2`,
)

/** Reads a link and keeps it from being switched off until the commit; other payments of it do not wait. */
export const shareLink = (merchantId: number, id: string): Call<PaymentLink> =>
  call(LOCK_LINK_FOR_SHARE, merchantId, id)

/**
 * Reads the attempt that holds a one-shot link, open, paid or failed, unless it was taken back. Sent as a separate statement
 * after the lock of the link: a join there would see the charge as it was before the wait.
 */
export const attemptHolding = (merchantId: number, id: string): Call<{ id: string; status: ChargeStatus }> =>
  call(ATTEMPT_HOLDING, merchantId, id)

/** Reads the charge that an earlier sending of this form has made, if any. */
export const chargeOfForm = (merchantId: number, chargeId: string | null): Call<FormCharge> =>
  call(CHARGE_OF_FORM, merchantId, chargeId)
