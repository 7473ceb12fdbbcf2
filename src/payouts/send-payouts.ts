import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import { classify, DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import type { AttemptState } from '../rails/attempts.ts'
import type { PayoutFailure } from '../rails/rail.ts'
import { applyAnswer, askAbout } from './ask-about-payout.ts'
import { ATTEMPT_FACTS, type AttemptFacts } from './lock-posts.ts'
import { PAYOUT_COLUMNS, type Payout } from './payout.ts'
import { sendQueued } from './send-queued-payout.ts'

/** An open payout that is due, with what its attempt knows (live); a test payout has no attempt. */
export type DuePayout = Payout & AttemptFacts & { tag: string; sandboxOutcome: PayoutFailure | null }

/** What one run takes; what falls due while it works is the next one's. */
export const SENT_AT_ONCE = 1000
// Of the submits that an installation carries at once queued payouts may use half (rails.md 4.6), so that a payroll never blocks
// a single one; and no more than so many, for each needs a connection of six when its answer comes.
const LIVE_AT_ONCE = 16
// A payout is taken up again after this long when its worker died over it: longer than a submit can last.
const LEASE_MS = 30_000
const QUESTION_DEADLINE_MS = 12_000
const AFTER_TROUBLE_MS = 60_000

// The payouts of a cycle are born `pending`; in test mode sending them is this statement (rails.md 2.1).
const AUTHORIZE_TEST = statement<{ id: string }>(
  'authorize test payouts',
  `with due as (
     select merchant_id, id from payouts where follow_at <= $1 and mode = 'test' and status = 'pending'
     order by follow_at limit $2 for no key update skip locked)
   update payouts p set status = 'authorized', follow_at = greatest(p.created_at + $3 * interval '1 second', $1::timestamptz)
   from due where p.merchant_id = due.merchant_id and p.id = due.id returning p.id`,
)
// The sandbox calls nobody, so its rows need no lease: whoever asks twice finds the second move done already.
const DUE_TEST = statement<DuePayout>(
  'due test payouts',
  `select ${PAYOUT_COLUMNS}, '' as tag, p.sandbox_outcome as "sandboxOutcome", 'sandbox' as installation,
     'accepted' as state, 0 as "questionCount", 0 as "notFoundCount", null::timestamptz as "firstNotFoundAt",
     null::timestamptz as "submitEndedAt", null::timestamptz as "sendingSince", null::timestamptz as "firstSentAt",
     0 as nth, 0 as reposts, null as "refusedAs"
   from payouts p where p.follow_at <= $1 and p.mode = 'test' and p.status = 'authorized' order by p.follow_at limit $2`,
)
const CLAIM_LIVE = statement<DuePayout>(
  'claim due live payouts',
  `with due as (
     select p.merchant_id, p.id from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
     where p.follow_at <= $1 and p.mode = 'live' and a.state = any($4::text[])
     order by p.follow_at limit $2 for no key update of p skip locked)
   update payouts p set follow_at = $3 from due, rail_attempts a, merchants m
   where p.merchant_id = due.merchant_id and p.id = due.id and m.id = p.merchant_id
     and a.merchant_id = p.merchant_id and a.subject = p.id
   returning ${PAYOUT_COLUMNS}, m.tag, null as "sandboxOutcome", ${ATTEMPT_FACTS}`,
)
const LATER = statement(
  'look at payout later',
  `update payouts set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null`,
)

/** Brings payouts forward; live ones are on their way until `stop` has waited for them. */
export type PayoutSender = { start(): Promise<number>; stop(): Promise<void> }

const QUEUED: readonly AttemptState[] = ['queued', 'not_sent']
const UNDER_WAY: readonly AttemptState[] = ['sending', 'accepted', 'in_doubt']

/**
 * Sends what is queued and asks the rail about what is under way: every open payout that is due (rails.md section 4). Nothing
 * but the rail's own word ends one: not its age, not silence, not `not_found`. An operator that is slow with one holds up
 * neither the sandbox nor the questions about others: calls are started, not awaited, and each kind has places of its own.
 */
export function payoutSender(app: App): PayoutSender {
  const sending = new Set<Promise<unknown>>()
  const asking = new Set<Promise<unknown>>()

  async function startLive(states: readonly AttemptState[], places: Set<Promise<unknown>>): Promise<number> {
    const free = LIVE_AT_ONCE - places.size
    if (free <= 0) return 0
    const lease = new Date(app.clock.nowMs() + LEASE_MS).toISOString()
    const due = await app.db.query(CLAIM_LIVE, [app.clock.now().toISOString(), free, lease, states])
    for (const payout of due) {
      const work = bringForwardSafely(app, payout).catch((error) =>
        app.log.warn({ err: error, object_id: payout.id }, 'a payout waits for the database'),
      )
      places.add(work)
      work.finally(() => places.delete(work))
    }
    return due.length
  }

  return {
    async start() {
      const now = app.clock.now().toISOString()
      const sent = await app.db.query(AUTHORIZE_TEST, [now, SENT_AT_ONCE, app.config.sandboxOutcomeSeconds])
      const test = await app.db.query(DUE_TEST, [now, SENT_AT_ONCE])
      const live = app.rails.live.op1_momo
        ? (await startLive(QUEUED, sending)) + (await startLive(UNDER_WAY, asking))
        : 0
      const handled = await Promise.all(test.map((payout) => bringForwardSafely(app, payout)))
      return sent.length + handled.filter(Boolean).length + live
    },
    async stop() {
      await Promise.all([...sending, ...asking])
    },
  }
}

/** One payout's trouble delays that payout and nobody else; a database that is away stops the run. */
async function bringForwardSafely(app: App, payout: DuePayout): Promise<boolean> {
  try {
    return await bringForward(app, payout)
  } catch (error) {
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error(
      { err: error, object_id: payout.id },
      'a payout could not be brought forward; it is tried later',
    )
    const later = followLater(payout, new Date(app.clock.nowMs() + AFTER_TROUBLE_MS))
    await app.db.query(later.statement, later.values)
    return false
  }
}

async function bringForward(app: App, payout: DuePayout): Promise<boolean> {
  switch (payout.state) {
    case 'queued':
    case 'not_sent':
      return sendQueued(app, payout)
    case 'sending':
    case 'accepted':
    case 'in_doubt': {
      const answer = await askAbout(app, payout, app.deadlineIn(QUESTION_DEADLINE_MS))
      return answer === null ? false : applyAnswer(app, payout, answer)
    }
    case 'ended':
    case 'void':
      return false
  }
}

/** Sets when the payout is looked at next, as long as it is open. */
export const followLater = ({ merchantId, id }: Pick<Payout, 'merchantId' | 'id'>, at: Date): Call =>
  call(LATER, merchantId, id, at.toISOString())
