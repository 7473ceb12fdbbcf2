import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { badRequest } from '../platform/refusal.ts'
import { LOOKED } from './actions.ts'
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
  of: AuditPart
  action: string | null
  actor: string | null
  older: string | null
  newer: string | null
}
type AuditPage = { entries: AuditEntry[]; older: string | null; newer: string | null }

type Row = Omit<AuditEntry, 'id'> & { number: number }
type Ends = { cell: number; directory: number }

const PAGE = 25
// A rare action is searched among this many rows and no further.
const AMONG = 20_000
const TOP = Number.MAX_SAFE_INTEGER
const CURSOR = /^(\d{1,16})-(\d{1,16})$/
const OWN: readonly AuditEntry['kind'][] = ['key', 'person', 'public']

const columns = `a.id as number, a.at, a.actor, a.actor_kind as kind, a.origin, a.request_id as "requestId", a.action, a.mode, a.subject,
  a.before, a.after`
const LOOKS = `'{${LOOKED.join(',')}}'`
// Indexes: audit_of_merchant_acts, whose condition is this one, and audit_of_merchant.
const OF: Readonly<Record<AuditPart, string>> = {
  acts: `and action <> all (${LOOKS})`,
  looks: `and action = any (${LOOKS})`,
  all: '',
}
const readable = (direction: 'older' | 'newer', of: AuditPart) => {
  const [compare, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  return `select ${columns} from (select * from audit where merchant_id = $1 and id ${compare} $2 ${OF[of]} order by id ${order} limit ${AMONG}) a
    where ($3::text is null or a.action = $3) and ($4::text is null or a.actor = $4) order by a.id ${order} limit ${PAGE + 1}`
}
const read = (of: AuditPart) => ({
  older: statement<Row>(`audit of merchant, ${of}, older`, readable('older', of)),
  newer: statement<Row>(`audit of merchant, ${of}, newer`, readable('newer', of)),
})
const READ = { acts: read('acts'), looks: read('looks'), all: read('all') }

const OF_SUBJECTS = statement<Row>(
  'audit of subjects',
  `select ${columns} from audit a where a.merchant_id = $1 and a.subject = any($2::text[]) and a.mode = $3 order by a.id limit 50`,
)

/** Reads what was done to these objects of the caller's mode, oldest first; at most 50 rows. */
export async function actsOn(
  app: App,
  { kind, merchantId, mode }: Caller,
  subjects: readonly string[],
): Promise<AuditEntry[]> {
  const rows = await app.db.query(OF_SUBJECTS, [merchantId, subjects, mode])
  // Staff see which of them did it.
  return rows.map(({ number, ...row }) => ({
    ...(kind === 'operator' ? row : asTold(row)),
    id: `c${number}`,
  }))
}

/** Parses the part named in a page's address; `fallback` where it names none. */
export const readPart = (text: string | undefined, fallback: AuditPart): AuditPart =>
  (['acts', 'looks', 'all'] as const).find((part) => part === text) ?? fallback

/** Reads a page of the audit of the caller's business, newest first: rows of its cell and of the directory, in one order. */
export const readAudit = (app: App, { merchantId }: Caller, filter: AuditFilter): Promise<AuditPage> =>
  readRows(app, merchantId, { filter, told: asTold })

/** Reads a page of a merchant's audit for staff, who also see by whom and why. */
export function readAuditOf(
  app: App,
  actor: Actor,
  { merchantId, filter }: { merchantId: number; filter: AuditFilter },
): Promise<AuditPage> {
  allow(actor, 'console.read', merchantId)
  return readRows(app, merchantId, { filter, told: (row) => row })
}

type Reading = { filter: AuditFilter; told(row: Omit<Row, 'number'>): Omit<AuditEntry, 'id'> }

async function readRows(app: App, merchantId: number, { filter, told }: Reading): Promise<AuditPage> {
  const direction = filter.newer === null ? 'older' : 'newer'
  const start = readCursor(filter.newer ?? filter.older)
  const values = [filter.action, filter.actor]
  const [cell, directory] = await Promise.all([
    app.db.query(READ[filter.of][direction], [merchantId, start.cell, ...values]),
    app.directory.query(READ[filter.of][direction], [merchantId, start.directory, ...values]),
  ])
  const found = [
    ...cell.map((row) => ({ place: 'c' as const, row })),
    ...directory.map((row) => ({ place: 'd' as const, row })),
  ].sort((a, b) => (direction === 'older' ? 1 : -1) * (b.row.at.getTime() - a.row.at.getTime()))
  const first = found.slice(0, PAGE)
  const more = found.length > PAGE
  if (direction === 'newer' && !more)
    return readRows(app, merchantId, { filter: { ...filter, newer: null, older: null }, told })
  const rows = direction === 'older' ? first : first.reverse()
  const numbers = { c: numbersOf(rows, 'c'), d: numbersOf(rows, 'd') }
  const isFirst = direction === 'older' && filter.older === null
  return {
    entries: rows.map(({ place, row: { number, ...row } }) => ({ ...told(row), id: `${place}${number}` })),
    older: direction === 'newer' || more ? cursorOf(numbers, 'low', start, direction) : null,
    newer: isFirst || (direction === 'newer' && !more) ? null : cursorOf(numbers, 'high', start, direction),
  }
}

type Taken = { place: 'c' | 'd'; row: Row }[]
const numbersOf = (rows: Taken, source: 'c' | 'd') =>
  rows.filter(({ place }) => place === source).map(({ row }) => row.number)

/** The cursor of the page before or after this one. A source of which the page shows no row stays where the page began. */
function cursorOf(
  { c, d }: { c: number[]; d: number[] },
  end: 'low' | 'high',
  start: Ends,
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

function readCursor(text: string | null): Ends {
  if (text === null) return { cell: TOP, directory: TOP }
  const [, cell = '', directory = ''] = CURSOR.exec(text) ?? []
  if (cell === '') throw badRequest('invalid cursor')
  return { cell: Number(cell), directory: Number(directory) }
}

const asTold = (row: Omit<Row, 'number'>): Omit<AuditEntry, 'id'> => {
  if (OWN.includes(row.kind)) return row
  const [before, after] = [toldOf(row.before), toldOf(row.after)]
  return { ...row, before, after, actor: null, origin: null, requestId: null }
}

// Reasons and notes of staff are for staff; `owner` and `by` hold names of staff.
const UNTOLD = ['reason', 'note', 'notes', 'owner', 'by']
const toldOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !UNTOLD.includes(name)))
    : value
