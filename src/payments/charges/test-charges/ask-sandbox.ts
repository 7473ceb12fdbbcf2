import type { App } from '../../../program/app.ts'
import { askAboutMovement, QUESTION_DEADLINE_MS } from '../../../rails/following/ask.ts'
import { followSafely } from '../../../rails/following/follow-safely.ts'
import { CHARGE_MOVER, type DueCharge, type FollowedCharge } from '../charge-mover.ts'

/** Asks the sandbox about test charges that are due, and finishes those with a final answer. Returns how many were finished. */
export async function askSandbox(app: App, charges: readonly DueCharge[]): Promise<number> {
  // The sandbox makes no call, so one deadline serves all its rows.
  const deadline = app.deadlineIn(QUESTION_DEADLINE_MS)
  const questions: Promise<boolean>[] = []
  for (const charge of charges) {
    const row = buildFollowedTestCharge(charge)
    questions.push(followSafely(app, CHARGE_MOVER, row, () => askAboutMovement(app, CHARGE_MOVER, { row, deadline })))
  }
  const written = await Promise.all(questions)
  return written.filter(Boolean).length
}

/**
 * Fills in the facts of an attempt, which a test charge does not have. Written field by field, because every test payment passes here:
 * fields that are spread into an object are set one by one, outside of it.
 */
function buildFollowedTestCharge(charge: DueCharge): FollowedCharge {
  return {
    merchantId: charge.merchantId,
    id: charge.id,
    mode: charge.mode,
    amount: charge.amount,
    giftCardAmount: charge.giftCardAmount,
    channel: charge.channel,
    phone: charge.phone,
    reference: charge.reference,
    railReference: charge.railReference,
    createdAt: charge.createdAt,
    installation: 'sandbox',
    sandboxOutcome: charge.sandboxOutcome ?? null,
    sandboxSeconds: charge.sandboxSeconds ?? null,
    state: 'accepted',
    nth: 0,
    reposts: 0,
    firstSentAt: null,
    sendingSince: null,
    submitEndedAt: null,
    questionCount: 0,
    notFoundCount: 0,
    firstNotFoundAt: null,
    refusedAs: null,
    refusalToConfirm: false,
    callbackSeenAt: null,
    lastAnswer: null,
    tag: '',
  }
}
