import { actingFor, type Caller, serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { findMerchantsById } from '../../merchants/account/merchant.ts'
import type { LetterValues } from '../../merchants/mails/letter.ts'
import type { MailFile } from '../../merchants/mails/post-office.ts'
import { type ReadyMail, sendMailWithFiles } from '../../merchants/mails/send-mails.ts'
import { assert } from '../../platform/assert.ts'
import { limitConcurrency } from '../../platform/batches/concurrency-limit.ts'
import { reportTurns } from '../../platform/batches/report-turns.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { unavailable } from '../../platform/refusal.ts'
import { oneLine } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import type { StatementFigures } from '../statement/figures.ts'
import { parsePeriod, type StatementPeriod } from '../statement/period.ts'
import { withStatement } from '../statement/statement.ts'
import { formatFigures } from './daily-close-lines.ts'
import { findMonthCloseReader, type MonthCloseReader, readNextMonthClose } from './month-close-readers.ts'
import { makeMonthFiles } from './month-files.ts'

// Each holds some megabytes: one at a time in a process, however many cells it serves.
const oneAtATime = limitConcurrency({ most: 1, waiting: 100 })

/** Sends one close of a month that is due, in whichever cell its merchant lies. Returns how many were due. */
export const sendMonthCloses = (app: App): Promise<number> =>
  oneAtATime(() => sendMailWithFiles(app, (values) => prepareMonthClose(app, values)))

/**
 * Makes the mail from the month as it was closed, so that a repeat carries the same. Null for somebody who has switched it off meanwhile, or
 * may not download these files any more. Throws Refusal while the month cannot be closed or its cell is away.
 */
async function prepareMonthClose(
  app: App,
  { merchant = '', person = '', month = '' }: LetterValues,
): Promise<ReadyMail | null> {
  const key = { merchantId: Number(merchant), personId: Number(person) }
  const reader = await findMonthCloseReader(app, key)
  if (reader === null) return null
  const home = app.allCells().find(({ cell }) => cell === reader.cell)
  if (home === undefined) throw unavailable()
  if ((await readNextMonthClose(home, key)) === null) return null
  const { period } = parsePeriod(month)
  return writeLetter(home, { ...key, reader, period })
}

type MonthClose = { merchantId: number; reader: MonthCloseReader; period: StatementPeriod }

async function writeLetter(app: App, { merchantId, reader, period }: MonthClose): Promise<ReadyMail> {
  const actor = serviceActor('month close')
  allow(actor, 'month-close.send')
  const caller = actingFor(actor, { merchantId, tag: reader.tag, cell: app.cell, mode: 'live' })
  const at = app.clock.now()
  const after = { to: reader.publicId, month: period.name }
  const act = { actor, action: 'month-close.send', at, merchantId, mode: 'live', subject: reader.publicId } as const
  await writeInTransaction(app.db, [auditRow({ ...act, after })])
  const figures = await reportTurns(app).small(merchantId, () => readClosedFigures(app, caller, period))
  const { files, left } = await makeMonthFiles(app, caller, { period, handle: reader.handle })
  const find = findMerchantsById([merchantId])
  const [merchant] = await app.db.query(find.statement, find.values)
  assert(merchant, 'a member has a merchant')
  const news = [...formatFigures(figures, 'month'), ...formatFiles(files, left)].join('\n')
  const link = `${app.baseUrl}/dashboard/wallet/statements?month=${period.name}`
  const off = `${app.baseUrl}/dashboard/settings/notifications`
  return {
    to: reader.email,
    values: { business: oneLine(merchant.name), month: period.label, news, link, off },
    files,
  }
}

/** Closes the month, if it is not closed yet, and reads its totals. Throws 503 while it cannot be closed. */
const readClosedFigures = (app: App, caller: Caller, period: StatementPeriod): Promise<StatementFigures> =>
  withStatement(app, caller, {
    period,
    use: async ({ head, figures }) => {
      if (!head.complete) throw unavailable()
      return figures
    },
  })

const formatFiles = (files: readonly MailFile[], left: readonly string[]): string[] => [
  ...(files.length === 0 ? [] : [`In this mail: ${files.map(({ name }) => name).join(', ')}.`]),
  ...(left.length === 0 ? [] : [`Too large for a mail: ${left.join(', ')}. Download it with the link below.`]),
  'The month is closed: none of its figures changes any more.',
]
