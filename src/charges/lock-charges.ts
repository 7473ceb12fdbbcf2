import { numbers } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'

// Whatever its mode: a refund is the one look-up that ignores it, so that it can name the right key (contract.md 3 b).
const LOCK = statement<Charge>(
  'lock charges to refund',
  `select ${CHARGE_COLUMNS} from charges c
   where (c.merchant_id, c.id) in (select * from unnest($1::bigint[], $2::text[])) and c.published
   order by c.merchant_id, c.id for no key update`,
)
/** Locks these charges of their merchants, in the order every transaction uses. */
export const lockCharges = (charges: readonly { merchantId: number; id: string }[]): Call<Charge> =>
  call(
    LOCK,
    numbers(charges.map((charge) => charge.merchantId)),
    charges.map((charge) => charge.id),
  )
