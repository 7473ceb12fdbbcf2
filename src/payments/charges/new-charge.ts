import type { Caller } from '../../api/access/actor.ts'
import { metadataOrNull } from '../../api/http/bodies/metadata.ts'
import { assert } from '../../platform/assert.ts'
import { newAscendingId, uuidFor } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import type { NewAttempt } from '../../rails/attempts.ts'
import { SENDING_MS } from '../../rails/posting/repost-times.ts'
import type { ChargeShare } from '../subaccounts/shares.ts'
import type { SplitPart } from '../subaccounts/split.ts'
import type { Charge } from './charge.ts'
import type { ChargeCreate } from './charge-request.ts'
import type { ChargePricing } from './charge-rules.ts'
import type { NewCharge } from './write-charges.ts'

/** Makes the row of an accepted request. Every payment passes here, so the object is written field by field. */
export function newCharge(
  app: App,
  { caller, input }: { caller: Caller; input: ChargeCreate },
  { pricing: { fee, parts }, at }: { pricing: ChargePricing; at: Date },
): NewCharge {
  const id = newAscendingId('txn_', caller.tag, at)
  const live = caller.mode === 'live'
  const charge: NewCharge = {
    merchantId: caller.merchantId,
    id,
    mode: caller.mode,
    status: live ? 'pending' : 'authorized',
    amount: input.amount,
    fee,
    giftCardAmount: 0,
    shares: null,
    channel: input.channel,
    phone: input.customer.phone,
    email: input.customer.email ?? null,
    customerName: input.customer.name ?? null,
    metadata: metadataOrNull(input.metadata),
    reference: input.reference ?? null,
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    paymentLinkId: null,
    refundId: null,
    completedAt: null,
    refundedAt: null,
    holdUntil: null,
    settledAt: null,
    createdAt: at,
    published: !live,
    endChosen: false,
    followAt: new Date(at.getTime() + (live ? SENDING_MS : app.config.sandboxOutcomeSeconds * 1000)),
  }
  return parts === null ? charge : withShares(charge, parts)
}

function withShares(charge: NewCharge, parts: readonly SplitPart[]): NewCharge {
  const { merchantId, id: chargeId, mode } = charge
  const split = parts.map(
    ({ subaccountId, amount }, index): ChargeShare => ({
      merchantId,
      chargeId,
      index,
      mode,
      subaccountId,
      amount,
      reversed: false,
      holdUntil: null,
      settledAt: null,
      settlementId: null,
    }),
  )
  return { ...charge, shares: split.reduce((sum, { amount }) => sum + amount, 0), split }
}

/** Makes the one attempt of a live charge, which is stored with it. */
export function newChargeAttempt(charge: Charge, installation: string | null): NewAttempt {
  assert(installation && charge.railReference, 'a live charge has an installation and a reference')
  return {
    merchantId: charge.merchantId,
    reference: charge.railReference,
    subject: charge.id,
    side: 'collect',
    channel: charge.channel,
    installation,
    state: 'sending',
    at: charge.createdAt,
  }
}
