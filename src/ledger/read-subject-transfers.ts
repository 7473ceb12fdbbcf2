import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'
import type { TransferKind } from './accounts.ts'

/** One transfer about an object. Whole UGX. */
export type Transfer = {
  seq: number
  kind: TransferKind
  debit: string
  credit: string
  amount: number
  at: Date
}

// `transfers` has two indexes by subject, one for shares and one for the rest; each branch below must match the condition of one.
const SHARE_KINDS = `('split_share', 'split_release')`
const COLUMNS = 'select seq, kind, debit, credit, amount, at from transfers'
const TRANSFERS_OF_SUBJECT = statement<Transfer>(
  'transfers of subject',
  `select * from (${COLUMNS} where merchant_id = $1 and subject = $2 and kind not in ${SHARE_KINDS} and mode = $3
     union all ${COLUMNS} where merchant_id = $1 and subject = $2 and kind in ${SHARE_KINDS} and mode = $3
     union all ${COLUMNS} where merchant_id = $1 and kind not in ${SHARE_KINDS} and mode = $3
       and subject in (select id from adjustments where merchant_id = $1 and about = $2)) t
   order by seq limit 100`,
)

/** Reads the transfers about one object, and the corrections of them, in the order of posting; at most 100. */
export const readSubjectTransfers = (
  db: Database,
  { merchantId, mode }: MerchantMode,
  subject: string,
): Promise<Transfer[]> => db.query(TRANSFERS_OF_SUBJECT, [merchantId, subject, mode])
