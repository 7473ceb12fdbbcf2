import { type Static, Type } from 'typebox'
import { type Metadata, MetadataPart, metadataOrNull, UNREAD_METADATA } from '../../api/http/bodies/metadata.ts'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import { grossAmount } from '../../payments/charges/charge-request.ts'
import { invalidRequest } from '../../platform/refusal.ts'

const SuccessUrl = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'http or https; offered to the customer after payment, never a proof of it',
  examples: ['https://shop.example/thanks'],
})
const CancelUrl = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'http or https; where a customer goes who does not pay',
})
const AllowMultipleUses = Type.Boolean({
  default: false,
  description: 'true makes a reusable link, false one that is paid once',
})

/**
 * PaymentLinkCreate (spec 2.9), in the order in which faults are reported. The reader of bodies checks the fields up to `reference`
 * and passes on the others: addresses have their own rule and text, and later fields must not be reported before them.
 * `parseLinkCreate` reads the rest.
 */
export const PaymentLinkCreateShape = Type.Object(
  {
    amount: grossAmount(5000),
    currency: Type.Optional(Type.String({ pattern: '^UGX$', description: 'only `UGX`', default: 'UGX' })),
    description: Type.Optional(Type.String({ maxLength: 1000, lines: true, description: 'shown on the payment page' })),
    reference: Type.Optional(
      Type.String({ maxLength: 255, description: 'your own; on the charge and on every webhook' }),
    ),
    success_url: Type.Optional(Type.Union([SuccessUrl, Type.Null()])),
    cancel_url: Type.Optional(Type.Union([CancelUrl, Type.Null()])),
    allow_multiple_uses: Type.Optional(Type.Union([AllowMultipleUses, Type.Null()])),
    metadata: UNREAD_METADATA,
  },
  { $id: 'PaymentLinkCreate' },
)

export type LinkCreateBody = Static<typeof PaymentLinkCreateShape>

/** The checked fields of a new link. Addresses keep their exact text. */
export type PaymentLinkCreate = {
  amount: number
  currency: string
  description: string | null
  reference: string | null
  successUrl: string | null
  cancelUrl: string | null
  allowMultipleUses: boolean
  metadata: Metadata | null
}

const SuccessPart = Type.Object({ success_url: Type.Optional(SuccessUrl) })
const CancelPart = Type.Object({ cancel_url: Type.Optional(CancelUrl) })
const UsesPart = Type.Object({ allow_multiple_uses: Type.Optional(AllowMultipleUses) })

/** Checks the fields that the reader of bodies passed on. Throws `invalid request: ...` with the first fault (contract.md G26a). */
export function parseLinkCreate(body: LinkCreateBody): PaymentLinkCreate {
  const successUrl = parseBody(SuccessPart, body).success_url ?? null
  checkAddress('success_url', successUrl)
  const cancelUrl = parseBody(CancelPart, body).cancel_url ?? null
  checkAddress('cancel_url', cancelUrl)
  return {
    amount: body.amount,
    currency: body.currency ?? 'UGX',
    description: body.description ?? null,
    reference: body.reference ?? null,
    successUrl,
    cancelUrl,
    allowMultipleUses: parseBody(UsesPart, body).allow_multiple_uses ?? false,
    metadata: metadataOrNull(parseBody(MetadataPart, body).metadata),
  }
}

function checkAddress(field: string, address: string | null): void {
  if (address !== null && !isWebAddress(address)) throw invalidRequest(`${field} must be an http or https URL`)
}

// The scheme, exactly two slashes, and a host: browsers also accept `https:/host` and `https:///host`, other readers may
// not.
const WEB_ADDRESS = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i

/**
 * Whether a customer can be sent there: absolute, http or https, no user name or password, and no backslash before the
 * path, which parsers treat differently.
 */
export function isWebAddress(text: string): boolean {
  const host = WEB_ADDRESS.exec(text)?.[1]
  return host !== undefined && !host.includes('@') && URL.canParse(text)
}
