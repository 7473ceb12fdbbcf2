import { ALL_INDEX_CONDITIONS } from '../../merchants/webhooks/delivery-indexes.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { addMs } from '../../platform/time/clock.ts'
import { dayBounds, kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'

/** An account to count, and when it was counted last; null for never. */
export type DueAccount = MerchantMode & { countedAt: Date | null }

const COUNT_AGAIN_AFTER_MS = 60_000
// One statement checks the accounts of so many merchants. Where nothing has happened that is one descent of an index each.
const MERCHANTS_AT_ONCE = 500
// The mode that sorts last in the database.
const LAST_MODE = 'live'

/** The position before the first account. */
export const BEFORE_FIRST_ACCOUNT: MerchantMode = { merchantId: 0, mode: LAST_MODE }

const LAST_OF_SEARCH = statement<{ id: number }>(
  'last merchant of a look for tallies',
  `select id from merchants where id > $1 order by id offset ${MERCHANTS_AT_ONCE - 1} limit 1`,
)
// Every final charge stores its delivery in the same commit, so an account without a delivery since it was counted has the same figures.
// A delivery has the time at which its transaction began: a minute later all of that time are there. Days before today are counted with
// the first count of a day, so charges that finished on the day of the last count are searched once more then.
const DUE = statement<DueAccount>(
  'accounts to tally',
  `select h.merchant_id as "merchantId", h.mode, m.counted_at as "countedAt" from ledger_heads h
   left join tally_marks m on m.merchant_id = h.merchant_id and m.mode = h.mode
   where (h.merchant_id, h.mode) > ($1, $2) and h.merchant_id <= $3
     and (m.counted_at is null or m.counted_at < $4 and (${ALL_INDEX_CONDITIONS.map(
       (condition) => `exists (
       select from deliveries d where d.merchant_id = h.merchant_id and d.mode = h.mode and ${condition}
         and d.event in ('charge.succeeded', 'charge.failed', 'charge.refunded') and d.created_at >= (case
         when m.counted_at < $5 then date_trunc('day', m.counted_at + interval '3 hours') - interval '3 hours'
         else m.counted_at end) - interval '1 minute')`,
     ).join(' or ')}))
   order by h.merchant_id, h.mode limit $6`,
)

/**
 * Finds the next accounts after `after` whose figures may have changed since they were counted, at most `most`. `reached`: how far this
 * search went; null where it reached the last account.
 */
export async function findDueAccounts(
  { db }: Pick<App, 'db'>,
  after: MerchantMode,
  { now, most }: { now: Date; most: number },
): Promise<{ due: DueAccount[]; reached: MerchantMode | null }> {
  const [last] = await db.query(LAST_OF_SEARCH, [after.merchantId])
  const due = await db.query(DUE, [
    after.merchantId,
    after.mode,
    last?.id ?? Number.MAX_SAFE_INTEGER,
    addMs(now, -COUNT_AGAIN_AFTER_MS).toISOString(),
    dayBounds(kampalaDay(now)).start.toISOString(),
    most,
  ])
  return { due, reached: last ? { merchantId: last.id, mode: LAST_MODE } : null }
}
