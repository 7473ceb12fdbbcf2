import type { StaffCaller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App, Gateway } from '../../program/app.ts'
import type { RailSide } from '../../rails/rail.ts'

/** A live payment that its operator may have received and has not answered. Whole UGX. */
export type ParkedPayment = {
  id: string
  merchant: string
  business: string
  side: RailSide
  amount: number
  state: string
  /** Since when the operator may have received it. */
  leftAt: Date
  nextAt: Date | null
  firstNotFoundAt: Date | null
  questions: number
  lastAnswer: string | null
}

/** The age bands of waiting payments (rails.md 4.7), each by its least age in ms. */
export const PARKED_BANDS = [
  { name: 'new', fromMs: 0 },
  { name: '5m', fromMs: 5 * 60_000 },
  { name: '15m', fromMs: 15 * 60_000 },
  { name: '6h', fromMs: 6 * 3_600_000 },
  { name: '24h', fromMs: 24 * 3_600_000 },
  { name: '7d', fromMs: 7 * 24 * 3_600_000 },
] as const
export type ParkedBand = (typeof PARKED_BANDS)[number]['name']
export type ParkedCount = { band: ParkedBand; count: number; amount: number }

export type ParkedFilter = {
  side: RailSide | null
  band: ParkedBand
  after: { leftAt: string; id: string } | null
}

const PARKED_ON_A_PAGE = 50

// All open movements: the partial indexes hold nothing else. One that is not published is still being sent, and its id is not known
// outside yet.
const PARKED_ROWS = `
  select a.subject as id, a.merchant_id, a.side, c.amount - c.gift_card_amount as amount, a.state,
    coalesce(a.first_sent_at, a.sending_since, a.created_at) as left_at, c.follow_at as next_at, a.first_not_found_at, a.question_count,
    a.last_answer
  from charges c join rail_attempts a on a.merchant_id = c.merchant_id and a.subject = c.id
  where c.follow_at is not null and c.published and c.mode = 'live' and a.state in ('sending', 'accepted', 'in_doubt')
  union all
  select a.subject, a.merchant_id, a.side, t.amount, a.state, coalesce(a.first_sent_at, a.sending_since, a.created_at), t.follow_at,
    a.first_not_found_at, a.question_count, a.last_answer
  from top_ups t join rail_attempts a on a.merchant_id = t.merchant_id and a.subject = t.id
  where t.follow_at is not null and t.published and a.state in ('sending', 'accepted', 'in_doubt')
  union all
  select a.subject, a.merchant_id, a.side, p.amount + p.fee, a.state, coalesce(a.first_sent_at, a.sending_since, a.created_at), p.follow_at,
    a.first_not_found_at, a.question_count, a.last_answer
  from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
  where p.follow_at is not null and p.published and p.mode = 'live' and a.state in ('sending', 'accepted', 'in_doubt')`

const LIST = statement<ParkedPayment>(
  'parked payments',
  `select w.id, m.public_id as merchant, m.name as business, w.side, w.amount, w.state, w.left_at as "leftAt", w.next_at as "nextAt",
     w.first_not_found_at as "firstNotFoundAt", w.question_count as questions, w.last_answer as "lastAnswer"
   from (${PARKED_ROWS}) w join merchants m on m.id = w.merchant_id
   where w.left_at <= $1 and w.left_at > $2 and ($3::text is null or w.side = $3) and (w.left_at, w.id) > ($4::timestamptz, $5::text)
   order by w.left_at, w.id limit ${PARKED_ON_A_PAGE + 1}`,
)
const COUNT = statement<{ band: number; count: number; amount: number }>(
  'parked payments by age',
  `select width_bucket(extract(epoch from $1::timestamptz - w.left_at) * 1000, $2::float8[]) as band, count(*)::int as count,
     sum(w.amount)::bigint as amount from (${PARKED_ROWS}) w group by 1`,
)

/** Counts waiting payments by age. */
export async function countParked(gateway: Gateway, actor: StaffCaller): Promise<ParkedCount[]> {
  requireRole(actor, 'console.read')
  const now = gateway.clock.now().toISOString()
  const edges = PARKED_BANDS.map(({ fromMs }) => fromMs)
  const rows = (await Promise.all(reachedCells(gateway).map(({ db }) => db.query(COUNT, [now, edges])))).flat()
  return PARKED_BANDS.map(({ name }, index) => {
    // A payment that left after this clock's now counts as the newest.
    const own = rows.filter(({ band }) => Math.max(1, band) === index + 1)
    const sum = (of: 'count' | 'amount') => own.reduce((all, row) => all + row[of], 0)
    return { band: name, count: sum('count'), amount: sum('amount') }
  })
}

/** Lists the payments of one age band, oldest first. `next`: the cursor of the next page; null at the end. */
export async function listParked(
  gateway: Gateway,
  actor: StaffCaller,
  { side, band, after }: ParkedFilter,
): Promise<{ parked: ParkedPayment[]; next: { leftAt: string; id: string } | null }> {
  requireRole(actor, 'console.read')
  const now = gateway.clock.now()
  const index = PARKED_BANDS.findIndex(({ name }) => name === band)
  const from = PARKED_BANDS[index]?.fromMs ?? 0
  const until = PARKED_BANDS[index + 1]?.fromMs ?? null
  const values = [
    // A payment that left while this page was read counts as the newest.
    addMs(now, from === 0 ? 60_000 : -from).toISOString(),
    until === null ? '-infinity' : addMs(now, -until).toISOString(),
    side,
    after?.leftAt ?? '-infinity',
    after?.id ?? '',
  ]
  const rows = (await Promise.all(reachedCells(gateway).map((app: App) => app.db.query(LIST, values)))).flat()
  const sorted = rows.sort((a, b) => a.leftAt.getTime() - b.leftAt.getTime() || (a.id < b.id ? -1 : 1))
  const parked = sorted.slice(0, PARKED_ON_A_PAGE)
  const last = parked.at(-1)
  const next = sorted.length > PARKED_ON_A_PAGE && last ? { leftAt: last.leftAt.toISOString(), id: last.id } : null
  return { parked, next }
}
