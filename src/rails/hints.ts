import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { type AttemptState, addEvidence } from './attempts.ts'

/** An attempt whose operator has called back. */
type Hinted = {
  reference: string
  subject: string
  state: AttemptState
  submitEndedAt: Date | null
  seenAt: Date | null
  callbacks: number
}

const FIND = statement<Hinted>(
  'attempt of callback',
  `select id as reference, subject, state, submit_ended_at as "submitEndedAt", callback_seen_at as "seenAt", callbacks
   from rail_attempts where merchant_id = $1 and callback_token_sha256 = $2 for no key update`,
)
const SEEN = statement(
  'callback seen',
  `update rail_attempts set callback_seen_at = $3, callbacks = callbacks + 1, hurried = true where merchant_id = $1 and id = $2`,
)

// However often an operator calls back, a reference is asked about no more often than this.
const BETWEEN_QUESTIONS_MS = 2000
// Evidence is kept for ever; a flood of callbacks leaves no more of it than this.
const MOST_KEPT = 20

/** How a movement is asked about sooner. */
export type Sooner = (movement: { merchantId: number; id: string }, at: Date) => Call

/**
 * Records that an operator called back under this token, and brings the next question forward (rails.md 4.3). Nothing that it
 * says is believed. False when nobody has this token.
 */
export function noteCallback(
  app: App,
  { merchantId, digest, bodySha256 }: { merchantId: number; digest: Buffer; bodySha256: string | null },
  sooner: Sooner,
): Promise<boolean> {
  return app.db.transactionFor<boolean>({ kind: 'outcome' }, async (tx) => {
    const [[found]] = await tx.send(call(FIND, merchantId, digest))
    if (!found) return { value: false }
    const now = app.clock.now()
    const post = { merchantId, reference: found.reference }
    const evidence = { at: now, operation: 'callback', stage: 'answered', elapsedMs: 0 } as const
    const kept = bodySha256 === null ? evidence : { ...evidence, bodySha256 }
    return {
      value: true,
      last: [
        ...(isOpen(found) ? [sooner({ merchantId, id: found.subject }, askAt(found, now))] : []),
        call(SEEN, merchantId, found.reference, now.toISOString()),
        ...(found.callbacks < MOST_KEPT ? [addEvidence(post, 'callback', kept)] : []),
      ],
    }
  })
}

/** A post that is still under way is asked about when it has ended, and that sees the hint. */
const isOpen = ({ state, submitEndedAt }: Hinted): boolean =>
  state === 'accepted' || state === 'in_doubt' || (state === 'sending' && submitEndedAt !== null)

const askAt = ({ seenAt }: Hinted, now: Date): Date =>
  seenAt === null ? now : new Date(Math.max(now.getTime(), seenAt.getTime() + BETWEEN_QUESTIONS_MS))
