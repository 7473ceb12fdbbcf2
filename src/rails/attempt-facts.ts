export type AttemptState = 'queued' | 'sending' | 'accepted' | 'in_doubt' | 'not_sent' | 'ended' | 'void'

/** The facts that the row of an attempt holds about its posts and questions. */
export type AttemptFacts<Failure extends string = string> = {
  installation: string
  state: AttemptState
  /** The number of its last post. An answer to an earlier post says nothing about this one. */
  nth: number
  reposts: number
  /** When it was first sent and may have reached the operator; null while it provably has not. */
  firstSentAt: Date | null
  sendingSince: Date | null
  submitEndedAt: Date | null
  questionCount: number
  notFoundCount: number
  firstNotFoundAt: Date | null
  /** The reason of a refused post. */
  refusedAs: Failure | null
  /** Whether that refusal, of the first post, counts only once questions confirm it. */
  refusalToConfirm: boolean
  /** When the operator last called back about it. */
  callbackSeenAt: Date | null
  /** The kind of answer to the last question. */
  lastAnswer: string | null
}

export const ATTEMPT_FACTS = `a.installation, a.state, a.sends as nth, a.reposts, a.first_sent_at as "firstSentAt",
  a.sending_since as "sendingSince", a.submit_ended_at as "submitEndedAt", a.question_count as "questionCount",
  a.not_found_count as "notFoundCount", a.first_not_found_at as "firstNotFoundAt", a.refused_as as "refusedAs",
  a.refusal_to_confirm as "refusalToConfirm", a.callback_seen_at as "callbackSeenAt",
  a.last_answer as "lastAnswer"`

/**
 * The tag of a row's merchant as SQL. A sub-select, because while the tables are small a join of three may be planned over all rows
 * of the merchant.
 */
export const merchantTagSql = (row: string): string =>
  `(select m.tag from merchants m where m.id = ${row}.merchant_id) as tag`

// After this many "not found" answers over this time the operator never received the movement.
export const LOST_AFTER_QUESTIONS = 3
export const LOST_AFTER_MS = 60_000

/**
 * Whether an answer to the post with this number still counts, decided on the locked row. It does not when the attempt was
 * posted again in the meantime (this process stood still and lost its lease), or when the operator has since accepted it.
 */
export const isCurrentPost = ({ nth, state }: AttemptFacts, answered: number): boolean =>
  nth === answered && (state === 'sending' || state === 'in_doubt')

/** Whether the attempt has a stored definite refusal of its only post. That refusal makes the movement fail. */
export const isRefusedOnce = ({ refusedAs, refusalToConfirm, reposts, state }: AttemptFacts): boolean =>
  refusedAs !== null && !refusalToConfirm && reposts === 0 && state !== 'accepted'

/** Whether a post was refused and the operator, with this "not found", has not known it for long enough to have taken nothing. */
export function isRefusalConfirmed(attempt: AttemptFacts, nowMs: number): boolean {
  const { refusedAs, reposts, refusalToConfirm, state, firstNotFoundAt, notFoundCount } = attempt
  if (refusedAs === null || !(reposts > 0 || refusalToConfirm)) return false
  if (state !== 'in_doubt' || firstNotFoundAt === null) return false
  return notFoundCount + 1 >= LOST_AFTER_QUESTIONS && nowMs >= firstNotFoundAt.getTime() + LOST_AFTER_MS
}
