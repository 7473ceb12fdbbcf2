import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import { ownersToTell } from '../merchants/tell-owners.ts'
import { statement } from '../platform/db/statement.ts'
import { kampalaDay } from '../platform/kampala.ts'

type Failing = { merchantId: number; waiting: number; since: Date }
const FAILING = statement<Failing>(
  'owners of failing receivers',
  `select r.merchant_id as "merchantId", w.waiting, w.since
   from receivers r join merchants m on m.id = r.merchant_id and m.active cross join lateral (
     select count(*)::int as waiting, min(created_at) as since from (select d.created_at from deliveries d
       where d.merchant_id = r.merchant_id and d.mode = 'live' and d.next_attempt_at is not null and d.attempts > 0
         and d.created_at <= $1::timestamptz - interval '24 hours' order by d.next_attempt_at limit 1000) late) w
   where r.good_in_a_row = 0 and coalesce(r.last_success_at, '-infinity') <= $1::timestamptz - interval '24 hours' and w.waiting > 0
   order by 1 limit 100`,
)

/**
 * Tells the owners of a business by mail that its receiver has taken no live webhook for a day: once for each day on which the trouble
 * began, however often it is looked at.
 */
export async function tellReceivers(app: App, at: Date): Promise<void> {
  for (const { merchantId, waiting, since } of await app.db.query(FAILING, [at.toISOString()]))
    for (const { email, handle } of await ownersToTell(app, merchantId)) {
      const add = addMail(app, {
        ...{ to: email, template: 'receiver-failing', at },
        values: { business: handle, waiting: String(waiting), link: `${app.baseUrl}/dashboard/developers` },
        once: `receiver-failing ${merchantId} ${email} ${kampalaDay(since)}`,
      })
      await app.directory.query(add.statement, add.values)
    }
}
