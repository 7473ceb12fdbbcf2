import type { Mode } from '../merchants/merchant.ts'
import { callForRows } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId } from '../platform/ids.ts'
import type { PaymentLinkCreate } from './link-request.ts'
import type { PaymentLink } from './payment-link.ts'

const ADD_LINKS = statement(
  'add payment links',
  `insert into payment_links (merchant_id, id, mode, kind, amount, description, reference, success_url, cancel_url,
     allow_multiple_uses, created_at, expires_at)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
     $9::text[], $10::boolean[], $11::timestamptz[], $12::timestamptz[])`,
)

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
export const addLinks = (links: readonly PaymentLink[]): Call[] =>
  callForRows(ADD_LINKS, links, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id', 'mode', 'kind'),
    ...each.numbers('amount'),
    ...each.values('description', 'reference', 'successUrl', 'cancelUrl', 'allowMultipleUses'),
    ...each.times('createdAt', 'expiresAt'),
  ])
