import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import { statement } from '../platform/db/statement.ts'
import { NOTICE_COLUMNS, type Notice, noticeLink } from './notice.ts'

type Due = Notice & { business: string }
type News = { event: string; subject: string; amount: number; reason: string | null; at: Date }

/** How many addresses one run tells. */
export const NOTICES_AT_ONCE = 50
// An event is stored under the time at which its transaction began: a minute later all of that time are there.
const LAG_MS = 60_000
// What comes meanwhile goes into one mail.
const QUIET_MS = 120_000
// After an outage an hour at a time.
const MOST_BACKLOG_MS = 3_600_000
const MOST_TOLD = 20
const MOST_READ = 100

const DUE = statement<Due>(
  'notices that are due',
  `select ${NOTICE_COLUMNS}, m.name as business from notices n join merchants m on m.id = n.merchant_id
   where n.confirmed_at is not null and n.stopped_at is null and (n.payments_above is not null or n.failures)
     and n.told_until < $1 order by n.told_until limit $2`,
)
const NEWS = statement<News>(
  'news for notice',
  `select d.event, e.subject, (e.body::jsonb->'data'->>'amount')::bigint as amount,
     e.body::jsonb->'data'->>'failure_reason' as reason, d.created_at as at
   from deliveries d join events e on e.merchant_id = d.merchant_id and e.id = d.event_id
   where d.merchant_id = $1 and d.mode = 'live' and d.created_at > $2 and d.created_at <= $3
     and (d.event = 'charge.succeeded' and (e.body::jsonb->'data'->>'amount')::bigint >= $4
       or d.event in ('charge.failed', 'payout.failed') and $5)
   order by d.created_at, d.event_id limit ${MOST_READ + 1}`,
)
const TOLD = statement(
  'notice was told',
  'update notices set told_until = $4 where merchant_id = $1 and id = $2 and told_until = $3 returning id',
)

/**
 * Tells each address what has happened since the last time, in one mail at most every two minutes. The mail is written under a name of its
 * own before the time moves on, so that a crash between the two sends nothing twice.
 */
export async function sendNotices(app: App): Promise<number> {
  const now = app.clock.nowMs()
  const due = await app.db.query(DUE, [new Date(now - LAG_MS - QUIET_MS).toISOString(), NOTICES_AT_ONCE])
  for (const notice of due) await tellOne(app, notice, new Date(now - LAG_MS))
  return due.length
}

async function tellOne(app: App, notice: Due, until: Date): Promise<void> {
  const { merchantId, id, email, business, paymentsAbove, failures, toldUntil } = notice
  const end = Math.min(until.getTime(), toldUntil.getTime() + MOST_BACKLOG_MS)
  const bounds = [toldUntil.toISOString(), new Date(end).toISOString()]
  const news = await app.db.query(NEWS, [merchantId, ...bounds, paymentsAbove, failures])
  if (news.length > 0) {
    const values = { business, news: textOf(news), link: noticeLink(app, id) }
    const once = `news ${id} ${bounds.join(' ')}`
    const mail = addMail(app, { to: email, template: 'notice-news', values, at: app.clock.now(), once })
    await app.directory.query(mail.statement, mail.values)
  }
  await app.db.query(TOLD, [merchantId, id, ...bounds])
}

const SAYS: Readonly<Record<string, string>> = {
  'charge.succeeded': 'paid',
  'charge.failed': 'charge failed',
  'payout.failed': 'payout failed',
}
const UGX = new Intl.NumberFormat('en-US')

function textOf(news: readonly News[]): string {
  const lines = news.slice(0, MOST_TOLD).map(({ event, subject, amount, reason }) => {
    const why = reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`
    return `UGX ${UGX.format(amount)} ${SAYS[event] ?? event}${why}: ${subject}`
  })
  const rest = news.length - lines.length
  const many = news.length > MOST_READ ? `more than ${MOST_READ - MOST_TOLD}` : String(rest)
  return [...lines, ...(rest > 0 ? [`And ${many} more: see the dashboard.`] : [])].join('\n')
}
