import { bigint, boolean, copyInto, mode, text, time } from '../platform/db/copy.ts'
import type { Call } from '../platform/db/database.ts'
import { newId } from '../platform/ids.ts'
import type { Mode } from '../platform/mode.ts'
import type { PaymentLinkCreate } from './link-request.ts'
import type { PaymentLink } from './payment-link.ts'

const LINKS = copyInto<PaymentLink>('add payment links', 'payment_links', {
  merchant_id: bigint((paymentLink) => paymentLink.merchantId),
  id: text((paymentLink) => paymentLink.id),
  mode: mode((paymentLink) => paymentLink.mode),
  kind: text((paymentLink) => paymentLink.kind),
  amount: bigint((paymentLink) => paymentLink.amount),
  description: text((paymentLink) => paymentLink.description),
  reference: text((paymentLink) => paymentLink.reference),
  success_url: text((paymentLink) => paymentLink.successUrl),
  cancel_url: text((paymentLink) => paymentLink.cancelUrl),
  allow_multiple_uses: boolean((paymentLink) => paymentLink.allowMultipleUses),
  created_at: time((paymentLink) => paymentLink.createdAt),
  expires_at: time((paymentLink) => paymentLink.expiresAt),
})

/** A new link of this merchant, switched on, without an attempt. Its rules were checked before (`judgeLink`). */
export function newLink(
  { merchantId, tag, mode }: { merchantId: number; tag: string; mode: Mode },
  made: Omit<PaymentLinkCreate, 'currency'>,
  at: Date,
): PaymentLink {
  return {
    merchantId,
    id: newId('lnk_', tag),
    mode,
    kind: 'link',
    amount: made.amount,
    description: made.description,
    reference: made.reference,
    successUrl: made.successUrl,
    cancelUrl: made.cancelUrl,
    allowMultipleUses: made.allowMultipleUses,
    chargeId: null,
    switchedOffAt: null,
    expiresAt: null,
    invalidatedAt: null,
    createdAt: at,
  }
}

/** Stores new links. */
export const addLinks = (links: readonly PaymentLink[]): Call[] => LINKS.rows(links)
