import type { App } from '../app.ts'
import { later } from '../platform/clock.ts'
import { isOver, tooFarAhead } from '../platform/db/due-times.ts'
import { statement } from '../platform/db/statement.ts'

/** A payment link whose page has a box for gift card codes. */
export type VoucherLink = { merchantId: number; linkId: string }
export type VoucherBox = 'open' | 'closed'

const MOST_MISSES = 20
const DAY_MS = 86_400_000

const CLOSED_UNTIL = statement<{ closedUntil: Date | null }>(
  'voucher box closed until',
  `select closed_until as "closedUntil" from voucher_misses where merchant_id = $1 and link_id = $2`,
)
// $3 is now, $4 a day ago, $5 a day from now, $6 the number of misses that closes. A row whose first miss is older than a
// day starts anew. While the box is closed nothing is counted, so that further wrong codes do not keep it closed.
const COUNT = statement<{ closedUntil: Date | null }>(
  'count voucher miss',
  `insert into voucher_misses as v (merchant_id, link_id, misses, since) values ($1, $2, 1, $3)
   on conflict (merchant_id, link_id) do update
     set misses = case when v.since <= $4 then 1 else v.misses + 1 end,
       since = case when v.since <= $4 then $3 else v.since end,
       closed_until = case when v.since > $4 and v.misses + 1 >= $6 then $5::timestamptz end
     where v.closed_until is null or ${isOver('v.closed_until', '$3', DAY_MS)}
   returning v.closed_until as "closedUntil"`,
)

/** Whether the voucher box of this link may be used now (reliability.md A48). */
export async function voucherBox(app: App, { merchantId, linkId }: VoucherLink): Promise<VoucherBox> {
  const [row] = await app.db.query(CLOSED_UNTIL, [merchantId, linkId])
  const now = app.clock.now()
  return row?.closedUntil && row.closedUntil > now && row.closedUntil <= tooFarAhead(now, DAY_MS)
    ? 'closed'
    : 'open'
}

/** Counts a code that could not be used; the twentieth within a day closes the box for a day. The link must be stored already. */
export async function countVoucherMiss(app: App, { merchantId, linkId }: VoucherLink): Promise<VoucherBox> {
  const at = app.clock.now()
  const [now, dayAgo, dayOn] = [0, -DAY_MS, DAY_MS].map((ms) => later(at, ms).toISOString())
  const [row] = await app.db.query(COUNT, [merchantId, linkId, now, dayAgo, dayOn, MOST_MISSES])
  return row !== undefined && row.closedUntil === null ? 'open' : 'closed'
}
