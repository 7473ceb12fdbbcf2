import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

/** An exception about one object, open or closed. */
export type ExceptionAbout = {
  id: string
  kind: string
  severity: string
  openedAt: Date
  closedAt: Date | null
  note: string | null
}

const BY_SUBJECT = statement<ExceptionAbout>(
  'exceptions about object',
  `select id, kind, severity, opened_at as "openedAt", closed_at as "closedAt", note from exceptions
   where merchant_id = $1 and subject = $2 order by opened_at desc, id limit 50`,
)

/** Reads the exceptions about one object, newest first; at most 50. */
export const readExceptionsAbout = (app: App, merchantId: number, subject: string): Promise<ExceptionAbout[]> =>
  app.db.query(BY_SUBJECT, [merchantId, subject])
