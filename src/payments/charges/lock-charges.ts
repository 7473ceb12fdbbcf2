import { numberColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'

// Finds charges of either mode: a refund is the one look-up that ignores it, so that its refusal can name the right key (contract.md 3 b).
const LOCK_CHARGES = statement<Charge>(
  'lock charges to refund',
  `select ${CHARGE_COLUMNS} from charges c
   where (c.merchant_id, c.id) in (select * from unnest($1::bigint[], $2::text[])) and c.published
   order by c.merchant_id, c.id for no key update`,
)
/** Locks these charges in the one order that every transaction uses. */
export const lockCharges = (charges: readonly { merchantId: number; id: string }[]): Call<Charge> =>
  call(
    LOCK_CHARGES,
    numberColumn(charges.map((charge) => charge.merchantId)),
    charges.map((charge) => charge.id),
  )
