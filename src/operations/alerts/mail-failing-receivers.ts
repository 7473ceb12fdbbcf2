import { readMailOwners, readMailRecipients } from '../../merchants/account/mail-owners.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { readUntoldOutages, recordOutageTold } from '../../merchants/webhooks/outages.ts'
import { statement } from '../../platform/db/statement.ts'
import { kampalaDay, kampalaTime } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'

type FailingReceiver = { merchantId: number; waiting: number; since: Date }
const FAILING = statement<FailingReceiver>(
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
 * Mails the owners and developers of a business that its receiver takes nothing: within minutes, once for each outage, which the first
 * success ends.
 */
export async function mailOutages(app: App, at: Date): Promise<void> {
  for (const outage of await readUntoldOutages(app, at)) {
    const { merchantId, since, waiting, lastResponseCode, lastError } = outage
    const values = {
      ...{
        waiting: String(waiting),
        since: kampalaTime(since),
        link: `${app.baseUrl}/dashboard/developers/webhooks`,
      },
      ...{ code: lastResponseCode === null ? '' : String(lastResponseCode), error: lastError ?? '' },
    }
    for (const { email, handle } of await readMailRecipients(app, merchantId, ['owner', 'developer'])) {
      const add = addMail(app, {
        ...{ to: email, template: 'receiver-outage', at, values: { ...values, business: handle } },
        once: `receiver-outage ${merchantId} ${email} ${since.toISOString()}`,
      })
      await app.directory.query(add.statement, add.values)
    }
    await recordOutageTold(app, outage, at)
  }
}

/**
 * Mails the owners of a business that its receiver has taken no live webhook for a day: once for each day on which the trouble began,
 * however often this runs.
 */
export async function mailFailingReceivers(app: App, at: Date): Promise<void> {
  for (const { merchantId, waiting, since } of await app.db.query(FAILING, [at.toISOString()]))
    for (const { email, handle } of await readMailOwners(app, merchantId)) {
      const add = addMail(app, {
        ...{ to: email, template: 'receiver-failing', at },
        values: { business: handle, waiting: String(waiting), link: `${app.baseUrl}/dashboard/developers` },
        once: `receiver-failing ${merchantId} ${email} ${kampalaDay(since)}`,
      })
      await app.directory.query(add.statement, add.values)
    }
}
