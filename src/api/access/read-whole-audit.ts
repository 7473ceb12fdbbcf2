import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'

/** A row of the audit of one database (a cell, or the directory) as staff read it: with every name. */
export type WholeAuditRow = {
  id: number
  at: Date
  kind: string
  actor: string
  origin: string
  requestId: string | null
  action: string
  merchantId: number | null
  merchant: string | null
  mode: string | null
  subject: string | null
  before: unknown
  after: unknown
}

/** Which rows; texts must match whole. `older` is the id of the row after which the page begins. */
export type WholeAuditFilter = {
  action: string | null
  actor: string | null
  subject: string | null
  /** The public id of a merchant. */
  merchant: string | null
  from: string | null
  until: string | null
  older: string | null
}

// What no index finds is searched among this many rows and no further.
export const MAX_AUDIT_ROWS = 20_000
const ABOVE_EVERY_ID = String(Number.MAX_SAFE_INTEGER)

const COLUMNS = `a.id, a.at, a.actor_kind as kind, a.actor, a.origin, a.request_id as "requestId", a.action, a.merchant_id as "merchantId",
  (select m.public_id from merchants m where m.id = a.merchant_id) as merchant, a.mode, a.subject, a.before, a.after`
const FILTER_CONDITIONS = `($3::text is null or a.action = $3) and ($4::text is null or a.actor = $4) and ($5::text is null or a.subject = $5)
  and ($6::timestamptz is null or a.at >= $6) and ($7::timestamptz is null or a.at < $7)`
const newestStatement = (of: 'all' | 'merchant') => {
  const whose =
    of === 'all' ? '$8::text is null' : 'merchant_id = (select id from merchants where public_id = $8::text)'
  return statement<WholeAuditRow>(
    `whole audit, ${of}`,
    `select ${COLUMNS} from (select * from audit where ${whose} and id < $1 order by id desc limit ${MAX_AUDIT_ROWS}) a
     where ${FILTER_CONDITIONS} order by a.id desc limit $2`,
  )
}
const NEWEST_STATEMENTS = { all: newestStatement('all'), merchant: newestStatement('merchant') }

/** Reads the newest `limit` matching rows of one database, after `older`. Throws 400 for a wrong cursor. */
export function readNewestAudit(db: Database, filter: WholeAuditFilter, limit: number): Promise<WholeAuditRow[]> {
  const { action, actor, subject, merchant, from, until } = filter
  const start = filter.older ?? ABOVE_EVERY_ID
  if (!/^[0-9]{1,16}$/.test(start)) throw badRequest('invalid cursor')
  const of = merchant === null ? 'all' : 'merchant'
  return db.query(NEWEST_STATEMENTS[of], [start, limit, action, actor, subject, from, until, merchant])
}

/** Reads the newest matching rows of one database for a file: at most 20,000. */
export const readAuditForFile = (db: Database, filter: WholeAuditFilter): Promise<WholeAuditRow[]> =>
  readNewestAudit(db, { ...filter, older: null }, MAX_AUDIT_ROWS)
