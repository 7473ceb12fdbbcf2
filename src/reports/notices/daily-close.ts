import { actingFor, serviceActor } from '../../api/access/actor.ts'
import { getLedgerHead } from '../../ledger/get-ledger-head.ts'
import { findMerchantsById } from '../../merchants/account/merchant.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import { oneLine } from '../../platform/text/text.ts'
import { dayBounds, kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { readNeeds } from '../read-needs.ts'
import { readDayFigures } from '../statement/figures.ts'
import { formatFigures, formatNeedLines, formatUgx } from './daily-close-lines.ts'
import { makeNoticeLink } from './notice.ts'

/** How many businesses are read at a time. */
export const CLOSES_PER_PAGE = 20
const DAY_MS = 86_400_000
// Mails go out from seven in the morning in Kampala.
const SEND_AFTER_MS = 7 * 3_600_000
// Bounds one run; the next run goes on.
const MAX_PAGES_PER_RUN = 25

const DUE = statement<{ merchantId: number }>(
  'daily closes that are due',
  `select n.merchant_id as "merchantId" from notices n
   where n.daily_close and n.confirmed_at is not null and n.stopped_at is null and n.confirmed_at < $2 and n.merchant_id > $4
     and not exists (select 1 from daily_closes c where c.merchant_id = n.merchant_id and c.day = $1::date)
   group by n.merchant_id order by n.merchant_id limit $3`,
)
const READERS = statement<{ id: string; email: string }>(
  'readers of daily close',
  `select id, email from notices where merchant_id = $1 and daily_close and confirmed_at is not null and stopped_at is null
   order by id limit 20`,
)
const RECORD_SENT = statement(
  'daily close was sent',
  'insert into daily_closes (merchant_id, day, sent_at) values ($1, $2::date, $3) on conflict do nothing returning day',
)

/**
 * Sends the close of yesterday in live mode: money in and out, fees, balance, and what waits for the merchant's people. The figures are
 * those of the statement. Each mail is stored under a key of its day and reader, so that a crash sends none twice.
 */
export async function sendDailyCloses(app: App): Promise<number> {
  const now = app.witness.earlier()
  const today = dayBounds(kampalaDay(now))
  if (now.getTime() < today.start.getTime() + SEND_AFTER_MS) return 0
  const day = kampalaDay(new Date(today.start.getTime() - DAY_MS))
  let closed = 0
  let after = 0
  for (let page = 0; page < MAX_PAGES_PER_RUN; page += 1) {
    const due = await app.db.query(DUE, [day, today.start.toISOString(), CLOSES_PER_PAGE, after])
    for (const { merchantId } of due) {
      // An error of one business does not stop the others: its close is tried again in five minutes.
      closed += await sendDailyClose(app, merchantId, day).catch((error) => {
        app.log.error({ err: error, merchantId }, 'a daily close could not be written')
        return 0
      })
      after = merchantId
    }
    if (due.length < CLOSES_PER_PAGE) break
  }
  return closed
}

async function sendDailyClose(app: App, merchantId: number, day: string): Promise<number> {
  const find = findMerchantsById([merchantId])
  const [merchant] = await app.db.query(find.statement, find.values)
  assert(merchant, 'a notice has a merchant')
  const account = { merchantId, tag: merchant.tag, cell: app.cell, mode: 'live' } as const
  const caller = actingFor(serviceActor('daily close'), account)
  const [figures, head, needs, readers] = await Promise.all([
    readDayFigures(app, caller, day),
    getLedgerHead(app, caller),
    readNeeds(app, caller, merchant),
    app.db.query(READERS, [merchantId]),
  ])
  const news = [
    ...formatFigures(figures, 'day'),
    `Now available: ${formatUgx(head.available)}; pending: ${formatUgx(head.pending)}.`,
    ...formatNeedLines(needs, app.baseUrl),
  ].join('\n')
  const now = app.clock.now()
  for (const { id, email } of readers) {
    const values = { business: oneLine(merchant.name), day, news, link: makeNoticeLink(app, id) }
    const once = `close ${id} ${day}`
    const mail = addMail(app, { to: email, template: 'daily-close', values, at: now, once })
    await app.directory.query(mail.statement, mail.values)
  }
  await app.db.query(RECORD_SENT, [merchantId, day, now.toISOString()])
  return 1
}
