import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { LIVE_MOVEMENTS } from './movements.ts'
import type { StatementLine } from './statement-file.ts'

const ADD = statement<{ digest: Buffer }>(
  'add statement lines',
  `insert into rail_statement_lines (digest, rail_transaction_id, external_id, type, amount, fee, tax, currency, at, status, imported_at)
   select d, r, e, t, a, f, x, c, w, s, $11 from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bigint[],
     $6::bigint[], $7::bigint[], $8::text[], $9::timestamptz[], $10::text[]) as n (d, r, e, t, a, f, x, c, w, s)
   on conflict do nothing returning digest`,
)

/** Stores lines; one that was imported before is left as it is. Answers with the new ones. */
export const addLines = (lines: readonly StatementLine[], at: Date): Call<{ digest: Buffer }> =>
  call(
    ADD,
    lines.map((one) => one.digest),
    lines.map((one) => one.railTransactionId),
    lines.map((one) => one.externalId),
    lines.map((one) => one.type),
    lines.map((one) => one.amount),
    lines.map((one) => one.fee),
    lines.map((one) => one.tax),
    lines.map((one) => one.currency),
    lines.map((one) => one.at.toISOString()),
    lines.map((one) => one.status),
    at.toISOString(),
  )

const ADD_STATEMENT = statement(
  'add statement',
  `insert into rail_statements (installation, sides, from_at, to_at, imported_at) values ($1, $2::text[], $3, $4, $5)`,
)

/** Keeps what a statement covers: the operator's word about what is not in it. */
export const addStatement = (
  { installation, sides, period }: { installation: string | null; sides: readonly string[]; period: Period },
  at: Date,
): Call =>
  call(
    ADD_STATEMENT,
    installation,
    sides,
    period.from.toISOString(),
    period.to.toISOString(),
    at.toISOString(),
  )

/** A difference between a statement and our books. `tag` is that in the id it names. */
export type Difference = {
  kind: 'rail_only' | 'ours_only' | 'mismatch' | 'doubled_by_rail'
  merchantId: number | null
  subject: string
  details: Record<string, unknown>
}

// The moved lines of the period, and ours. A line belongs to the movement whose id it carries, else to the one with its number.
const SIDES = `parameters as (select $1::timestamptz, $2::timestamptz, $3::timestamptz, $4::timestamptz),
  theirs as (
    select l.*, coalesce(l.external_id, m.id) as movement from rail_statement_lines l
    left join (${LIVE_MOVEMENTS}) m on l.external_id is null and m.rail_transaction_id = l.rail_transaction_id
    where l.at between $1 and $2 and l.status = 'SUCCESSFUL' and l.type in ('collect', 'disburse')),
  ours as (select * from (${LIVE_MOVEMENTS}) o)`
// What one run reports of each kind.
const MOST = 1000

const difference = (name: string, sql: string) =>
  statement<Difference>(`statement: ${name}`, `with ${SIDES} ${sql} limit ${MOST}`)

const DIFFERENCES = [
  difference(
    'theirs alone',
    `select 'rail_only' as kind, o.merchant_id as "merchantId", t.movement as subject,
       jsonb_build_object('amount', t.amount, 'at', t.at, 'number', t.rail_transaction_id, 'we_say',
         case when o.id is null then 'nothing' when o.voided_at is not null then 'void' else o.status end) as details
     from theirs t left join ours o on o.id = t.movement
     where (o.id is null and t.at between $3 and $4) or o.voided_at is not null or o.status = 'failed'`,
  ),
  difference(
    'ours alone',
    `select 'ours_only' as kind, o.merchant_id as "merchantId", o.id as subject,
       jsonb_build_object('amount', o.amount, 'number', o.rail_transaction_id) as details
     from ours o where o.status in ('succeeded', 'refunded') and o.amount > 0 and o.completed_at between $3 and $4
       and not exists (select from rail_statement_lines l where l.status = 'SUCCESSFUL'
         and (l.external_id = o.id or l.rail_transaction_id = o.rail_transaction_id))`,
  ),
  difference(
    'another amount or side',
    `select 'mismatch' as kind, o.merchant_id as "merchantId", o.id as subject,
       jsonb_build_object('we_say', o.amount, 'rail_said', t.amount, 'side', t.type) as details
     from theirs t join ours o on o.id = t.movement where t.amount <> o.amount or t.type <> o.side`,
  ),
  difference(
    'twice',
    `select 'doubled_by_rail' as kind, o.merchant_id as "merchantId", o.id as subject,
       jsonb_build_object('numbers', array_agg(distinct t.rail_transaction_id order by t.rail_transaction_id)) as details
     from theirs t join ours o on o.id = t.movement group by o.merchant_id, o.id
     having count(distinct t.rail_transaction_id) > 1`,
  ),
]
const MATCHED = statement<{ lines: number; matched: number }>(
  'statement: matched',
  `with ${SIDES} select count(*)::int as lines,
     (count(*) filter (where o.status in ('succeeded', 'refunded') and o.amount = t.amount and o.side = t.type))::int as matched
   from theirs t left join ours o on o.id = t.movement`,
)

/** The period of a statement, and the part of it in which what is missing on one side is judged. */
export type Period = { from: Date; to: Date }
const MARGIN_MS = 2 * 3_600_000

const boundsOf = ({ from, to }: Period): string[] =>
  [from, to, new Date(from.getTime() + MARGIN_MS), new Date(to.getTime() - MARGIN_MS)].map((at) =>
    at.toISOString(),
  )

/** Every difference between the lines of this period and our books, a bounded number of each kind. */
export const differences = (period: Period): Call<Difference>[] =>
  DIFFERENCES.map((one) => call(one, ...boundsOf(period)))

export const matched = ({ from, to }: Period): Call<{ lines: number; matched: number }> =>
  call(MATCHED, ...boundsOf({ from, to }))
