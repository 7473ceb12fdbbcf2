import { type Metadata, metadataJson } from '../../api/http/bodies/metadata.ts'
import { chargeFee } from '../../ledger/fees.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { addEvents } from '../../merchants/webhooks/events.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { newAscendingId, uuidFor } from '../../platform/text/ids.ts'
import { lastNine } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { SENDING_MS } from '../../rails/posting/repost-times.ts'
import { DEFAULT_CHANNEL } from '../../rails/rail.ts'
import type { Charge } from './charge.ts'
import { chargeEventJson } from './charge-json.ts'
import { phoneDigest } from './write-charges.ts'

/** The choices of a customer on a hosted page. Whole UGX; `giftCardAmount` is the part of `amount` that a gift card covers. */
export type CheckoutInput = {
  merchantId: number
  tag: string
  mode: Mode
  linkId: string
  paysOnce: boolean
  /** Comes from the form, so that the same form makes the same charge; null draws a random one. */
  chargeId: string | null
  amount: number
  giftCardAmount: number
  channel: string
  phone: string | null
  email: string | null
  reference: string | null
  /** That of its link. */
  metadata: Metadata | null
}

/** A charge created on a link. `railReference` is null where a gift card covers all of it, because then no rail is asked. */
export type CheckoutCharge = Charge & {
  paysOnce: boolean
  published: boolean
  followAt: Date | null
  endChosen: boolean
}

const ADD_CHECKOUT_CHARGE = statement<{ id: string }>(
  'add checkout charge',
  `insert into charges (merchant_id, id, mode, status, amount, fee, gift_card_amount, channel, phone, phone9, email, reference,
     rail_reference, payment_link_id, pays_once, published, created_at, completed_at, follow_at, hold_until, settled_at, phone_digest, metadata)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $18, $18, $20, $21)`,
)

/** Makes the row of a payment by mobile money, for all of the amount or for the part that the gift card leaves. */
export function newCheckoutCharge(app: App, input: CheckoutInput, at: Date): CheckoutCharge {
  const live = input.mode === 'live'
  const charge = checkoutChargeBase(input, at)
  return {
    ...charge,
    status: live ? 'pending' : 'authorized',
    fee: chargeFee(input.amount - input.giftCardAmount),
    railReference: uuidFor(charge.id),
    published: !live,
    followAt: new Date(at.getTime() + (live ? SENDING_MS : app.config.sandboxOutcomeSeconds * 1000)),
  }
}

/** Makes the row of a payment that a gift card covers in full: succeeded and settled from the start, without a transfer (3 k). */
export function newCoveredCharge(input: CheckoutInput, at: Date): CheckoutCharge {
  return {
    ...checkoutChargeBase({ ...input, channel: DEFAULT_CHANNEL }, at),
    status: 'succeeded',
    fee: 0,
    railReference: null,
    published: true,
    completedAt: at,
    holdUntil: at,
    settledAt: at,
    followAt: null,
  }
}

type CheckoutChargeBase = Omit<CheckoutCharge, 'status' | 'fee' | 'railReference' | 'published' | 'followAt'>

function checkoutChargeBase(input: CheckoutInput, at: Date): CheckoutChargeBase {
  return {
    merchantId: input.merchantId,
    id: input.chargeId ?? newAscendingId('txn_', input.tag, at),
    mode: input.mode,
    amount: input.amount,
    giftCardAmount: input.giftCardAmount,
    shares: null,
    channel: input.channel,
    phone: input.phone,
    email: input.email,
    customerName: null,
    metadata: input.metadata,
    reference: input.reference,
    railTransactionId: null,
    failureReason: null,
    paymentLinkId: input.linkId,
    paysOnce: input.paysOnce,
    refundId: null,
    createdAt: at,
    completedAt: null,
    refundedAt: null,
    holdUntil: null,
    settledAt: null,
    endChosen: false,
  }
}

export const addCheckoutCharge = (charge: CheckoutCharge): Call =>
  call(
    ADD_CHECKOUT_CHARGE,
    charge.merchantId,
    charge.id,
    charge.mode,
    charge.status,
    charge.amount,
    charge.fee,
    charge.giftCardAmount,
    charge.channel,
    charge.phone,
    charge.phone === null ? null : lastNine(charge.phone),
    charge.email,
    charge.reference,
    charge.railReference,
    charge.paymentLinkId,
    charge.paysOnce,
    charge.published,
    charge.createdAt.toISOString(),
    charge.completedAt?.toISOString() ?? null,
    charge.followAt?.toISOString() ?? null,
    phoneDigest(charge),
    metadataJson(charge.metadata),
  )

/** Adds the event `charge.succeeded` of a charge that a gift card covers in full. */
export const addCoveredChargeEvent = (charge: CheckoutCharge, terms: MerchantTerms): Call[] =>
  addEvents(
    [
      {
        merchantId: charge.merchantId,
        tag: terms.tag,
        mode: charge.mode,
        type: 'charge.succeeded',
        subject: charge.id,
        data: chargeEventJson(charge),
        hasWebhookUrl: terms.webhookUrl !== null,
      },
    ],
    charge.createdAt,
  )
