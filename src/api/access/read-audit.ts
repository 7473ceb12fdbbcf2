import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { READ_ONLY_ACTIONS } from './actions.ts'
import type { Actor, Caller } from './actor.ts'
import { allow } from './allow.ts'

/** A row of the audit as its merchant may read it. */
export type AuditEntry = {
  /** `c12` is row 12 of the cell, `d7` row 7 of the directory. */
  id: string
  at: Date
  /** Null for staff and commands: a merchant reads what was done, never by whom. */
  actor: string | null
  kind: 'key' | 'person' | 'operator' | 'command' | 'service' | 'public'
  origin: string | null
  requestId: string | null
  action: string
  mode: 'test' | 'live' | null
  subject: string | null
  before: unknown
  after: unknown
}

/** Rows of actions that change something (`acts`), of actions that only read (`looks`), or both. */
type AuditPart = 'acts' | 'looks' | 'all'

/** Which rows: of one action, of one actor. `older` and `newer` are cursors of an `AuditPage`. */
type AuditFilter = {
  part: AuditPart
  action: string | null
  actor: string | null
  older: string | null
  newer: string | null
}
type AuditPage = { entries: AuditEntry[]; older: string | null; newer: string | null }

type Row = Omit<AuditEntry, 'id'> & { number: number }
type AuditPosition = { cell: number; directory: number }

const ROWS_PER_PAGE = 25
// A rare action is searched among this many rows and no further.
const MAX_ROWS_SEARCHED = 20_000
const ABOVE_EVERY_ID = Number.MAX_SAFE_INTEGER
const CURSOR = /^(\d{1,16})-(\d{1,16})$/
const MERCHANT_SIDE_KINDS: readonly AuditEntry['kind'][] = ['key', 'person', 'public']

const columns = `a.id as number, a.at, a.actor, a.actor_kind as kind, a.origin, a.request_id as "requestId", a.action, a.mode, a.subject,
  a.before, a.after`
const READ_ONLY_ACTIONS_SQL = `'{${READ_ONLY_ACTIONS.join(',')}}'`
// Indexes: audit_of_merchant_acts, whose condition is this one, and audit_of_merchant.
const PART_CONDITIONS: Readonly<Record<AuditPart, string>> = {
  acts: `and action <> all (${READ_ONLY_ACTIONS_SQL})`,
  looks: `and action = any (${READ_ONLY_ACTIONS_SQL})`,
  all: '',
}
const pageSql = (direction: 'older' | 'newer', of: AuditPart) => {
  const [compare, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  return `select ${columns} from (select * from audit where merchant_id = $1 and id ${compare} $2 ${PART_CONDITIONS[of]} order by id ${order} limit ${MAX_ROWS_SEARCHED}) a
    where ($3::text is null or a.action = $3) and ($4::text is null or a.actor = $4) order by a.id ${order} limit ${ROWS_PER_PAGE + 1}`
}
const pageStatements = (of: AuditPart) => ({
  older: statement<Row>(`audit of merchant, ${of}, older`, pageSql('older', of)),
  newer: statement<Row>(`audit of merchant, ${of}, newer`, pageSql('newer', of)),
})
const PAGE_STATEMENTS = {
  acts: pageStatements('acts'),
  looks: pageStatements('looks'),
  all: pageStatements('all'),
}

const OF_SUBJECTS = statement<Row>(
  'audit of subjects',
  `select ${columns} from audit a where a.merchant_id = $1 and a.subject = any($2::text[]) and a.mode = $3 order by a.id limit 50`,
)

/** Reads what was done to these objects of the caller's mode, oldest first; at most 50 rows. */
export async function readActsOn(
  app: App,
  { kind, merchantId, mode }: Caller,
  subjects: readonly string[],
): Promise<AuditEntry[]> {
  const rows = await app.db.query(OF_SUBJECTS, [merchantId, subjects, mode])
  // Staff see which of them did it.
  return rows.map(({ number, ...row }) => ({
    ...(kind === 'operator' ? row : redactForMerchant(row)),
    id: `c${number}`,
  }))
}

/** Parses the part named in a page's address; `fallback` where it names none. */
export const parseAuditPart = (text: string | undefined, fallback: AuditPart): AuditPart =>
  (['acts', 'looks', 'all'] as const).find((part) => part === text) ?? fallback

/** Reads a page of the audit of the caller's business, newest first: rows of its cell and of the directory, in one order. */
export const readAuditAsMerchant = (app: App, { merchantId }: Caller, filter: AuditFilter): Promise<AuditPage> =>
  readAuditPage(app, merchantId, { filter, present: redactForMerchant })

/** Reads a page of a merchant's audit for staff, who also see by whom and why. */
export function readAuditAsStaff(
  app: App,
  actor: Actor,
  { merchantId, filter }: { merchantId: number; filter: AuditFilter },
): Promise<AuditPage> {
  allow(actor, 'console.read', merchantId)
  return readAuditPage(app, merchantId, { filter, present: (row) => row })
}

type AuditPageInput = { filter: AuditFilter; present(row: Omit<Row, 'number'>): Omit<AuditEntry, 'id'> }

async function readAuditPage(app: App, merchantId: number, { filter, present }: AuditPageInput): Promise<AuditPage> {
  const direction = filter.newer === null ? 'older' : 'newer'
  const start = parseCursor(filter.newer ?? filter.older)
  const values = [filter.action, filter.actor]
  const [cell, directory] = await Promise.all([
    app.db.query(PAGE_STATEMENTS[filter.part][direction], [merchantId, start.cell, ...values]),
    app.directory.query(PAGE_STATEMENTS[filter.part][direction], [merchantId, start.directory, ...values]),
  ])
  const found = [
    ...cell.map((row) => ({ place: 'c' as const, row })),
    ...directory.map((row) => ({ place: 'd' as const, row })),
  ].sort((a, b) => (direction === 'older' ? 1 : -1) * (b.row.at.getTime() - a.row.at.getTime()))
  const first = found.slice(0, ROWS_PER_PAGE)
  const more = found.length > ROWS_PER_PAGE
  if (direction === 'newer' && !more)
    return readAuditPage(app, merchantId, { filter: { ...filter, newer: null, older: null }, present })
  const rows = direction === 'older' ? first : first.reverse()
  const numbers = { c: rowNumbers(rows, 'c'), d: rowNumbers(rows, 'd') }
  const isFirst = direction === 'older' && filter.older === null
  return {
    entries: rows.map(({ place, row: { number, ...row } }) => ({ ...present(row), id: `${place}${number}` })),
    older: direction === 'newer' || more ? formatCursor(numbers, 'low', start, direction) : null,
    newer: isFirst || (direction === 'newer' && !more) ? null : formatCursor(numbers, 'high', start, direction),
  }
}

type SourceRows = { place: 'c' | 'd'; row: Row }[]
const rowNumbers = (rows: SourceRows, source: 'c' | 'd') =>
  rows.filter(({ place }) => place === source).map(({ row }) => row.number)

/** The cursor of the page before or after this one. A source of which the page shows no row stays where the page began. */
function formatCursor(
  { c, d }: { c: number[]; d: number[] },
  end: 'low' | 'high',
  start: AuditPosition,
  direction: 'older' | 'newer',
): string {
  const edge = (numbers: number[], began: number) => {
    if (numbers.length > 0) return end === 'low' ? Math.min(...numbers) : Math.max(...numbers)
    // The neighbour on the side the page was read from must include the row where it began.
    return direction === 'older' && end === 'high'
      ? Math.max(0, began - 1)
      : direction === 'newer' && end === 'low'
        ? began + 1
        : began
  }
  return `${edge(c, start.cell)}-${edge(d, start.directory)}`
}

function parseCursor(text: string | null): AuditPosition {
  if (text === null) return { cell: ABOVE_EVERY_ID, directory: ABOVE_EVERY_ID }
  const [, cell = '', directory = ''] = CURSOR.exec(text) ?? []
  if (cell === '') throw badRequest('invalid cursor')
  return { cell: Number(cell), directory: Number(directory) }
}

const redactForMerchant = (row: Omit<Row, 'number'>): Omit<AuditEntry, 'id'> => {
  if (MERCHANT_SIDE_KINDS.includes(row.kind)) return row
  const [before, after] = [withoutStaffFields(row.before), withoutStaffFields(row.after)]
  return { ...row, before, after, actor: null, origin: null, requestId: null }
}

// Reasons and notes of staff are for staff; `owner` and `by` hold names of staff.
const STAFF_ONLY_FIELDS = ['reason', 'note', 'notes', 'owner', 'by']
const withoutStaffFields = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !STAFF_ONLY_FIELDS.includes(name)))
    : value
