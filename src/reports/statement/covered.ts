import { statement } from '../../platform/db/statement.ts'
import { COVERED_LINE, POSTED_CHARGES, POSTED_GIFT_CARD, POSTED_LINE } from './line-text.ts'
import type { Lines, Month } from './lines.ts'
import { type Period, sqlTime } from './period.ts'
import type { SeqRange } from './range.ts'
import type { Ledger, Snapshot } from './snapshot.ts'

// Charges that a gift card covers in full have no transfer. They have their own index, which is empty for most merchants.
const COVERED = 'c.merchant_id = $1 and c.mode = $2 and c.amount = c.gift_card_amount'

const COUNT = statement<{ count: number }>(
  'covered charges of a statement',
  `select count(*) as count from charges c where ${COVERED} and c.completed_at >= $3 and c.completed_at < $4`,
)

// A covered charge goes before the first line, in the order of numbers, with a later time. Numbers are nearly in the order
// of time: `high` is the latest time so far, and $7 that of all windows before. So the order does not depend on the
// windows, and after the last window only charges later than every line are left.
const MERGED = statement<MergedLines>(
  'money in of a statement with covered charges',
  `with posted as (
     select t.seq, greatest($7::timestamptz, max(t.at) over (order by t.seq)) as high, ${POSTED_LINE} as line,
       ${POSTED_GIFT_CARD} as gift_card from ${POSTED_CHARGES}),
   merged as (
     select high, seq, '' as id, line, gift_card from posted
     union all
     select c.completed_at, null, c.id, ${COVERED_LINE}, c.gift_card_amount from charges c
     where ${COVERED} and c.completed_at >= $7 and c.completed_at < (select max(high) from posted))
   select string_agg(line, ',' order by high, seq nulls last, id) as lines, count(*) as count,
     coalesce(sum(gift_card), 0)::bigint as "giftCards", max(high)::text as high, '' as id from merged`,
)

// The charges later than every line, a page at a time: after $3 and, at the same time, after $4.
const LEFT = statement<MergedLines>(
  'covered charges left of a statement',
  `select string_agg(line, ',' order by completed_at, id) as lines, count(*) as count,
     coalesce(sum(gift_card_amount), 0)::bigint as "giftCards", max(completed_at)::text as high,
     (array_agg(id order by completed_at desc, id desc))[1] as id
   from (select c.completed_at, c.id, c.gift_card_amount, ${COVERED_LINE} as line from charges c
     where ${COVERED} and c.completed_at >= $3 and (c.completed_at, c.id) > ($3, $4) and c.completed_at < $5
     order by c.completed_at, c.id limit $6) l`,
)
const LEFT_AT_ONCE = 4000

/** `high` is a time as the database writes it, to the microsecond; null when there was no line. */
type MergedLines = Lines & { high: string | null; id: string | null }

/** How many charges of the month gift cards have covered in full. */
export async function countCovered(
  snapshot: Snapshot,
  { merchantId, mode }: Ledger,
  { start, end }: Period,
): Promise<number> {
  const [row] = await snapshot.ask(COUNT, [merchantId, mode, sqlTime(start), sqlTime(end)])
  return row?.count ?? 0
}

/** Reads the lines of money in, posted or covered: each call reads the piece after the given one. */
export function askMerged(
  snapshot: Snapshot,
  { ledger, period }: Month,
  windows: Iterator<SeqRange>,
): (last: Lines | null) => Promise<Lines[]> | null {
  const own = [ledger.merchantId, ledger.mode]
  const [start, end] = [sqlTime(period.start), sqlTime(period.end)]
  let [high, id, pages] = [start, '', 0]
  return (last) => {
    if (last !== null) [high, id] = [(last as MergedLines).high ?? high, (last as MergedLines).id ?? id]
    const { value: window, done } = windows.next()
    if (!done) return snapshot.ask(MERGED, [...own, window.first, window.end, start, end, high])
    if (pages > 0 && (last === null || last.count < LEFT_AT_ONCE)) return null
    pages += 1
    return snapshot.ask(LEFT, [...own, high, id, end, LEFT_AT_ONCE])
  }
}
