import type { App } from '../app.ts'
import { openException } from '../exceptions/exception.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/phone.ts'
import { type AttemptFacts, isRefusedRepost } from '../rails/attempt-facts.ts'
import { addEvidence, countQuestion, moveAttempt } from '../rails/attempts.ts'
import { nextQuestionMs } from '../rails/follow-ladder.ts'
import type { ChargeFailure, Deadline, Status } from '../rails/rail.ts'
import { type Charge, dueOf } from './charge.ts'
import { lockChargePosts } from './lock-charge-posts.ts'
import { moveCharge } from './move-charge.ts'
import { repostCharge } from './repost-charge.ts'
import { isLostCharge, repostAt } from './repost-times.ts'
import { attemptFor, attemptNameOf, endAsRefused, isRefusedOnce } from './submit-live-charge.ts'

/** An open charge that is due. */
export type Due = Pick<
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
>
/** The same, with what its attempt knows. */
export type Followed = Due & AttemptFacts<ChargeFailure> & { tag: string }
type Answered = Status<ChargeFailure>

const ASK_AGAIN = statement(
  'ask about live charge again',
  `update charges set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null`,
)

/** Sets when the charge is looked at next, as long as it is open. */
export const followLater = ({ merchantId, id }: Pick<Charge, 'merchantId' | 'id'>, at: Date): Call =>
  call(ASK_AGAIN, merchantId, id, at.toISOString())

/** Asks the rail about one charge and applies its answer. Answers whether the charge moved or a question was counted. */
export async function followOne(app: App, charge: Followed, deadline: Deadline): Promise<boolean> {
  // The operator refused the only post. The refusal was stored, but the process that got it could not apply it or has died.
  if (isRefusedOnce(charge)) {
    await endAsRefused(app, charge, { still: isRefusedOnce, alongside: [] })
    return true
  }
  const rail = app.rails[charge.mode][charge.channel as keyof (typeof app.rails)['test']]
  if (!rail?.collect) return false
  const attempt = attemptFor(charge, charge.installation)
  const answer = await rail.collect.status(attempt, deadline).catch((error): Answered => {
    app.log.error({ err: error, object_id: charge.id }, 'a rail threw on a status question')
    return {
      kind: 'unknown',
      evidence: { at: app.clock.now(), operation: 'status', stage: 'sent', elapsedMs: 0 },
    }
  })
  return apply(app, charge, answer)
}

async function apply(app: App, charge: Followed, answer: Answered): Promise<boolean> {
  switch (answer.kind) {
    case 'succeeded':
      if (!isAbout(charge, answer)) return reportMismatch(app, charge, answer)
      await moveCharge(app, {
        charge,
        to: { status: 'succeeded', railTransactionId: answer.railTransactionId },
        alongside: closing(app, charge, answer),
      })
      return true
    case 'failed':
      await moveCharge(app, {
        charge,
        to: { status: 'failed', reason: answer.reason },
        alongside: closing(app, charge, answer),
      })
      return true
    case 'not_found':
      return charge.mode === 'live' ? applyNotFound(app, charge, answer) : false
    case 'pending':
    case 'unknown':
      return charge.mode === 'live' ? askAgain(app, charge, answer) : false
  }
}

/**
 * "Not found" ends nothing by itself: a lost charge is posted again, one whose repeated post was refused fails, any other
 * waits.
 */
async function applyNotFound(app: App, charge: Followed, answer: Answered): Promise<boolean> {
  const now = app.clock.nowMs()
  if (isRefusedRepost(charge, now)) {
    const alongside = [addEvidence(referenceOf(charge), answer.kind, answer.evidence)]
    await endAsRefused(app, charge, { still: (found) => isRefusedRepost(found, now), alongside })
    return true
  }
  if (isLostCharge(charge, now) && (await repostCharge(app, charge, answer.evidence))) return true
  return askAgain(app, charge, answer)
}

const referenceOf = (charge: Followed) => attemptNameOf(charge, charge.installation)

/** A live attempt ends with its charge; a test movement has none. */
function closing(app: App, charge: Followed, answer: Answered) {
  if (charge.mode === 'test') return []
  const attempt = referenceOf(charge)
  return [moveAttempt(attempt, 'ended', app.clock.now()), addEvidence(attempt, answer.kind, answer.evidence)]
}

/** Money moves only when the operator reports exactly what was requested (rails.md 1.4, rule 6). */
function isAbout(charge: Followed, answer: Extract<Answered, { kind: 'succeeded' }>): boolean {
  return (
    answer.amount === dueOf(charge) &&
    answer.currency === 'UGX' &&
    charge.phone !== null &&
    lastNine(answer.phone) === lastNine(charge.phone) &&
    answer.externalId === charge.id
  )
}

async function reportMismatch(
  app: App,
  charge: Followed,
  answer: Extract<Answered, { kind: 'succeeded' }>,
): Promise<boolean> {
  const now = app.clock.now()
  const details = { amount: answer.amount, currency: answer.currency, external_id: answer.externalId }
  const found = {
    merchantId: charge.merchantId,
    tag: charge.tag,
    mode: charge.mode,
    kind: 'rail_mismatch' as const,
    subject: charge.id,
    details,
  }
  app.log.error(
    { object_id: charge.id },
    'the rail reports another amount, party or reference than was asked for',
  )
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(followLater(charge, nextQuestionAt(app, charge)))
    return {
      value: null,
      last: [...openException(found, now), addEvidence(referenceOf(charge), 'mismatch', answer.evidence)],
    }
  })
  return true
}

async function askAgain(app: App, charge: Followed, answer: Answered): Promise<boolean> {
  const now = app.clock.now()
  const attempt = referenceOf(charge)
  const evidence = addEvidence(attempt, answer.kind, answer.evidence)
  const notFoundAt = answer.kind === 'not_found' ? now : null
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockChargePosts([charge]))
    // The charge has ended, or was posted again since the question. Then the answer is outdated, unless it says that the
    // operator has it.
    if (!locked?.open || (locked.nth !== charge.nth && answer.kind !== 'pending'))
      return { value: null, last: [evidence] }
    const state = answer.kind === 'pending' ? 'accepted' : locked.state === 'sending' ? 'in_doubt' : null
    const repost =
      notFoundAt === null ? null : repostAt({ ...locked, state: state ?? locked.state }, now.getTime())
    const later = followLater(charge, nextQuestionAt(app, { ...charge, ...locked }, repost))
    return { value: null, last: [later, countQuestion(attempt, state, notFoundAt), evidence] }
  })
  return true
}

/** By the ladder, or sooner if it may be posted again after that question. */
function nextQuestionAt(app: App, charge: Followed, repostAtMs: number | null = null): Date {
  const from = (charge.submitEndedAt ?? charge.createdAt).getTime()
  const ladder = nextQuestionMs(from, app.clock.nowMs())
  return new Date(repostAtMs === null ? ladder : Math.min(ladder, repostAtMs))
}
