import { readMerchantName } from '../../merchants/account/merchant-names.ts'
import { assert } from '../../platform/assert.ts'
import { unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { moveAttempt } from '../../rails/attempts.ts'
import { callAtTime } from '../../rails/call-at-time.ts'
import { findRail } from '../../rails/find-rail.ts'
import type { Followed, Mover } from '../../rails/mover.ts'
import { chargeReposts } from '../../rails/posting/repost-times.ts'
import type { Attempt, ChargeFailure } from '../../rails/rail.ts'
import { openException } from '../exceptions/exception.ts'
import { type Charge, computeMobileMoneyPart } from './charge.ts'
import { moveCharge } from './move-charge.ts'
import { publishCharge, publishNewCharges } from './write-charge-status.ts'

/** An open charge that is due. */
export type DueCharge = Pick<
  Charge,
  | 'merchantId'
  | 'id'
  | 'mode'
  | 'amount'
  | 'giftCardAmount'
  | 'channel'
  | 'phone'
  | 'reference'
  | 'railReference'
  | 'createdAt'
> & {
  /** The end that was asked for a test charge; only those that are read from the table have one. */
  sandboxOutcome?: Attempt['sandboxOutcome'] | null
  sandboxSeconds?: number | null
}
export type FollowedCharge = Followed<DueCharge, ChargeFailure>

const SET_FOLLOW_AT = statement(
  'ask about live charge again',
  `update charges set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null`,
)

/** Sets when the follower takes up the charge next, as long as it is open. */
const setFollowAt = ({ merchantId, id }: Pick<Charge, 'merchantId' | 'id'>, at: Date): Call =>
  call(SET_FOLLOW_AT, merchantId, id, at.toISOString())

const BRING_FORWARD = statement(
  'ask about live charges sooner',
  `update charges c set follow_at = least(c.follow_at, n.follow_at)
   from ${unnestColumns('bigint', 'text', 'timestamptz')} as n (merchant_id, id, follow_at)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.follow_at is not null`,
)

/** Brings that time forward to `at`, as long as the charge is open; never postpones it. */
export const bringChargeForward = ({ merchantId, id }: Pick<Charge, 'merchantId' | 'id'>, at: Date): Call =>
  callAtTime(BRING_FORWARD, { merchantId, id }, at)

/** What `rails/` needs to submit charges, to ask about them and to finish them. */
export const CHARGE_MOVER: Mover<DueCharge, ChargeFailure> = {
  noun: 'charge',
  side: 'collect',
  findMovementRail: (app, charge) => findRail(app, charge)?.collect,
  buildAttempt,
  readNote: (app, { merchantId }) => readMerchantName(app, merchantId),
  publish: publishCharge,
  publishNew: publishNewCharges,
  setFollowAt,
  // A charge was shown when it was claimed, and it has no failure reason while its outcome is unknown.
  setNextQuestion: setFollowAt,
  finish: (app, charge, outcome) => moveCharge(app, { charge, ...outcome }),
  openException,
  reposts: chargeReposts,
  repost: 'at once',
  // A refused charge is never posted again: it fails, as `rail_rejected` where the fault is ours.
  keepsRefusal: () => true,
  // Only repeated posts come here, and a repeated post says nothing about the posts before it (rails.md 4.5).
  postNotTaken: (app, { row, post }) => [
    publishCharge(app, row, { acceptedBy: null }),
    moveAttempt(post, 'in_doubt', null),
  ],
  crash: {
    sent: () => crashPoint('charge.rail-sent'),
    answered: () => crashPoint('charge.rail-answered'),
    refusalKept: () => crashPoint('charge.no-kept'),
  },
}

function buildAttempt(charge: DueCharge, installation: string): Attempt {
  assert(charge.railReference !== null && charge.phone !== null, 'a charge that travels has a reference and a phone')
  return {
    reference: charge.railReference,
    installation,
    publicId: charge.id,
    amount: computeMobileMoneyPart(charge),
    currency: 'UGX',
    phone: charge.phone,
    note: '',
    callbackPath: null,
    createdAt: charge.createdAt,
    ...(charge.sandboxOutcome ? { sandboxOutcome: charge.sandboxOutcome } : {}),
    ...(charge.sandboxSeconds == null ? {} : { sandboxSeconds: charge.sandboxSeconds }),
  }
}
