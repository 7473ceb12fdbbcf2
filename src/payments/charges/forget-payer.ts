import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { lastNine } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { detailScans, FINISHED_CHARGES } from './charge-indexes.ts'

// A number may have paid very often: each commit forgets so many.
const CHARGES_AT_ONCE = 5000

// In the order of the index of phones, and filtered behind `offset 0`: otherwise the server may read all charges of the merchant.
const FORGET = detailScans('$2::mode').map((scan, index) =>
  statement<{ id: string }>(
    `forget payer of charges ${index}`,
    `update charges u set email = null, customer_name = null, metadata = null
     from (select c.merchant_id, c.id from (select c.merchant_id, c.id, c.email, c.customer_name, c.metadata from charges c
       where c.merchant_id = $1 and c.mode = $2 and c.phone9 is not null and c.phone9 = $3 and c.phone = $4 and ${scan}
         ${scan === FINISHED_CHARGES ? 'and c.published' : ''}
         order by c.created_at, c.id offset 0) c
       where c.email is not null or c.customer_name is not null or c.metadata is not null limit ${CHARGES_AT_ONCE}) found
     where u.merchant_id = found.merchant_id and u.id = found.id
     returning u.id`,
  ),
)

/**
 * Takes name, e-mail address and metadata, which may name a person too, off the charges of a number. The number stays: it is needed for refunds,
 * and is of the books of both sides. Events and answers that have been sent stay as they were.
 */
export async function forgetPayer(app: App, { merchantId, mode }: MerchantMode, phone: string): Promise<void> {
  for (const forget of FORGET) {
    const { statement: asked, values } = call(forget, merchantId, mode, lastNine(phone), phone)
    for (;;) if ((await app.db.query(asked, values)).length < CHARGES_AT_ONCE) break
  }
}
