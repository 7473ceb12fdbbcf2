import { readMerchantName } from '../../merchants/account/merchant-names.ts'
import type { App } from '../../program/app.ts'
import { moveAttempt } from '../../rails/attempts.ts'
import { findRail } from '../../rails/find-rail.ts'
import { type LiveFollower, liveFollower } from '../../rails/following/follow-live.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import type { Mover } from '../../rails/mover.ts'
import { chargeReposts } from '../../rails/posting/repost-times.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { openException } from '../exceptions/exception.ts'
import { moveTopUp } from './move-top-up.ts'
import type { TopUp } from './top-up.ts'
import { publishTopUp, setNextTopUpQuestion, TOP_UP_CLAIMS } from './write-top-ups.ts'

/** What `rails/` needs to submit top-ups, to ask about them and to finish them. */
export const TOP_UP_MOVER: Mover<TopUp, ChargeFailure> = {
  noun: 'top-up',
  side: 'collect',
  findMovementRail: (app, topUp) => findRail(app, topUp)?.collect,
  buildAttempt: (topUp, installation) => ({
    reference: topUp.railReference,
    installation,
    publicId: topUp.id,
    amount: topUp.amount,
    currency: 'UGX',
    phone: topUp.phone,
    note: '',
    callbackPath: null,
    createdAt: topUp.createdAt,
  }),
  readNote: (app, { merchantId }) => readMerchantName(app, merchantId),
  publish: publishTopUp,
  setFollowAt: setNextTopUpQuestion,
  setNextQuestion: setNextTopUpQuestion,
  finish: (app, topUp, move) => moveTopUp(app, { topUp, ...move }),
  openException,
  // Reposted like a charge: the person who requested it has the phone in hand, as a customer has.
  reposts: chargeReposts,
  repost: 'at once',
  keepsRefusal: () => true,
  // Called only for a repeated post, whose refusal says nothing about the posts before it (rails.md 4.5).
  postNotTaken: (app, { row, post }) => [
    publishTopUp(app, row, { acceptedBy: null }),
    moveAttempt(post, 'in_doubt', null),
  ],
  // No crash points: the crash tests use charges, which run through the same code.
  crash: { sent() {}, answered() {}, refusalKept() {} },
}

/** Asks the rail about every open top-up that is due. Only the rail's final answer finishes one (rails.md section 4). */
export function topUpFollower(app: App): LiveFollower {
  const live = liveFollower(app, TOP_UP_MOVER, TOP_UP_CLAIMS)
  return { start: async () => (hasLiveRail(app) ? live.start() : 0), stop: live.stop }
}
