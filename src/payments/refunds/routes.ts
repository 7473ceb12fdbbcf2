import { Type } from 'typebox'
import { METADATA_CREATE, MetadataShape, metadataOrNull } from '../../api/http/bodies/metadata.ts'
import { endpoint, jsonAnswer, tagEndpoints } from '../../api/http/endpoint.ts'
import type { App } from '../../program/app.ts'
import { PayoutStatusShape } from '../payouts/payout.ts'
import { presentRefund } from './present-refund.ts'
import { refundCharge } from './refund-charge.ts'

const RefundPayoutShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `pout_`: the payout that brings the money back' }),
    amount: Type.Integer({ minimum: 1 }),
    fee: Type.Integer({ minimum: 0, description: 'of the payout; the fee of the charge comes back when it succeeds' }),
    currency: Type.Literal('UGX'),
    recipient_phone: Type.String(),
    status: PayoutStatusShape,
    metadata: MetadataShape,
  },
  { $id: 'RefundPayout' },
)

/** RefundResult (spec 2.3; contract.md G9): one schema, because generators of clients make one type of an answer (decision 49). */
const RefundShape = Type.Object(
  {
    charge_id: Type.String(),
    status: Type.Enum(['refunded'], { $id: 'RefundStatus' }),
    gift_card_restored: Type.Integer({ minimum: 0, description: 'what went back to a gift card, whole UGX' }),
    refund: Type.Union([RefundPayoutShape, Type.Null()], {
      description: 'null with 200: nothing was paid by mobile money, so there is no payout',
    }),
  },
  { $id: 'Refund' },
)

const RefundCreateShape = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'only to make sure: a charge is refunded in full, and any other amount than that of the charge is refused',
        examples: [5000],
      }),
    ),
    metadata: METADATA_CREATE,
  },
  { $id: 'RefundCreate' },
)

export const refundEndpoints = tagEndpoints('Charges', [
  endpoint<App, typeof RefundCreateShape>({
    method: 'POST',
    path: '/v1/charges/:id/refund',
    name: 'refundCharge',
    summary: 'Refund a charge in full',
    description:
      'The customer gets the full amount back by a payout. A 202 means started, not paid: follow the payout. What a gift card has paid is back on the card at once; where it has paid all, that is the whole refund, and the answer is 200. `metadata` is kept with the payout, not with the charge: without a payout nothing keeps it.',
    action: 'charge.refund',
    rate: 'refunds',
    rateKind: 'batch',
    idempotency: 'ignored',
    params: Type.Object({ id: Type.String({ description: 'starts with `txn_`' }) }),
    body: RefundCreateShape,
    bodyMayBeMissing: true,
    answers: {
      200: { description: 'a gift card had paid all of it and has it back', schema: RefundShape },
      202: { description: 'the refund has started', schema: RefundShape },
    },
    refusals: { 503: 'rail_unavailable: nothing was written; retry shortly' },
    async handle(app, { caller, params, body: { amount, metadata } }) {
      const input = { chargeId: params.id ?? '', amount, metadata: metadataOrNull(metadata) }
      const refunded = await refundCharge(app, caller, input)
      return jsonAnswer(refunded.payout === null ? 200 : 202, presentRefund(refunded), refunded.charge.id)
    },
  }),
])
