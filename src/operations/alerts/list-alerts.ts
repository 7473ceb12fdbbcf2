import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import type { AlertKind } from './kinds.ts'

/** An alert as a person reads it. */
export type Alert = {
  id: number
  kind: AlertKind
  subject: string
  says: string
  size: number
  times: number
  since: Date
  openedAt: Date
  lastSeenAt: Date
  toldAt: Date | null
  closedAt: Date | null
  /** Who closed it by hand, and why; null where its condition was over. */
  closedBy: string | null
  note: string | null
}

const COLUMNS = `id, kind, subject, says, size, times, since, opened_at as "openedAt", last_seen_at as "lastSeenAt", told_at as "toldAt",
  closed_at as "closedAt", closed_by as "closedBy", note`
// By alerts_open_once; those that are open are few, whatever there was.
const OPEN = statement<Alert>(
  'open alerts',
  `select ${COLUMNS} from alerts where closed_at is null order by since, id limit 200`,
)
const COUNT_OPEN = statement<{ count: number }>(
  'count open alerts',
  'select count(*)::int as count from (select from alerts where closed_at is null limit 100) x',
)
const CLOSED = statement<Alert>(
  'ended alerts',
  `select ${COLUMNS} from alerts where closed_at is not null and ($1::timestamptz is null or (closed_at, id) < ($1, $2::bigint))
   order by closed_at desc, id desc limit $3`,
)
const FIND = statement<Alert>('one alert', `select ${COLUMNS} from alerts where id = $1`)

const ROWS_PER_PAGE = 25

/** The open alerts, the oldest first. */
export const listOpenAlerts = ({ directory }: Pick<Gateway, 'directory'>): Promise<Alert[]> => directory.query(OPEN)

/** How many are open; at most 100 are counted. */
export const countOpenAlerts = async ({ directory }: Pick<Gateway, 'directory'>): Promise<number> =>
  (await firstRow(directory.query(COUNT_OPEN)))?.count ?? 0

/** The closed alerts, the latest first, with the cursor of the next page. A cursor that cannot be read starts again. */
export async function listClosedAlerts(
  { directory }: Pick<Gateway, 'directory'>,
  after: string | null,
): Promise<{ rows: Alert[]; older: string | null }> {
  const [, ms, id] = /^([0-9]{1,15})-([0-9]{1,15})$/.exec(after ?? '') ?? []
  const from = ms === undefined ? null : new Date(Number(ms)).toISOString()
  const found = await directory.query(CLOSED, [from, id ?? null, ROWS_PER_PAGE + 1])
  const rows = found.slice(0, ROWS_PER_PAGE)
  const last = rows.at(-1)
  const more = found.length > ROWS_PER_PAGE && last?.closedAt != null
  return { rows, older: more ? `${last.closedAt?.getTime()}-${last.id}` : null }
}

/** The alert of this id, or null. */
export const findAlert = ({ directory }: Pick<Gateway, 'directory'>, id: string): Promise<Alert | null> =>
  /^[0-9]{1,15}$/.test(id) ? firstRow(directory.query(FIND, [id])) : Promise.resolve(null)
