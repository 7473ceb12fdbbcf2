import { type Static, Type } from 'typebox'
import { type Metadata, MetadataPart, metadataOrNull, UNREAD_METADATA } from '../../../api/http/bodies/metadata.ts'
import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { grossAmount } from '../../../payments/charges/charge-request.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { isWebAddress } from '../../payment-links/link-request.ts'
import { checkGoods, GoodsList } from './goods.ts'
import type { Goods } from './order.ts'

const Currency = Type.String({ pattern: '^UGX$', description: 'only `UGX`', default: 'UGX' })
const Reference = Type.String({
  maxLength: 255,
  description: 'your own; on the order, on the charge that pays it and on every webhook',
})
const SuccessUrl = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'http or https; offered to the customer after payment, never a proof of it',
  examples: ['https://shop.example/thanks'],
})
const Description = Type.String({ maxLength: 1000, lines: true, description: 'shown on the payment page' })

/** The payer's name that the machine is sent if there is no phone number. */
export const PayAccount = Type.String({
  maxLength: 64,
  description: 'what the machine is told about the payer when no phone paid',
})

/**
 * VendingOrderCreate (spec 2.10), in the order in which faults are reported. The reader of bodies checks machine and amount and
 * passes on the rest: goods have their own rules and texts, and later fields must not be reported before them.
 */
export const VendingOrderCreateShape = Type.Object(
  {
    machine: Type.String({
      maxLength: 64,
      description: 'number of a machine that is registered to you',
      examples: ['1707100001'],
    }),
    amount: grossAmount(1000),
    goods: GoodsList,
    currency: Type.Optional(Type.Union([Currency, Type.Null()])),
    reference: Type.Optional(Type.Union([Reference, Type.Null()])),
    success_url: Type.Optional(Type.Union([SuccessUrl, Type.Null()])),
    description: Type.Optional(Type.Union([Description, Type.Null()])),
    pay_account: Type.Optional(Type.Union([PayAccount, Type.Null()])),
    metadata: UNREAD_METADATA,
  },
  { $id: 'VendingOrderCreate' },
)

export type OrderCreateBody = Static<typeof VendingOrderCreateShape>

/** The checked fields of a new order. Goods and address keep their exact text. */
export type VendingOrderCreate = {
  machine: string
  amount: number
  goods: readonly Goods[]
  currency: string
  reference: string | null
  successUrl: string | null
  description: string | null
  payAccount: string | null
  metadata: Metadata | null
}

const TextsPart = Type.Object({
  currency: Type.Optional(Currency),
  reference: Type.Optional(Reference),
  success_url: Type.Optional(SuccessUrl),
})
const ExtrasPart = Type.Object({
  description: Type.Optional(Description),
  pay_account: Type.Optional(PayAccount),
})

/** Checks the fields that the reader of bodies passed on. Throws `invalid request: ...` with the first fault (contract.md G30). */
export function parseOrderCreate(body: OrderCreateBody): VendingOrderCreate {
  const goods = checkGoods(body.goods)
  const { currency, reference, success_url: successUrl } = parseBody(TextsPart, body)
  if (successUrl !== undefined && !isWebAddress(successUrl))
    throw invalidRequest('success_url must be an http or https URL', 'success_url')
  const { description, pay_account: payAccount } = parseBody(ExtrasPart, body)
  return {
    machine: body.machine,
    amount: body.amount,
    goods,
    currency: currency ?? 'UGX',
    reference: reference ?? null,
    successUrl: successUrl ?? null,
    description: description ?? null,
    payAccount: payAccount ?? null,
    metadata: metadataOrNull(parseBody(MetadataPart, body).metadata),
  }
}
