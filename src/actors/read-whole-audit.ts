import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { badRequest } from '../platform/refusal.ts'

/** A row of the audit of one place, as operators read it: with every name. */
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

/** Which rows; all texts are compared whole. `older` and `newer` are ids of rows beside the page. */
export type WholeAuditFilter = {
  action: string | null
  actor: string | null
  subject: string | null
  /** The public id of a merchant. */
  merchant: string | null
  from: string | null
  until: string | null
  older: string | null
  newer: string | null
}
export type WholeAuditPage = { rows: WholeAuditRow[]; older: string | null; newer: string | null }

const PAGE = 50
// What no index finds is looked for among so many rows, and no further.
const AMONG = 20_000
const TOP = String(Number.MAX_SAFE_INTEGER)

const COLUMNS = `a.id, a.at, a.actor_kind as kind, a.actor, a.origin, a.request_id as "requestId", a.action, a.merchant_id as "merchantId",
  (select m.public_id from merchants m where m.id = a.merchant_id) as merchant, a.mode, a.subject, a.before, a.after`
const FITS = `($3::text is null or a.action = $3) and ($4::text is null or a.actor = $4) and ($5::text is null or a.subject = $5)
  and ($6::timestamptz is null or a.at >= $6) and ($7::timestamptz is null or a.at < $7)`
const read = (of: 'all' | 'merchant', direction: 'older' | 'newer') => {
  const [compare, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  const whose =
    of === 'all' ? '$8::text is null' : 'merchant_id = (select id from merchants where public_id = $8::text)'
  return statement<WholeAuditRow>(
    `whole audit, ${of}, ${direction}`,
    `select ${COLUMNS} from (select * from audit where ${whose} and id ${compare} $1 order by id ${order} limit ${AMONG}) a
     where ${FITS} order by a.id ${order} limit $2`,
  )
}
const READ = {
  all: { older: read('all', 'older'), newer: read('all', 'newer') },
  merchant: { older: read('merchant', 'older'), newer: read('merchant', 'newer') },
}

/** One page of the audit of a place, newest first. */
export async function readWholeAudit(db: Database, filter: WholeAuditFilter): Promise<WholeAuditPage> {
  const direction = filter.newer === null ? 'older' : 'newer'
  const rows = await rowsOf(db, filter, { direction, most: PAGE + 1 })
  const more = rows.length > PAGE
  const taken = rows.slice(0, PAGE)
  if (direction === 'newer' && !more) return readWholeAudit(db, { ...filter, newer: null, older: null })
  const shown = direction === 'older' ? taken : taken.reverse()
  const [first, last] = [shown[0], shown.at(-1)]
  return {
    rows: shown,
    older: last && (direction === 'newer' || more) ? String(last.id) : null,
    newer: first && (direction === 'newer' || filter.older !== null) ? String(first.id) : null,
  }
}

/** The newest rows of a place that fit, for a file: at most 20,000. */
export const allOfAudit = (db: Database, filter: WholeAuditFilter): Promise<WholeAuditRow[]> =>
  rowsOf(db, { ...filter, older: null, newer: null }, { direction: 'older', most: AMONG })

function rowsOf(
  db: Database,
  filter: WholeAuditFilter,
  { direction, most }: { direction: 'older' | 'newer'; most: number },
): Promise<WholeAuditRow[]> {
  const { action, actor, subject, merchant, from, until } = filter
  const start = filter.newer ?? filter.older ?? TOP
  if (!/^[0-9]{1,16}$/.test(start)) throw badRequest('invalid cursor')
  const of = merchant === null ? 'all' : 'merchant'
  return db.query(READ[of][direction], [start, most, action, actor, subject, from, until, merchant])
}
