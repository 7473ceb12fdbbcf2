import { detailScans } from '../../payments/charges/charge-indexes.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { lastNine } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'

const LINKS_AT_ONCE = 1000

// As the charges of the number are found; those without metadata gave none to their link either.
const FORGET = detailScans('$2::mode').map((scan, index) =>
  statement<{ id: string }>(
    `forget payer of payment links ${index}`,
    `update payment_links u set metadata = null
     from (select l.merchant_id, l.id from (select c.merchant_id, c.id, c.payment_link_id, c.metadata, c.status from charges c
       where c.merchant_id = $1 and c.mode = $2 and c.phone9 is not null and c.phone9 = $3 and c.phone = $4 and ${scan}
         order by c.created_at, c.id offset 0) c
       join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.charge_id = c.id
       where c.metadata is not null and c.status <> 'failed' and l.metadata is not null limit ${LINKS_AT_ONCE}) found
     where u.merchant_id = found.merchant_id and u.id = found.id
     returning u.id`,
  ),
)

/**
 * Takes metadata, which may name a person, off the one-shot links and orders that charges of a number hold. Links are asked before their
 * charges are forgotten: a charge without metadata leads to none. A link for many customers keeps its own, and so does one whose attempt failed:
 * somebody else may pay it.
 */
export async function forgetLinkPayer(app: App, { merchantId, mode }: MerchantMode, phone: string): Promise<void> {
  for (const forget of FORGET) {
    const { statement: asked, values } = call(forget, merchantId, mode, lastNine(phone), phone)
    for (;;) if ((await app.db.query(asked, values)).length < LINKS_AT_ONCE) break
  }
}
