import { numberColumn } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { ATTEMPT_FACTS, merchantTagSql } from '../../../rails/attempt-facts.ts'
import type { Followed } from '../../../rails/mover.ts'
import { chosenEndSql } from '../../../rails/next-ends.ts'
import type { PayoutFailure } from '../../../rails/rail.ts'
import { mayPayOutSql } from '../find-stop.ts'
import { PAYOUT_COLUMNS, type Payout } from '../payout.ts'

/** An open payout that is due, with the facts of its attempt; a test payout has no attempt, and the facts are filled in. */
export type DuePayout = Followed<
  Payout & { sandboxOutcome: PayoutFailure | 'succeeded' | null; sandboxSeconds: number | null },
  PayoutFailure
>

/** How many calls this process has under way for each merchant. */
type CallsByMerchant = ReadonlyMap<number, number>

/**
 * The two queues of live payouts. `queue`: payouts that wait to be sent for the first time. `under way`: payouts that may have left, to
 * be asked about and posted again.
 */
export type PayoutQueueName = 'queue' | 'under way'

// The merchants that have open payouts in a queue, found one by one in the index: 100,000 payouts of one merchant are one step.
export const merchantsWithPayoutsSql = (mode: string, inQueue: string) => `
  recursive merchants_of_lane as (
    (select p.merchant_id from payouts p where p.mode = ${mode} and p.in_queue = ${inQueue} and p.follow_at is not null
     order by p.merchant_id limit 1)
    union all
    select (select p.merchant_id from payouts p where p.mode = ${mode} and p.in_queue = ${inQueue} and p.follow_at is not null
      and p.merchant_id > l.merchant_id order by p.merchant_id limit 1)
    from merchants_of_lane l where l.merchant_id is not null)`

/** The claim, until $3, of the rows of `due`. */
export const CLAIM_DUE_SQL = `update payouts p set follow_at = $3 from due, rail_attempts a
   where p.merchant_id = due.merchant_id and p.id = due.id and a.merchant_id = due.merchant_id and a.subject = due.id
   returning ${PAYOUT_COLUMNS}, ${merchantTagSql('p')}, null as "sandboxOutcome", null::int as "sandboxSeconds", ${ATTEMPT_FACTS}`

// Claims one payout of each merchant before the second of any. The queue of a stopped account is skipped: its payouts
// keep their due time and turn. Payouts that may have left are asked about in any case.
const CLAIM_LIVE = statement<DuePayout>(
  'claim due live payouts',
  `with ${merchantsWithPayoutsSql(`'live'`, '$4::boolean')},
   allowed as (
     select l.merchant_id, $5::int - coalesce(b.places, 0) as places
     from merchants_of_lane l join ledger_heads h on h.merchant_id = l.merchant_id and h.mode = 'live'
     left join unnest((select $6::bigint[]), (select $7::bigint[])) as b (merchant_id, places) on b.merchant_id = l.merchant_id
     where not $4::boolean or ${mayPayOutSql('h')}),
   chosen as (
     select d.merchant_id, d.id from allowed l cross join lateral (
       select f.merchant_id, f.id, f.follow_at, row_number() over (order by f.follow_at) as turn from (
         select p.merchant_id, p.id, p.follow_at from payouts p
         where p.mode = 'live' and p.in_queue = $4::boolean and p.merchant_id = l.merchant_id and p.follow_at <= $1
           and ($4 or cardinality($8::text[]) = 0 or exists (select 1 from rail_attempts a
             where a.merchant_id = p.merchant_id and a.subject = p.id and a.installation <> all($8)))
         order by p.follow_at limit $5::int) f) d
     where d.turn <= l.places order by d.turn, d.follow_at limit $2),
   due as (
     select p.merchant_id, p.id from payouts p join chosen c on c.merchant_id = p.merchant_id and c.id = p.id
     where p.follow_at <= $1 for no key update of p skip locked)
   ${CLAIM_DUE_SQL}`,
)

// The fair order of CLAIM_LIVE for test payouts of one status.
const fairTestSql = (status: string) => `
   chosen as (
     select d.merchant_id, d.id from merchants_of_lane l cross join lateral (
       select f.merchant_id, f.id, f.follow_at, row_number() over (order by f.follow_at) as turn from (
         select p.merchant_id, p.id, p.follow_at from payouts p
         where p.mode = 'test' and not p.in_queue and p.merchant_id = l.merchant_id and p.follow_at <= $1
           and p.status = '${status}'
         order by p.follow_at limit $2) f) d
     order by d.turn, d.follow_at limit $2)`

/** Locks the test payouts that wait to be sent, of each merchant in turn, as `due` of a statement with the time ($1) and a limit ($2). */
export const TEST_QUEUE_SQL = `${merchantsWithPayoutsSql(`'test'`, 'false')}, ${fairTestSql('pending')},
   due as (
     select p.merchant_id, p.id, p.created_at from payouts p join chosen c on c.merchant_id = p.merchant_id and c.id = p.id
     where p.follow_at <= $1 and p.status = 'pending' for no key update of p skip locked)`

// The sandbox makes no call, so its rows need no lease: a process that asks twice finds that the move is done already.
const DUE_TEST = statement<DuePayout>(
  'due test payouts',
  `with ${merchantsWithPayoutsSql(`'test'`, 'false')}, ${fairTestSql('authorized')}
   select ${PAYOUT_COLUMNS}, '' as tag, coalesce(e.outcome, p.sandbox_outcome) as "sandboxOutcome",
     e.after_seconds as "sandboxSeconds", 'sandbox' as installation,
     'accepted' as state, 0 as "questionCount", 0 as "notFoundCount", null::timestamptz as "firstNotFoundAt",
     null::timestamptz as "submitEndedAt", null::timestamptz as "sendingSince", null::timestamptz as "firstSentAt",
     0 as nth, 0 as reposts, null as "refusedAs"
   from chosen c join payouts p on p.merchant_id = c.merchant_id and p.id = c.id ${chosenEndSql('p')}`,
)

/**
 * Claims at most `limit` live payouts of one queue until `leaseUntil`, in turns by merchant, and of one merchant at most
 * `limitPerMerchant` together with its `busy` calls. Leaves out payouts under way at installations that are `limited` by a budget.
 */
export function claimLivePayouts(
  queue: PayoutQueueName,
  { now, leaseUntil }: { now: Date; leaseUntil: Date },
  {
    limit,
    limitPerMerchant,
    busy,
    limited,
  }: { limit: number; limitPerMerchant: number; busy: CallsByMerchant; limited: readonly string[] },
): Call<DuePayout> {
  return call(
    CLAIM_LIVE,
    now.toISOString(),
    limit,
    leaseUntil.toISOString(),
    queue === 'queue',
    limitPerMerchant,
    numberColumn([...busy.keys()]),
    numberColumn([...busy.values()]),
    limited,
  )
}

/** Reads at most `limit` test payouts whose outcome is due, of each merchant in turn. */
export const dueTestPayouts = (now: Date, limit: number): Call<DuePayout> => call(DUE_TEST, now.toISOString(), limit)
