import { metadataJson } from '../../api/http/bodies/metadata.ts'
import type { Call } from '../../platform/db/database.ts'
import { bigint, boolean, copyInto, jsonb, mode, text, time } from '../../platform/db/wire/copy.ts'
import type { Mode } from '../../platform/mode.ts'
import { newId } from '../../platform/text/ids.ts'
import type { PaymentLinkCreate } from './link-request.ts'
import type { PaymentLink } from './payment-link.ts'

const COPY_LINKS = copyInto<PaymentLink>('add payment links', 'payment_links', {
  merchant_id: bigint((link) => link.merchantId),
  id: text((link) => link.id),
  mode: mode((link) => link.mode),
  kind: text((link) => link.kind),
  amount: bigint((link) => link.amount),
  description: text((link) => link.description),
  reference: text((link) => link.reference),
  success_url: text((link) => link.successUrl),
  cancel_url: text((link) => link.cancelUrl),
  allow_multiple_uses: boolean((link) => link.allowMultipleUses),
  created_at: time((link) => link.createdAt),
  expires_at: time((link) => link.expiresAt),
  metadata: jsonb((link) => metadataJson(link.metadata)),
})

/** Makes a link of this merchant, switched on and without an attempt. `judgeLink` must have passed it. */
export function newLink(
  { merchantId, tag, mode }: { merchantId: number; tag: string; mode: Mode },
  input: Omit<PaymentLinkCreate, 'currency' | 'metadata'> & Partial<Pick<PaymentLinkCreate, 'metadata'>>,
  at: Date,
): PaymentLink {
  return {
    merchantId,
    id: newId('lnk_', tag),
    mode,
    kind: 'link',
    amount: input.amount,
    description: input.description,
    reference: input.reference,
    successUrl: input.successUrl,
    cancelUrl: input.cancelUrl,
    allowMultipleUses: input.allowMultipleUses,
    chargeId: null,
    switchedOffAt: null,
    expiresAt: null,
    invalidatedAt: null,
    createdAt: at,
    metadata: input.metadata ?? null,
  }
}

/** Stores new links. */
export const addLinks = (links: readonly PaymentLink[]): Call[] => COPY_LINKS.rows(links)
