import { type Batch, newBatch } from '../platform/batches/batch.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../platform/batches/batch-run.ts'
import { defineLane } from '../platform/batches/lane.ts'
import { joinRowCalls, toColumns, unnestColumns } from '../platform/db/columns.ts'
import { type Call, call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { writeInTransaction } from '../platform/db/write-in-transaction.ts'
import { groupBy } from '../platform/group-by.ts'
import type { App } from '../program/app.ts'
import type { AttemptState } from './attempt-facts.ts'
import { type CallbackAddress, findSubjects } from './callback-subjects.ts'
import { addCallbackEvidence } from './evidence.ts'

/** A call of an operator with a token of this merchant. Nothing in its body is believed; the digest of the body is stored. */
export type OperatorCallback = CallbackAddress & {
  bodySha256: string | null
  /** Brings the next question about a movement forward. */
  sooner(movement: { merchantId: number; id: string }, at: Date): Call
}

/** An attempt whose operator has called back, with the time and number of its earlier callbacks. */
type HintedAttempt = {
  merchantId: number
  reference: string
  subject: string
  state: AttemptState
  submitEndedAt: Date | null
  seenAt: Date | null
  earlier: number
}

const NOTE_CALLBACKS = statement<HintedAttempt>(
  'callbacks seen',
  `with found as (
     select a.merchant_id, a.id, a.callback_seen_at as seen_at, n.times
     from ${unnestColumns('bigint', 'text', 'bigint')} as n (merchant_id, subject, times)
     join rail_attempts a on a.merchant_id = n.merchant_id and a.subject = n.subject
     order by a.merchant_id, a.subject for no key update of a)
   update rail_attempts a set callback_seen_at = $4, callbacks = a.callbacks + f.times, hurried = true
   from found f where a.merchant_id = f.merchant_id and a.id = f.id
   returning a.merchant_id as "merchantId", a.id as reference, a.subject, a.state, a.submit_ended_at as "submitEndedAt",
     f.seen_at as "seenAt", a.callbacks - f.times as "earlier"`,
)

// A reference is not asked about more often than this, however often its operator calls back.
const MIN_BETWEEN_QUESTIONS_MS = 2000
// Evidence is never deleted, so a flood of callbacks about one attempt leaves no more of it than this.
const MAX_CALLBACK_EVIDENCE = 20

/**
 * Records that an operator called back, and brings the next question forward (rails.md 4.3). Returns the id of the movement;
 * null when no attempt has this token.
 */
export async function noteCallback(app: App, callback: OperatorCallback): Promise<string | null> {
  return callbackLane(app).add(callback)
}

const HURRY_WATCHED = statement<{ answeredAt: Date | null }>(
  'movement watched',
  `update rail_attempts set hurried = true where merchant_id = $1 and subject = $2 and not hurried
     and (state in ('accepted', 'in_doubt') or (state = 'sending' and submit_ended_at is not null))
   returning answered_at as "answeredAt"`,
)

/**
 * Brings the next question about an open movement forward because a page that shows it is open (rails.md 4.2, priority 3). Does nothing
 * while a question that was brought forward waits for its answer.
 */
export async function noteWatched(
  app: App,
  { merchantId, id, sooner }: { merchantId: number; id: string; sooner: OperatorCallback['sooner'] },
): Promise<void> {
  const [watched] = await app.db.query(HURRY_WATCHED, [merchantId, id])
  if (watched === undefined) return
  const nowMs = app.clock.nowMs()
  const earliest = (watched.answeredAt?.getTime() ?? 0) + MIN_BETWEEN_QUESTIONS_MS
  const forward = sooner({ merchantId, id }, new Date(Math.max(nowMs, earliest)))
  await app.db.query(forward.statement, forward.values)
}

const LAST_ANSWER = statement<{ answeredAt: Date | null }>(
  'last answer about movement',
  'select answered_at as "answeredAt" from rail_attempts where merchant_id = $1 and subject = $2',
)
const HURRY = statement<{ id: string }>(
  'hurry question',
  `update rail_attempts set hurried = true where merchant_id = $1 and subject = $2
     and (state in ('accepted', 'in_doubt') or (state = 'sending' and submit_ended_at is not null)) returning id`,
)

/**
 * Brings the next question forward in the caller's transaction, because our staff asked for it. Returns false when there is nothing to
 * ask: the movement was not sent, or is finished. Then the caller must undo what this has sent.
 */
export async function hurryQuestion(
  tx: Tx,
  { merchantId, id, sooner, now }: { merchantId: number; id: string; sooner: OperatorCallback['sooner']; now: Date },
): Promise<boolean> {
  const [[answered]] = await tx.send(call(LAST_ANSWER, merchantId, id))
  if (answered === undefined) return false
  const earliest = (answered.answeredAt?.getTime() ?? 0) + MIN_BETWEEN_QUESTIONS_MS
  // The movement is locked before its attempt, as in every transaction that moves it.
  await tx.send(sooner({ merchantId, id }, new Date(Math.max(now.getTime(), earliest))))
  const [hurried] = await tx.send(call(HURRY, merchantId, id))
  return hurried.length === 1
}

const callbackLane = defineLane(
  'note callbacks',
  (app): Batch<OperatorCallback, string | null> =>
    newBatch({
      run: (callbacks, turn) => noteCallbacks(app, callbacks, turn),
      keyOf: ({ merchantId }) => merchantId,
    }),
)

/** A callback whose token is that of an attempt, and how many came about it in this batch. */
type KnownCallback = OperatorCallback & { subject: string; times: number }

/** Records a batch of callbacks: many about one attempt cost as much as one. */
async function noteCallbacks(
  app: App,
  callbacks: readonly OperatorCallback[],
  turn: BatchTurn,
): Promise<ItemOutcome<string | null>[]> {
  const now = app.clock.now()
  const { subjects, firsts, hintedById } = await app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
    const subjects = await findSubjects(tx, callbacks)
    const firsts = countByMovement(callbacks, subjects)
    if (firsts.length === 0) return { value: { subjects, firsts, hintedById: new Map<string, HintedAttempt>() } }
    const each = toColumns(firsts)
    const [rows] = await tx.send(
      call(
        NOTE_CALLBACKS,
        ...[...each.numbers('merchantId'), ...each.texts('subject'), ...each.numbers('times'), now.toISOString()],
      ),
    )
    const hintedById = new Map(rows.map((row) => [row.subject, row]))
    const last = joinRowCalls(buildCallbackEvidence(firsts, hintedById, now))
    return { value: { subjects, firsts, hintedById }, last }
  })
  // A separate transaction, because a movement is always locked before its attempt. A hint that is lost here costs only time.
  const forward = firsts.flatMap((callback) => {
    const row = hintedById.get(callback.subject)
    if (row === undefined || !mayBeAsked(row)) return []
    return [callback.sooner({ merchantId: row.merchantId, id: row.subject }, earliestQuestionAt(row, now))]
  })
  await writeInTransaction(app.db, joinRowCalls(forward)).catch((error) =>
    app.log.warn({ err: error }, 'callbacks brought no question forward'),
  )
  return callbacks.map((callback) => itemDone(subjects.get(callback) ?? null))
}

function countByMovement(
  callbacks: readonly OperatorCallback[],
  subjects: ReadonlyMap<OperatorCallback, string>,
): KnownCallback[] {
  const byMovement = groupBy(
    callbacks.filter((callback) => subjects.has(callback)),
    (callback) => subjects.get(callback) as string, // Only those that have one are left.
  )
  return [...byMovement].flatMap(([subject, [first, ...more]]) =>
    first === undefined ? [] : [{ ...first, subject, times: 1 + more.length }],
  )
}

const buildCallbackEvidence = (
  callbacks: readonly KnownCallback[],
  hinted: ReadonlyMap<string, HintedAttempt>,
  at: Date,
): Call[] =>
  callbacks.flatMap((callback) => {
    const row = hinted.get(callback.subject)
    if (row === undefined || row.earlier >= MAX_CALLBACK_EVIDENCE) return []
    return [addCallbackEvidence(row, { at, bodySha256: callback.bodySha256 })]
  })

/** Whether the attempt may be asked about now. A post that is still under way is asked about once it has ended, and that reads the hint. */
const mayBeAsked = ({ state, submitEndedAt }: HintedAttempt): boolean =>
  state === 'accepted' || state === 'in_doubt' || (state === 'sending' && submitEndedAt !== null)

const earliestQuestionAt = ({ seenAt }: HintedAttempt, now: Date): Date =>
  seenAt === null ? now : new Date(Math.max(now.getTime(), seenAt.getTime() + MIN_BETWEEN_QUESTIONS_MS))
