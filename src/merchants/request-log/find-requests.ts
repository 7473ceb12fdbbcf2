import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'
import { parseUuidTime } from '../../platform/text/ids.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import type { App } from '../../program/app.ts'
import { LOGGED_METHODS, type LoggedRequest, parseLogId } from './logged-request.ts'
import { firstIdAt, timeOfId } from './request-row.ts'

/** The filters as they stand in the query string; an absent one matches all. `limit`: how many rows a page has. */
export type RequestFilter = Partial<
  Record<'status' | 'method' | 'route' | 'code' | 'key' | 'request' | 'from' | 'until' | 'after' | 'before', string>
> & { limit?: number }

/** One page, newest first. `searchedBackTo`: the filter matched so few rows that the search stopped here; `older` goes on from there. */
type RequestPage = {
  rows: LoggedRequest[]
  newer: string | null
  older: string | null
  searchedBackTo: Date | null
}

type Row = Omit<LoggedRequest, 'id' | 'at'> & { number: string }

const STATUSES = ['2', '4', '5', 'refused'] as const
const ROWS_PER_PAGE = 30
/** A filter without an index reads at most this many rows for a page; the page shows how far back it has searched. */
export const MAX_REQUESTS_SEARCHED = 10_000
const MAX_ID = 2n ** 63n - 1n
// A request id tells when the request began, a row's id when it was answered: one that took longer is not found by its request id.
const MAX_ANSWER_MS = 60_000

const COLUMNS = `r.id::text as number, r.request_id as "requestId", r.method, r.route, r.status, r.code, r.ms::float8 as ms,
  r.key_outcome as "keyOutcome", r.error, r.key_last4 as "keyLast4", r.object_id as "objectId", r.ignored`
const MATCHES = `($6::smallint is null or r.status / 100 = $6) and ($7::text is null or r.method = $7)
  and ($8::text is null or r.route = $8) and ($9::text is null or r.code = $9) and ($10::text is null or r.key_last4 = $10)
  and ($11::text is null or r.request_id = $11)`

const searchedRows = (refused: boolean, order: 'asc' | 'desc') =>
  `select * from request_log where merchant_id = $1 and mode = $2 and id > $3 and id < $4
     ${refused ? 'and status >= 400' : ''} order by id ${order} limit $5`
const requestListStatement = (refused: boolean, order: 'asc' | 'desc') =>
  statement<Row>(
    `list ${refused ? 'refused' : 'all'} requests ${order}`,
    `select ${COLUMNS} from (${searchedRows(refused, order)}) r where ${MATCHES} order by r.id ${order} limit $12`,
  )
const lastSearchedStatement = (refused: boolean, order: 'asc' | 'desc') =>
  statement<{ number: string }>(
    `last of ${refused ? 'refused' : 'all'} requests looked at ${order}`,
    `select id::text as number from (${searchedRows(refused, order)}) r order by id ${order} offset $5 - 1`,
  )
const bothOrders = (refused: boolean) => ({
  desc: { list: requestListStatement(refused, 'desc'), last: lastSearchedStatement(refused, 'desc') },
  asc: { list: requestListStatement(refused, 'asc'), last: lastSearchedStatement(refused, 'asc') },
})
const STATEMENTS = { all: bothOrders(false), refused: bothOrders(true) }
const BY_ID = statement<Row>(
  'request by id',
  `select ${COLUMNS} from request_log r where r.merchant_id = $1 and r.mode = $2 and r.id = $3`,
)

/** Returns one page of the caller's requests in its mode. Throws 400 for filters that it cannot parse. */
export async function listRequests(app: App, caller: Caller, filter: RequestFilter): Promise<RequestPage> {
  const toNewer = filter.before !== undefined
  const order = toNewer ? 'asc' : 'desc'
  const refused = filter.status !== undefined && filter.status !== '2'
  const { list: rowsOf, last: lastOf } = STATEMENTS[refused ? 'refused' : 'all'][order]
  const { limit = ROWS_PER_PAGE } = filter
  const bounds = [caller.merchantId, caller.mode, ...parseIdBounds(filter), MAX_REQUESTS_SEARCHED]
  const matches = await app.db.query(rowsOf, [...bounds, ...parseMatches(filter), limit + 1])
  const hasMore = matches.length > limit
  const page = matches.slice(0, limit).map(toLoggedRequest)
  const lastSearched = hasMore ? null : ((await app.db.query(lastOf, bounds))[0]?.number ?? null)
  const further = hasMore ? (page.at(-1)?.id ?? null) : lastSearched === null ? null : formatLogId(lastSearched)
  if (toNewer) {
    const rows = page.reverse()
    return { rows, newer: further, older: rows.at(-1)?.id ?? null, searchedBackTo: null }
  }
  const newer = filter.after === undefined ? null : (page[0]?.id ?? null)
  const searchEnd = lastSearched === null ? null : timeOfId(BigInt(lastSearched))
  return { rows: page, newer, older: further, searchedBackTo: searchEnd }
}

/** Reads one request of the caller in its mode; null where there is none. */
export async function findRequest(app: App, caller: Caller, id: string): Promise<LoggedRequest | null> {
  const number = parseLogId(id)
  if (number === null) return null
  const [row] = await app.db.query(BY_ID, [caller.merchantId, caller.mode, number.toString()])
  return row ? toLoggedRequest(row) : null
}

/** Parses the filters about time into two ids; rows lie between them, both excluded. */
function parseIdBounds({ from, until, after, before, request }: RequestFilter): [string, string] {
  const begunAt = request === undefined ? null : parseUuidTime(request)
  const low = [
    from === undefined ? 0n : firstIdAt(parseFilterTime('from', from)) - 1n,
    begunAt === null ? 0n : firstIdAt(begunAt) - 1n,
    parseCursor(before, 0n),
  ]
  const high = [
    until === undefined ? MAX_ID : firstIdAt(parseFilterTime('until', until) + 1),
    begunAt === null ? MAX_ID : firstIdAt(begunAt + MAX_ANSWER_MS),
    parseCursor(after, MAX_ID),
  ]
  return [String(low.reduce((a, b) => (a > b ? a : b))), String(high.reduce((a, b) => (a < b ? a : b)))]
}

function parseMatches({ status, method, route, code, key, request }: RequestFilter): unknown[] {
  if (status !== undefined && !STATUSES.some((known) => known === status))
    throw badRequest('status must be 2, 4, 5 or refused')
  if (method !== undefined && !LOGGED_METHODS.some((known) => known === method))
    throw badRequest('method must be GET or POST')
  const first = status === undefined || status === 'refused' ? null : Number(status)
  return [first, method ?? null, route ?? null, code ?? null, key ?? null, request ?? null]
}

function parseFilterTime(name: string, text: string): number {
  const time = parseIsoTime(text)
  if (time === null) throw badRequest(`${name} must be an ISO 8601 datetime`)
  return time.getTime()
}

function parseCursor(text: string | undefined, without: bigint): bigint {
  if (text === undefined) return without
  const number = parseLogId(text)
  if (number === null) throw badRequest('this page of the log does not exist')
  return number
}

const formatLogId = (number: string): string => BigInt(number).toString(36)

const toLoggedRequest = ({ number, ms, ...row }: Row): LoggedRequest => ({
  id: formatLogId(number),
  at: timeOfId(BigInt(number)),
  ...row,
  ms: Math.round(ms * 10) / 10,
})
