import { type TSchema, Type } from 'typebox'
import type { NamedValues } from '../../../platform/db/named-parameters.ts'
import { bindValues } from '../../../platform/db/statement.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import { badRequest, Refusal } from '../../../platform/refusal.ts'
import { parseIsoTime } from '../../../platform/time/times.ts'
import type { App } from '../../../program/app.ts'
import type { ListStatement, WindowValues } from './list-statement.ts'

/** The parameters that every list takes: bounds in time, cursor and limit. */
export type ListWindow = {
  limit: number
  startingAfter: string | null
  createdAfter: Date | null
  createdBefore: Date | null
  /** Reads rows newer than this one, instead of older than `startingAfter`. */
  endingBefore?: string | null
  /** With `endingBefore`: nothing but newer rows, as programs ask. Without it a page that they do not fill is the first one. */
  newerOnly?: boolean
}

/**
 * One page of a list, newest first. `nextCursor`: the id of its last row, null on the last page. `previousCursor`: the id of its first row,
 * absent on the first page.
 */
export type ListPage<Row> = {
  data: Row[]
  hasMore: boolean
  nextCursor: string | null
  previousCursor?: string | null
}

export type ListQuery = Readonly<Record<string, string | undefined>>

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100
const AFTER_EVERY_ID = 'zzzz' // In every collation: an id begins with the letters of its prefix.

/** The query parameters of every list, for the description. */
export const LIST_QUERY = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  starting_after: Type.Optional(
    Type.String({ description: 'the `next_cursor` of the page before, or the id of any row: older rows follow' }),
  ),
  ending_before: Type.Optional(
    Type.String({
      description:
        'the id of a row: the rows just newer than it, still newest first; `has_more` and `next_cursor` then lead to newer ones. Not with `starting_after`.',
    }),
  ),
  created_after: Type.Optional(Type.String({ format: 'date-time', description: 'ISO 8601, inclusive' })),
  created_before: Type.Optional(Type.String({ format: 'date-time', description: 'ISO 8601, inclusive' })),
}

/** The query parameter that `parseAmountFilter` parses. */
export const AMOUNT_QUERY = Type.Optional(Type.Integer({ minimum: 0, description: 'exactly so many whole shillings' }))

/** The schema of a list's envelope (spec 2.12), named after its rows. */
export function listSchema(row: TSchema) {
  const { $id } = row as { $id?: string }
  return Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(row),
      has_more: Type.Boolean(),
      next_cursor: Type.Union([Type.String(), Type.Null()]),
    },
    $id === undefined ? {} : { $id: `${$id}List` },
  )
}

/** Parses the window of a list. Throws 400 with the contract's text (G6). */
export function parseListWindow(query: ListQuery): ListWindow {
  // In the order of the spec, so that of several faults the first is reported.
  const createdAfter = parseTime(query, 'created_after')
  const createdBefore = parseTime(query, 'created_before')
  return {
    createdAfter,
    createdBefore,
    limit: parseLimit(query.limit),
    ...parseCursors(query),
  }
}

function parseCursors({ starting_after, ending_before }: ListQuery) {
  if (ending_before === undefined) return { startingAfter: starting_after ?? null }
  if (starting_after !== undefined)
    throw badRequest('starting_after and ending_before cannot be used together', { field: 'ending_before' })
  return { startingAfter: null, endingBefore: ending_before, newerOnly: true }
}

/** Parses a filter that is an amount. Throws 400. */
export function parseAmountFilter(name: string, text: string | undefined): string | null {
  if (text === undefined) return null
  if (!/^[0-9]{1,12}$/.test(text)) throw badRequest(`${name} must be whole shillings, as digits`, { field: name })
  return text
}

/** Returns filters that are any text; null where absent. */
export const parseTextFilters = <Name extends string>(query: ListQuery, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, query[name] ?? null])) as Record<Name, string | null> // One entry a name.

type CursorValues = Pick<WindowValues, 'cursorAt' | 'cursorId'>

const cursorValues = ({ createdAt, id }: ListedRow): CursorValues => ({
  cursorAt: createdAt.toISOString(),
  cursorId: id,
})

/**
 * The bounds of a page of older rows: it begins behind the row `last`, or at the window's end if that is earlier. With both bounds in the
 * statement the scan could start at the wrong one and read all newer rows.
 */
export function olderBounds(last: ListedRow | null, { createdAfter, createdBefore }: ListWindow) {
  const bound = createdAfter?.toISOString() ?? '-infinity'
  if (last !== null && (createdBefore === null || last.createdAt <= createdBefore))
    return { bound, ...cursorValues(last) }
  return { bound, cursorAt: createdBefore?.toISOString() ?? 'infinity', cursorId: AFTER_EVERY_ID }
}

/** The bounds of the page before the row `first`: it begins at that row, or at the window's beginning if that is later. */
export function newerBounds(first: ListedRow, { createdAfter, createdBefore }: ListWindow) {
  const bound = createdBefore?.toISOString() ?? 'infinity'
  if (createdAfter === null || first.createdAt >= createdAfter) return { bound, ...cursorValues(first) }
  return { bound, cursorAt: createdAfter.toISOString(), cursorId: '' }
}

export type ListedRow = { id: string; createdAt: Date }
export type ListPageInput<Row> = {
  window: ListWindow
  statement: ListStatement<Row>
  /** The values of its filters, by the names of their parameters. */
  filters?: NamedValues
  find(id: string): Promise<Row | null>
}

/**
 * Reads one page of the caller's rows, newest first. `find` returns the row of a cursor, null when the caller may not see it.
 */
export async function readListPage<Row extends ListedRow>(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  reading: ListPageInput<Row>,
): Promise<ListPage<Row>> {
  const { window, statement, filters, find } = reading
  const { startingAfter, limit, endingBefore = null } = window
  if (endingBefore !== null) return readNewerPage({ db }, { merchantId, mode }, { ...reading, endingBefore })
  const cursor = startingAfter === null ? null : await find(startingAfter)
  if (startingAfter !== null && cursor === null) throw invalidCursor()
  const values = { merchantId, mode, ...olderBounds(cursor, window), limit: limit + 1, ...filters }
  const page = cutPage(await db.query(statement.older, bindValues(statement.older, values)), limit)
  return cursor === null ? page : { ...page, previousCursor: page.data[0]?.id ?? null }
}

/** Reads the page before a row. Where fewer rows than a page are newer, reads the first page instead. */
async function readNewerPage<Row extends ListedRow>(
  { db }: Pick<App, 'db'>,
  { merchantId, mode }: MerchantMode,
  { window, statement, filters = {}, find, endingBefore }: ListPageInput<Row> & { endingBefore: string },
): Promise<ListPage<Row>> {
  const { limit } = window
  const cursor = await find(endingBefore)
  if (cursor === null) throw invalidCursor('ending_before')
  const values = { merchantId, mode, ...newerBounds(cursor, window), limit: limit + 1, ...filters }
  const rows = await db.query(statement.newer, bindValues(statement.newer, values))
  if (window.newerOnly) return cutNewerPage(rows, limit)
  if (rows.length < limit)
    return readListPage(
      { db },
      { merchantId, mode },
      {
        ...{ window: { ...window, endingBefore: null, startingAfter: null }, statement, filters, find },
      },
    )
  const data = rows.slice(0, limit).reverse()
  return {
    data,
    hasMore: true,
    nextCursor: data.at(-1)?.id ?? null,
    previousCursor: rows.length > limit ? (data[0]?.id ?? null) : null,
  }
}

export const invalidCursor = (name: 'starting_after' | 'ending_before' = 'starting_after') =>
  badRequest(`invalid ${name} cursor`)

/** Resolves to null where the row is refused because the caller may not see it. Other errors are thrown. */
export const nullIfRefused = async <Row>(row: Promise<Row>): Promise<Row | null> =>
  row.catch((error) => {
    if (error instanceof Refusal) return null
    throw error
  })

/** Cuts the one row too many that a list query reads to know whether there is more. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number): ListPage<Row> {
  const data = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return { data, hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null }
}

/** Cuts a page of rows that were read towards newer ones; its cursor is its newest row. */
export function cutNewerPage<Row extends { id: string }>(rows: readonly Row[], limit: number): ListPage<Row> {
  const data = rows.slice(0, limit).reverse()
  const hasMore = rows.length > limit
  return { data, hasMore, nextCursor: hasMore ? (data[0]?.id ?? null) : null }
}

/** Presents a page as the API's list envelope, each row formatted by `present`. */
export function presentPage<Row, View>(page: ListPage<Row>, present: (row: Row) => View) {
  return {
    object: 'list' as const,
    data: page.data.map(present),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  }
}

/** Parses how many rows a page may have. Throws 400. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT
  const limit = Number(text)
  if (!/^[0-9]{1,3}$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw badRequest(`limit must be an integer between 1 and ${MAX_LIMIT}`)
  return limit
}

function parseTime(query: ListQuery, name: string): Date | null {
  const text = query[name]
  if (text === undefined) return null
  const time = parseIsoTime(text)
  if (time === null) throw badRequest(`${name} must be an ISO 8601 datetime`)
  return time
}
