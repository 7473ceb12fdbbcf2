import { type Static, Type } from 'typebox'
import { type Metadata, MetadataShape, presentMetadata } from '../../api/http/bodies/metadata.ts'
import { expandedMember } from '../../api/http/expand.ts'
import type { ChargeStatus } from '../../payments/charges/charge.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'

/** A row of `payment_links`: an amount that a customer can pay on a hosted page. Whole UGX; times are UTC. */
export type PaymentLink = {
  merchantId: number
  id: string
  mode: Mode
  /** An `order` belongs to the vending order with its id; the endpoints of links never show one (contract.md G26b). */
  kind: 'link' | 'order'
  amount: number
  description: string | null
  reference: string | null
  successUrl: string | null
  cancelUrl: string | null
  allowMultipleUses: boolean
  /** The attempt that holds a one-shot link; null for a reusable one. */
  chargeId: string | null
  switchedOffAt: Date | null
  /** For an order: when it expires, and when it was invalidated. */
  expiresAt: Date | null
  invalidatedAt: Date | null
  createdAt: Date
  /** Copied to each charge that is made on it. */
  metadata: Metadata | null
}

/** A link with the charges that decide its status. */
export type LinkWithCharges = PaymentLink & {
  /** The charge that holds the link, unless it was taken back. */
  attempt: { id: string; status: ChargeStatus } | null
  /** The newest charge that ever succeeded. */
  paid: { id: string; status: 'succeeded' | 'refunded' } | null
}

export const PAYMENT_LINK_COLUMNS = `l.merchant_id as "merchantId", l.id, l.mode, l.kind, l.amount, l.description, l.reference,
  l.success_url as "successUrl", l.cancel_url as "cancelUrl", l.allow_multiple_uses as "allowMultipleUses",
  l.charge_id as "chargeId", l.switched_off_at as "switchedOffAt", l.expires_at as "expiresAt",
  l.invalidated_at as "invalidatedAt", l.created_at as "createdAt",
  l.metadata`

const LINK_STATUSES = ['pending', 'authorized', 'succeeded', 'refunded', 'failed', 'active', 'inactive'] as const
export type LinkStatus = (typeof LINK_STATUSES)[number]

const textOrNull = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])

/** The link as create, by-id and list show it (contract.md G26). */
export const LinkShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `lnk_`' }),
    url: Type.String({ format: 'uri', description: 'the payment page: send your customer there' }),
    mode: ModeShape,
    amount: Type.Integer({ minimum: 1, description: 'whole UGX' }),
    currency: Type.Literal('UGX'),
    description: textOrNull(),
    reference: textOrNull(),
    success_url: textOrNull(),
    cancel_url: textOrNull(),
    allow_multiple_uses: Type.Boolean(),
    is_active: Type.Boolean({ description: 'false once it is switched off' }),
    status: Type.Enum([...LINK_STATUSES], {
      $id: 'PaymentLinkStatus',
      description:
        'of a reusable link `active` or `inactive`; of a one-shot one where its payment stands: `pending` nobody pays, `authorized` a customer is being asked, `failed` and may be tried again',
    }),
    transaction_status: Type.Union(
      [Type.Enum(['succeeded', 'refunded'], { $id: 'PaymentLinkTransactionStatus' }), Type.Null()],
      {
        description: 'null until it is paid; of a reusable link its newest payment',
      },
    ),
    charge_id: textOrNull('the `txn_` that paid it; of a reusable link the newest'),
    charge: expandedMember('Charge'),
    qr_png_url: Type.String({ format: 'uri', description: 'public' }),
    qr_svg_url: Type.String({ format: 'uri', description: 'public' }),
    created_at: Type.String({ format: 'date-time' }),
    metadata: MetadataShape,
    hint: Type.Optional(
      Type.String({
        description:
          'only in the answer that made it, where no customer can pay its amount: why, for a person; its words may change',
      }),
    ),
  },
  { $id: 'PaymentLink' },
)
type LinkView = Static<typeof LinkShape>

/** The status of a link (contract.md 3 t). It is computed from charges and the switch, never stored. */
export function linkStatus({
  allowMultipleUses,
  attempt,
  paid,
  switchedOffAt,
}: Pick<LinkWithCharges, 'allowMultipleUses' | 'attempt' | 'paid' | 'switchedOffAt'>): LinkStatus {
  // A paid one-shot link shows its payment even if it was switched off.
  if (!allowMultipleUses && paid !== null) return paid.status
  if (switchedOffAt !== null) return 'inactive'
  if (allowMultipleUses) return 'active'
  if (attempt === null) return 'pending'
  // The prompt counts as sent from the moment the charge is stored.
  return attempt.status === 'pending' ? 'authorized' : attempt.status
}

/** Whether an order's link has expired or was invalidated (contract.md G41a). Other links never are. */
export const isLinkExpired = (
  { expiresAt, invalidatedAt }: Pick<PaymentLink, 'expiresAt' | 'invalidatedAt'>,
  at: Date,
) => invalidatedAt !== null || (expiresAt !== null && expiresAt <= at)

/** Formats a link for the API. `baseUrl` has no slash at its end. */
export function presentLink(link: LinkWithCharges, baseUrl: string): LinkView {
  const url = linkUrl(link, baseUrl)
  return {
    id: link.id,
    url,
    mode: link.mode,
    amount: link.amount,
    currency: 'UGX',
    description: link.description,
    reference: link.reference,
    success_url: link.successUrl,
    cancel_url: link.cancelUrl,
    allow_multiple_uses: link.allowMultipleUses,
    is_active: link.switchedOffAt === null,
    status: linkStatus(link),
    transaction_status: link.paid?.status ?? null,
    charge_id: link.paid?.id ?? null,
    qr_png_url: `${url}/qr.png`,
    qr_svg_url: `${url}/qr.svg`,
    created_at: link.createdAt.toISOString(),
    metadata: presentMetadata(link.metadata),
  }
}

/** The address of the payment page, which is also the content of the QR code. */
export const linkUrl = ({ id }: Pick<PaymentLink, 'id'>, baseUrl: string) => `${baseUrl}/pay/${id}`
