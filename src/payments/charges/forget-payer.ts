import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { lastNine } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { detailScans, FINISHED_CHARGES } from './charge-indexes.ts'

// A number may have paid very often: each commit forgets so many.
const ROWS_AT_ONCE = 5000

type ForgetByCharges = (app: App, of: MerchantMode, phone: string) => Promise<void>

/**
 * Makes what forgets something that hangs on the charges of a number. `update` makes a statement that changes what `found` names, from the
 * SQL of these charges `c`; `found` are the rows that still have it, as merchant and id.
 */
export function forgetByCharges(
  name: string,
  { found, update }: { found: (charges: string) => string; update: string },
): ForgetByCharges {
  const statements = detailScans('$2::mode').map((scan, index) =>
    statement<{ id: string }>(
      `${name} ${index}`,
      `${update} from (${found(chargesOf(scan))} limit ${ROWS_AT_ONCE}) found
       where u.merchant_id = found.merchant_id and u.id = found.id returning u.id`,
    ),
  )
  return async (app, { merchantId, mode }, phone) => {
    for (const forget of statements) {
      const { statement: asked, values } = call(forget, merchantId, mode, lastNine(phone), phone)
      for (;;) if ((await app.db.query(asked, values)).length < ROWS_AT_ONCE) break
    }
  }
}

// In the order of the index of phones, and filtered behind `offset 0`: otherwise the server may read all charges of the merchant.
const chargesOf = (scan: string) =>
  `(select c.merchant_id, c.id, c.email, c.customer_name, c.metadata, c.status, c.payment_link_id, c.refund_id from charges c
    where c.merchant_id = $1 and c.mode = $2 and c.phone9 is not null and c.phone9 = $3 and c.phone = $4 and ${scan}
      ${scan === FINISHED_CHARGES ? 'and c.published' : ''}
    order by c.created_at, c.id offset 0) c`

/**
 * Takes name, e-mail address and metadata, which may name a person too, off the charges of a number. The number stays: it is needed for refunds,
 * and is of the books of both sides. Events and answers that have been sent stay as they were.
 */
export const forgetPayer = forgetByCharges('forget payer of charges', {
  update: 'update charges u set email = null, customer_name = null, metadata = null',
  found: (charges) =>
    `select c.merchant_id, c.id from ${charges} where c.email is not null or c.customer_name is not null or c.metadata is not null`,
})
