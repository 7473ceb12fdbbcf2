import { moveTopUp } from '../../../src/payments/top-ups/move-top-up.ts'
import type { TopUp } from '../../../src/payments/top-ups/top-up.ts'
import { addTopUp, publishTopUp, takeBackTopUp } from '../../../src/payments/top-ups/write-top-ups.ts'
import { uuidFor } from '../../../src/platform/text/ids.ts'
import type { App } from '../../../src/program/app.ts'
import { addAttempts, endAttempt, moveAttempt } from '../../../src/rails/attempts.ts'
import { addEvidence } from '../../../src/rails/evidence.ts'
import { TOP_UP } from './names.ts'
import { write } from './world-charges.ts'

/** Top-ups of merchant 2 in every state. */
export async function topUp(app: App): Promise<void> {
  const paid = await ask(app, TOP_UP.paid, 40_000)
  const to = { status: 'succeeded', railTransactionId: 'rail-top-up' } as const
  await moveTopUp(app, { topUp: paid, to, alongside: endOf(paid, 'succeeded') })
  const failed = await ask(app, TOP_UP.failed, 7000)
  const reason = { status: 'failed', reason: 'user_cancelled' } as const
  await moveTopUp(app, { topUp: failed, to: reason, alongside: endOf(failed, 'failed') })
  const open = await ask(app, TOP_UP.open, 9000)
  await write(
    app.db,
    publishTopUp(app, open, { acceptedBy: null }),
    moveAttempt(attemptOf(open), 'accepted', open.createdAt),
  )
  const voided = await ask(app, TOP_UP.voided, 9000)
  await write(
    app.db,
    takeBackTopUp(voided, voided.createdAt),
    endAttempt(attemptOf(voided), { state: 'void', at: voided.createdAt }),
  )
}

/** Top-up and attempt in one commit, as the product stores them. */
async function ask(app: App, id: string, amount: number): Promise<TopUp> {
  const topUp: TopUp = {
    merchantId: 2,
    id,
    mode: 'live',
    status: 'pending',
    amount,
    channel: 'op1_momo',
    phone: '256700000000',
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    createdAt: app.clock.now(),
    completedAt: null,
  }
  const facts = { installation: 'one', state: 'sending', at: topUp.createdAt } as const
  await write(app.db, addTopUp(topUp, null), ...addAttempts(app, [{ ...attemptOf(topUp), ...facts }]))
  return topUp
}

const attemptOf = ({ merchantId, id, channel, railReference: reference }: TopUp) => ({
  merchantId,
  reference,
  subject: id,
  side: 'collect' as const,
  channel,
})

/** The operator's answer, stored as the evidence for its end. */
const endOf = (topUp: TopUp, word: 'succeeded' | 'failed') => [
  endAttempt(attemptOf(topUp), { at: topUp.createdAt }),
  addEvidence(attemptOf(topUp), word, {
    at: topUp.createdAt,
    operation: 'status',
    stage: 'answered',
    elapsedMs: 5,
  }),
]
