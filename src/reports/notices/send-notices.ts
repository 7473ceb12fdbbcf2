import { addMail } from '../../merchants/mails/mail.ts'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { oneLine } from '../../platform/text/text.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { askReader, makeNoticeLink, NOTICE_COLUMNS, type Notice } from './notice.ts'
import { formatNews, readNews } from './read-news.ts'

/** An address that is due for a mail, with the end of the span that the mail covers. */
export type DueNotice = Notice & {
  business: string
  tellingUntil: Date
  hourFrom: Date | null
  hourMails: number
}

/** How many addresses one run handles. */
export const NOTICES_PER_RUN = 50
// An event carries the time at which its transaction began; a minute later every transaction of that time has committed.
const LAG_MS = 60_000
// Events of this span are collected into one mail.
const QUIET_MS = 120_000
// After this many mails an address waits for the next hour, and then gets one mail about all of it.
const MAX_MAILS_PER_HOUR = 6
const HOUR_MS = 3_600_000
// An address whose mail could not be written is tried again after this time, and delays no other.
const LEASE_MS = 5 * 60_000

// The span of a mail is fixed here, so that every process that writes it, however often, writes the same mail. After an outage a mail covers
// one hour at a time.
const PLAN = statement<DueNotice>(
  'plan notices',
  `with due as (
     select merchant_id, id, least($2::timestamptz, told_until + interval '1 hour') as until from notices
     where confirmed_at is not null and stopped_at is null and (payments_above is not null or failures) and told_until < $1
       and (lease_until is null or ${dueCondition('lease_until', '$3', LEASE_MS)}) and (hour_mails < ${MAX_MAILS_PER_HOUR} or hour_from <= $5)
     order by told_until limit $6 for no key update skip locked)
   update notices n set lease_until = $4, telling_until = coalesce(n.telling_until, due.until)
   from due, merchants m where (n.merchant_id, n.id) = (due.merchant_id, due.id) and m.id = n.merchant_id
   returning ${NOTICE_COLUMNS}, n.telling_until as "tellingUntil", n.hour_from as "hourFrom", n.hour_mails as "hourMails", m.name as business`,
)
const RECORD_SENT = statement(
  'notice was told',
  `update notices set told_until = telling_until, telling_until = null, lease_until = null, hour_from = $4, hour_mails = $5
   where merchant_id = $1 and id = $2 and telling_until = $3`,
)
const TO_ASK = statement<Pick<Notice, 'merchantId' | 'id' | 'email'> & { business: string }>(
  'readers to ask',
  `select n.merchant_id as "merchantId", n.id, n.email, m.name as business from notices n join merchants m on m.id = n.merchant_id
   where n.asked_at is null and n.stopped_at is null and n.created_at < $1 order by n.created_at limit $2`,
)

/**
 * Mails each address the events since its last mail: at most one mail every two minutes and six an hour. A crash at any moment sends
 * nothing twice and leaves nothing out. Returns the number of addresses.
 */
export async function sendNotices(app: App): Promise<number> {
  const now = app.clock.now()
  const bounds = [addMs(now, -LAG_MS - QUIET_MS), addMs(now, -LAG_MS), now, addMs(now, LEASE_MS), addMs(now, -HOUR_MS)]
  const due = await app.db.query(PLAN, [...bounds.map((at) => at.toISOString()), NOTICES_PER_RUN])
  for (const notice of due) await logFailure(app, notice, () => sendNews(app, notice, now))
  for (const reader of await app.db.query(TO_ASK, [addMs(now, -LEASE_MS).toISOString(), NOTICES_PER_RUN]))
    await logFailure(app, reader, () => askReader(app, reader))
  return due.length
}

/** Runs the work of one address; an error is logged and does not stop the others. */
async function logFailure(app: App, { id }: { id: string }, work: () => Promise<void>): Promise<void> {
  await work().catch((error) => app.log.error({ err: error, notice: id }, 'a notice could not be written'))
}

async function sendNews(app: App, notice: DueNotice, now: Date): Promise<void> {
  const { merchantId, id, email, business, tellingUntil } = notice
  const news = await readNews(app, notice)
  if (news.length > 0) {
    const values = { business: oneLine(business), news: formatNews(news), link: makeNoticeLink(app, id) }
    const once = `news ${id} ${tellingUntil.toISOString()}`
    const mail = addMail(app, { to: email, template: 'notice-news', values, at: now, once })
    await app.directory.query(mail.statement, mail.values)
  }
  const { hourFrom, hourMails } = countMailOfHour(notice, { now, isMailed: news.length > 0 })
  await app.db.query(RECORD_SENT, [
    merchantId,
    id,
    tellingUntil.toISOString(),
    hourFrom?.toISOString() ?? null,
    hourMails,
  ])
}

function countMailOfHour({ hourFrom, hourMails }: DueNotice, { now, isMailed }: { now: Date; isMailed: boolean }) {
  const fresh = hourFrom === null || addMs(hourFrom, HOUR_MS) <= now
  if (!isMailed) return fresh ? { hourFrom: null, hourMails: 0 } : { hourFrom, hourMails }
  return fresh ? { hourFrom: now, hourMails: 1 } : { hourFrom, hourMails: hourMails + 1 }
}
