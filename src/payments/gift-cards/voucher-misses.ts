import { immutableDueCondition, latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'

/** A payment link whose page has a box for gift card codes. */
export type VoucherLinkKey = { merchantId: number; linkId: string }
export type VoucherBoxState = 'open' | 'closed'

const MAX_MISSES_PER_DAY = 20
const DAY_MS = 86_400_000

const VOUCHER_BOX_CLOSED_UNTIL = statement<{ closedUntil: Date | null }>(
  'voucher box closed until',
  `select closed_until as "closedUntil" from voucher_misses where merchant_id = $1 and link_id = $2`,
)
// $3 is now, $4 a day ago, $5 a day from now, $6 the number of misses that closes. A row whose first miss is older than a
// day starts anew. While the box is closed nothing is counted, so that further wrong codes do not keep it closed.
const COUNT_MISS = statement<{ closedUntil: Date | null }>(
  'count voucher miss',
  `insert into voucher_misses as v (merchant_id, link_id, misses, since) values ($1, $2, 1, $3)
   on conflict (merchant_id, link_id) do update
     set misses = case when v.since <= $4 then 1 else v.misses + 1 end,
       since = case when v.since <= $4 then $3 else v.since end,
       closed_until = case when v.since > $4 and v.misses + 1 >= $6 then $5::timestamptz end
     where v.closed_until is null or ${immutableDueCondition('v.closed_until', '$3', DAY_MS)}
   returning v.closed_until as "closedUntil"`,
)

/** Whether the voucher box of this link may be used now (reliability.md A48). */
export async function readVoucherBox(app: App, { merchantId, linkId }: VoucherLinkKey): Promise<VoucherBoxState> {
  const [row] = await app.db.query(VOUCHER_BOX_CLOSED_UNTIL, [merchantId, linkId])
  const now = app.clock.now()
  return row?.closedUntil && row.closedUntil > now && row.closedUntil <= latestPlausibleTime(now, DAY_MS)
    ? 'closed'
    : 'open'
}

/** Counts a code that could not be used; the twentieth within a day closes the box for a day. The link must be stored already. */
export async function countVoucherMiss(app: App, { merchantId, linkId }: VoucherLinkKey): Promise<VoucherBoxState> {
  const at = app.clock.now()
  const [now, dayAgo, dayOn] = [0, -DAY_MS, DAY_MS].map((ms) => addMs(at, ms).toISOString())
  const [row] = await app.db.query(COUNT_MISS, [merchantId, linkId, now, dayAgo, dayOn, MAX_MISSES_PER_DAY])
  return row !== undefined && row.closedUntil === null ? 'open' : 'closed'
}
