import { numbers, times, words } from '../platform/db/columns.ts'
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
const REFUND = statement(
  'refund charges',
  `update charges c set status = 'refunded', refunded_at = n.at, refund_id = n.refund_id
   from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as n (merchant_id, id, refund_id, at)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.status = 'succeeded'`,
)

/** Locks these charges of their merchants, in the order every transaction uses. */
export const lockCharges = (charges: readonly { merchantId: number; id: string }[]): Call<Charge> =>
  call(
    LOCK,
    numbers(charges.map((one) => one.merchantId)),
    charges.map((one) => one.id),
  )

/** Marks locked, succeeded charges as refunded by these payouts; null where a gift card gets all of it back. */
export function refundCharges(
  refunded: readonly { merchantId: number; id: string; refundId: string | null; at: Date }[],
): Call[] {
  if (refunded.length === 0) return []
  return [
    call(
      REFUND,
      numbers(refunded.map((one) => one.merchantId)),
      words(refunded.map((one) => one.id)),
      words(refunded.map((one) => one.refundId)),
      times(refunded.map((one) => one.at)),
    ),
  ]
}
