import { assert } from '../platform/assert.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'
import type { App } from '../program/app.ts'
import type { LedgerHead } from './book.ts'

const LEDGER_HEAD = statement<LedgerHead>(
  'ledger head',
  `select h.merchant_id as "merchantId", h.mode, h.available, h.pending, h.in_flight, h.seq,
     h.payouts_paused_by as "payoutsPausedBy", h.payouts_frozen_for as "payoutsFrozenFor",
     nullif(h.closed_until, '-infinity') as "closedUntil"
   from ledger_heads h where h.merchant_id = $1 and h.mode = $2`,
)

/** Reads the balances of a merchant and mode without a lock: to be shown, never to decide with. Whole UGX. */
export async function getLedgerHead(app: Pick<App, 'db'>, { merchantId, mode }: MerchantMode): Promise<LedgerHead> {
  const [head] = await app.db.query(LEDGER_HEAD, [merchantId, mode])
  assert(head, 'a merchant has a head in each mode')
  return head
}
