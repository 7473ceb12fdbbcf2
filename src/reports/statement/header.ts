import type { Caller } from '../../api/access/actor.ts'
import { closeMonth } from '../../ledger/closed-months.ts'
import { assert } from '../../platform/assert.ts'
import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { StatementPeriod } from './period.ts'

/** The facts of the merchant on a statement. */
export type StatementHeader = { merchantName: string; handle: string; vatNumber: string | null }
type MerchantHeaderRow = StatementHeader & { createdAt: Date }

const MERCHANT = statement<MerchantHeaderRow>(
  'merchant of a statement',
  `select name as "merchantName", handle, vat_number as "vatNumber", created_at as "createdAt" from merchants where id = $1`,
)
const STORE_HEADER = statement(
  'keep statement header',
  `insert into statement_headers (merchant_id, mode, period, merchant_name, handle, vat_number, kept_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
)
const STORED_HEADER = statement<StatementHeader>(
  'kept statement header',
  `select merchant_name as "merchantName", handle, vat_number as "vatNumber" from statement_headers
   where merchant_id = $1 and mode = $2 and period = $3`,
)
const CLOSED_UNTIL = statement<{ until: Date | null }>(
  'closed until',
  `select nullif(closed_until, '-infinity') as until from ledger_heads where merchant_id = $1 and mode = $2`,
)
// All months before sign-up share one stored header, so that asking for every month since the year 1 stores one row only.
const BEFORE_SIGN_UP = '0000-00'

/** The merchant as it is now. */
export async function readCurrentHeader(db: Database, { merchantId }: Caller): Promise<MerchantHeaderRow> {
  const [merchant] = await db.query(MERCHANT, [merchantId])
  assert(merchant, 'a caller has a merchant')
  return merchant
}

/**
 * Closes a month that is over by both clocks, so that nothing can be posted in it any more, and returns the merchant's name as it was at
 * the first closing (ledger.md 10). Null for a running month, and, while the clock is in doubt, for one that was not closed before.
 */
export async function closeAndReadHeader(
  app: Pick<App, 'db' | 'clock' | 'witness'>,
  caller: Caller,
  period: StatementPeriod,
): Promise<StatementHeader | null> {
  const { merchantName, handle, vatNumber, createdAt } = await readCurrentHeader(app.db, caller)
  const { merchantId, mode } = caller
  const name = period.end <= createdAt ? BEFORE_SIGN_UP : period.name
  if (app.witness.doubt() !== null || period.end > app.witness.earlier()) {
    const [head] = await app.db.query(CLOSED_UNTIL, [merchantId, mode])
    if (!head?.until || head.until < period.end) return null
    const [kept] = await app.db.query(STORED_HEADER, [merchantId, mode, name])
    return kept ?? null
  }
  return app.db.transaction(async (tx) => {
    const [, , kept] = await tx.send(
      closeMonth(merchantId, mode, period.end),
      call(STORE_HEADER, merchantId, mode, name, merchantName, handle, vatNumber, app.clock.now().toISOString()),
      call(STORED_HEADER, merchantId, mode, name),
    )
    assert(kept[0], 'the header was kept a moment ago')
    return { value: kept[0] }
  })
}
