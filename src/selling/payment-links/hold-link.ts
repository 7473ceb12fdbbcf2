import { MERCHANT_AND_ID_ROWS, numberColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { PAYMENT_LINK_COLUMNS, type PaymentLink } from './payment-link.ts'

const LOCK_LINK = statement<PaymentLink>(
  'lock payment link',
  `select ${PAYMENT_LINK_COLUMNS} from payment_links l where l.merchant_id = $1 and l.id = $2 for no key update`,
)
const HOLD_LINK = statement(
  'hold payment link',
  'update payment_links set charge_id = $3 where merchant_id = $1 and id = $2',
)
const LOCK_CHARGES_OF_LINKS = statement<{ id: string }>(
  'lock charges of payment links',
  `select c.id from charges c where (c.merchant_id, c.id) in (select l.merchant_id, l.charge_id from payment_links l
     where (l.merchant_id, l.id) in ${MERCHANT_AND_ID_ROWS})
   order by c.merchant_id, c.id for no key update`,
)

/**
 * Locks a link of any kind and mode for the commit that starts or repeats a payment on it. Its charges must be read by a
 * separate statement afterwards: a join here would see them as they were before the wait.
 */
export const lockLink = (merchantId: number, id: string): Call<PaymentLink> => call(LOCK_LINK, merchantId, id)

/** Stores the attempt that holds a one-shot link, or null for none. `lockLink` has locked the row. */
export const holdLink = ({ merchantId, id, chargeId }: Pick<PaymentLink, 'merchantId' | 'id' | 'chargeId'>): Call =>
  call(HOLD_LINK, merchantId, id, chargeId)

/** Locks the attempts that hold these links, in the one order that all transactions follow. */
export const lockChargesOfLinks = (links: readonly { merchantId: number; id: string }[]): Call<{ id: string }> =>
  call(
    LOCK_CHARGES_OF_LINKS,
    numberColumn(links.map((link) => link.merchantId)),
    links.map((link) => link.id),
  )
