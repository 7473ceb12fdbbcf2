import { addMail } from '../../merchants/mails/mail.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { findMonthCloseReader, forgetMonthCloseReader, lastMonthOver, monthAfter } from './month-close-readers.ts'

/** How many people are read at a time. */
export const MONTH_CLOSES_PER_PAGE = 50
// Mails are written from seven in the morning in Kampala.
const SEND_AFTER_MS = 7 * 3_600_000
// Bounds one run; the next run goes on.
const MAX_PAGES_PER_RUN = 20

type DueReader = { merchantId: number; personId: number; toldMonth: string }

const DUE = statement<DueReader>(
  'month closes that are due',
  `select merchant_id as "merchantId", person_id as "personId", told_month as "toldMonth" from month_close_readers
   where told_month < $1 and (merchant_id, person_id) > ($2, $3) order by merchant_id, person_id limit $4`,
)
const RECORD_TOLD = statement(
  'month close was written',
  'update month_close_readers set told_month = $3 where merchant_id = $1 and person_id = $2 and told_month < $3',
)

/**
 * Writes the mails about the month that is over, one to each person who asked. Each has a key of its month and person, so that a crash and a
 * second process write none twice; its figures and files are made when it is sent. Somebody whose role ended is forgotten.
 */
export async function writeMonthCloses(app: App): Promise<number> {
  const now = app.witness.earlier()
  const { month, endedAt } = lastMonthOver(now)
  if (now.getTime() < endedAt.getTime() + SEND_AFTER_MS) return 0
  let written = 0
  let after = { merchantId: 0, personId: 0 }
  for (let page = 0; page < MAX_PAGES_PER_RUN; page += 1) {
    const due = await app.db.query(DUE, [month, after.merchantId, after.personId, MONTH_CLOSES_PER_PAGE])
    for (const reader of due) written += await writeMonthClose(app, reader)
    const last = due.at(-1)
    if (last === undefined || due.length < MONTH_CLOSES_PER_PAGE) break
    after = last
  }
  return written
}

async function writeMonthClose(app: App, { merchantId, personId, toldMonth }: DueReader): Promise<number> {
  const reader = await findMonthCloseReader(app, { merchantId, personId })
  if (reader === null) {
    const forget = forgetMonthCloseReader({ merchantId, personId })
    await app.db.query(forget.statement, forget.values)
    return 0
  }
  // After an outage of more than a month each month still has its mail.
  const month = monthAfter(toldMonth)
  const at = app.clock.now()
  const mail = addMail(app, {
    ...{ to: reader.email, template: 'month-close', at, once: `month ${merchantId} ${personId} ${month}` },
    values: { merchant: String(merchantId), person: String(personId), month },
  })
  await app.directory.query(mail.statement, mail.values)
  const record = call(RECORD_TOLD, merchantId, personId, month)
  await app.db.query(record.statement, record.values)
  app.nudge('send-files')
  return 1
}
