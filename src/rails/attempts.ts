import { callForRow, toColumns, unnestColumns } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { guardedSql } from '../platform/db/guarded.ts'
import { statement } from '../platform/db/statement.ts'
import { bigint, bytea, copyInto, integer, text, time } from '../platform/db/wire/copy.ts'
import type { App } from '../program/app.ts'
import type { AttemptState } from './attempt-facts.ts'
import { callbackDigestFor } from './callback-token.ts'

/** The one attempt of a live movement. Its id is the reference that the rail sees, for life (rails.md 1.3). */
export type NewAttempt = {
  merchantId: number
  reference: string
  subject: string
  side: 'collect' | 'disburse'
  channel: string
  /** Empty while it is queued, because the installation that carries it is chosen when it is sent. */
  installation: string
  state: 'queued' | 'sending'
  at: Date
}
/** One post of an attempt to its operator, identified by its number. */
export type Post = { merchantId: number; reference: string; installation: string; nth: number }
const ATTEMPTS = copyInto<{ attempt: NewAttempt; digest: Buffer | null }>('add rail attempts', 'rail_attempts', {
  merchant_id: bigint(({ attempt }) => attempt.merchantId),
  id: text(({ attempt }) => attempt.reference),
  subject: text(({ attempt }) => attempt.subject),
  side: text(({ attempt }) => attempt.side),
  channel: text(({ attempt }) => attempt.channel),
  installation: text(({ attempt }) => attempt.installation),
  state: text(({ attempt }) => attempt.state),
  sending_since: time(({ attempt }) => (attempt.state === 'sending' ? attempt.at : null)),
  sends: integer(({ attempt }) => (attempt.state === 'sending' ? 1 : 0)),
  created_at: time(({ attempt }) => attempt.at),
  callback_digest: bytea(({ digest }) => digest),
})
// An attempt that may have left keeps its installation; trigger attempts_keep_installation enforces it and sets the time of the
// first post.
const SEND = statement<{ installation: string; nth: number; repeated: boolean }>(
  'send rail attempt',
  `update rail_attempts set state = 'sending', sending_since = $3, sends = sends + 1,
     installation = case when first_sent_at is null then $4 else installation end,
     submit_ended_at = case when first_sent_at is null then null else submit_ended_at end,
     first_not_found_at = null, not_found_count = 0, refused_as = null, refusal_to_confirm = false,
     last_answer = null, reposts = reposts + case when first_sent_at is null then 0 else 1 end
   where merchant_id = $1 and id = $2 and state in ('queued', 'not_sent')
   returning installation, sends as nth, reposts > 0 as repeated`,
)
const MOVE = statement(
  'move rail attempts',
  `update rail_attempts a set state = n.state, submit_ended_at = coalesce(n.submit_ended_at, a.submit_ended_at),
     ended_late_at = case when n.ended_at - a.created_at > interval '24 hours' then n.ended_at end,
     callbacks = a.callbacks + n.callbacks, callback_seen_at = coalesce(n.heard_at, a.callback_seen_at)
   from ${unnestColumns('bigint', 'text', 'text', 'timestamptz', 'timestamptz', 'bigint', 'timestamptz')}
     as n (merchant_id, id, state, submit_ended_at, ended_at, callbacks, heard_at)
   where a.merchant_id = n.merchant_id and a.id = n.id and a.state not in ('ended', 'void')`,
)
const ACCEPT_FIRST_POSTS = statement(
  'first posts accepted',
  guardedSql(
    (rows) => `update rail_attempts a set state = 'accepted', submit_ended_at = n.ended_at
     from ${rows} as n (merchant_id, id, ended_at)
     where a.merchant_id = n.merchant_id and a.id = n.id and a.state = 'sending' and a.sends = 1
       and a.submit_ended_at is null and a.callback_seen_at is null`,
    { types: ['bigint', 'text', 'timestamptz'], count: 4 },
  ),
)
const COUNT_QUESTION = statement(
  'count rail question',
  `update rail_attempts set question_count = question_count + 1, hurried = false, state = coalesce($3, state), last_answer = $5, answered_at = coalesce($6, answered_at),
     first_not_found_at = case when $4::timestamptz is null then first_not_found_at else coalesce(first_not_found_at, $4) end,
     not_found_count = not_found_count + case when $4::timestamptz is null then 0 else 1 end
   where merchant_id = $1 and id = $2 and state not in ('ended', 'void')`,
)
const REFUSE_ATTEMPT = statement(
  'rail attempt refused again',
  `update rail_attempts set state = 'in_doubt', refused_as = $3, refusal_to_confirm = $4, first_not_found_at = null,
     not_found_count = 0, submit_ended_at = coalesce(submit_ended_at, $5)
   where merchant_id = $1 and id = $2 and state not in ('ended', 'void')`,
)
// A post that the operator provably did not take. The first one can be undone; a later one says nothing about those before it.
const NOT_TAKEN = statement(
  'rail attempt not taken',
  `update rail_attempts set state = case when reposts > 0 then 'in_doubt' else 'not_sent' end,
     submit_ended_at = coalesce(submit_ended_at, $4), question_count = question_count + 1,
     first_sent_at = case when reposts = 0 and (state = 'sending' or question_count = 0) then null else first_sent_at end
   where merchant_id = $1 and id = $2 and sends = $3 and state in ('sending', 'in_doubt')`,
)
const STORE_REFUSAL = statement(
  'keep refusal of rail attempt',
  `update rail_attempts set submit_ended_at = coalesce(submit_ended_at, $3), refused_as = $4
   where merchant_id = $1 and id = $2`,
)
/** Stores attempts. Commit them before the rail is asked. */
export const addAttempts = (app: Pick<App, 'vault' | 'rails'>, attempts: readonly NewAttempt[]): Call[] =>
  ATTEMPTS.rows(attempts.map((attempt) => ({ attempt, digest: callbackDigestFor(app, attempt) })))

/**
 * Marks a queued attempt as sending; no row means that another process sends it. Must be committed before the submit.
 * An attempt that never left goes through `installation`, any other through the one of its first post. The row says which, and the number
 * of the post.
 */
export const sendAttempt = (
  attempt: { merchantId: number; reference: string },
  installation: string,
  at: Date,
): Call<{ installation: string; nth: number; repeated: boolean }> =>
  call(SEND, attempt.merchantId, attempt.reference, at.toISOString(), installation)

type AttemptKey = { merchantId: number; reference: string }
type FinalAttemptState = 'ended' | 'void'

/** Moves an unfinished attempt to another state. `submitEndedAt` is when the submit was answered or given up, null where it was not. */
export const moveAttempt = (
  attempt: AttemptKey,
  state: Exclude<AttemptState, FinalAttemptState>,
  submitEndedAt: Date | null,
): Call => moveTo(attempt, { state, submitEndedAt, endedAt: null, ...NOTHING_HEARD })

/**
 * Records that first posts were accepted of which nothing else is known: no question, no callback, no other post. Fails the transaction
 * where that is not so for one of them.
 */
export function acceptFirstPosts(
  posts: readonly { merchantId: number; reference: string; submitEndedAt: Date }[],
): Call {
  const each = toColumns(posts)
  return call(
    ACCEPT_FIRST_POSTS,
    ...each.numbers('merchantId'),
    ...each.texts('reference'),
    ...each.times('submitEndedAt'),
    posts.length,
  )
}

/** Callbacks about an attempt that were not stored yet, and when they came. */
type Heard = { times: number; at: Date | null }
const NOTHING_HEARD = { callbacks: 0, heardAt: null }

/**
 * Finishes an attempt, in the commit that finishes its movement. `submitEndedAt` is when its submit was over, where that was not stored
 * before; `heard` the callbacks that led to its end.
 */
export const endAttempt = (
  attempt: AttemptKey,
  {
    state = 'ended',
    at: endedAt,
    submitEndedAt = null,
    heard = { times: 0, at: null },
  }: { state?: FinalAttemptState; at: Date; submitEndedAt?: Date | null; heard?: Heard },
): Call => moveTo(attempt, { state, submitEndedAt, endedAt, callbacks: heard.times, heardAt: heard.at })

function moveTo(
  { merchantId, reference }: AttemptKey,
  to: {
    state: AttemptState
    submitEndedAt: Date | null
    endedAt: Date | null
    callbacks: number
    heardAt: Date | null
  },
): Call {
  const row = { merchantId, reference, ...to }
  return callForRow(MOVE, { row, name: reference }, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('reference', 'state'),
    ...each.times('submitEndedAt', 'endedAt'),
    ...each.numbers('callbacks'),
    ...each.times('heardAt'),
  ])
}

/**
 * Records that a repeated post was refused. The refusal counts once the operator has confirmed that it knows none of the earlier posts
 * (rails.md 4.5).
 */
export const refuseRepost = (attempt: { merchantId: number; reference: string }, reason: string): Call =>
  call(REFUSE_ATTEMPT, attempt.merchantId, attempt.reference, reason, false, null)

/** Records a refusal of the first post that counts only once questions confirm it (rails.md 3.6). */
export const refuseInDoubt = (attempt: Post, reason: string, submitEndedAt: Date): Call =>
  call(REFUSE_ATTEMPT, attempt.merchantId, attempt.reference, reason, true, submitEndedAt.toISOString())

/**
 * Records that this post was provably not taken. If it was the only one and no question was asked about it, the attempt may
 * go through any installation again. Otherwise it stays in doubt, or is sent again through the same installation.
 */
export const attemptNotTaken = ({ merchantId, reference, nth }: Post, at: Date): Call =>
  call(NOT_TAKEN, merchantId, reference, nth, at.toISOString())

/** Records that the only post was refused; the refusal still has to be applied (rails.md 4.4). */
export const storeAttemptRefusal = (
  attempt: { merchantId: number; reference: string },
  at: Date,
  reason: string,
): Call => call(STORE_REFUSAL, attempt.merchantId, attempt.reference, at.toISOString(), reason)

/**
 * Counts a question that finished nothing. `state` is the new state, null for none; `at` when it was answered; `notFoundAt` when the
 * operator did not know the reference; `answer` the kind of answer.
 */
export const countQuestion = (
  attempt: { merchantId: number; reference: string },
  state: AttemptState | null,
  { at, notFoundAt, answer }: { at: Date | null; notFoundAt: Date | null; answer: string | null },
): Call =>
  call(
    COUNT_QUESTION,
    ...[
      attempt.merchantId,
      attempt.reference,
      state,
      notFoundAt?.toISOString() ?? null,
      answer,
      at?.toISOString() ?? null,
    ],
  )

const COUNT_HEARD = statement(
  'callbacks heard',
  `update rail_attempts set callbacks = callbacks + $3, callback_seen_at = $4 where merchant_id = $1 and id = $2`,
)

/** Counts callbacks that led to a question which ended nothing, on the locked attempt. */
export const countHeard = (attempt: { merchantId: number; reference: string }, { times, at }: Heard): Call =>
  call(COUNT_HEARD, attempt.merchantId, attempt.reference, times, at?.toISOString() ?? null)
