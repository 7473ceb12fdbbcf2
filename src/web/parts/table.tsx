import type { ComponentChildren } from 'preact'
import type { ListPage } from '../../api/http/lists/lists.ts'
import { badRequest } from '../../platform/refusal.ts'
import { parseShillings } from '../../platform/text/shillings.ts'
import { cleanTyped } from '../../platform/text/text.ts'
import { parseDays } from './days.ts'
import type { FieldChoice } from './forms/form-spec.ts'
import { daysOfPeriod } from './periods.ts'
import { PARTS } from './texts.ts'

/** One column: its heading, its cell, and whether it holds figures. */
export type ListColumn<Row> = {
  title: string
  cell(row: Row): ComponentChildren
  figures?: boolean
  /**
   * Where the cell stands on a phone, when a row has two lines there: who and amount in the first, state, what for and when in the second.
   * `more` is a line below them, in rows that have something to say there. A table with one such column shows nothing else on a phone;
   * `ident` is shown on wide screens only. Without any, a row is a card with a line for each column.
   */
  at?: 'who' | 'amount' | 'state' | 'what' | 'when' | 'more' | 'ident'
}

/** A filter of a list; its value is in the address of the list. */
export type ListFilter = {
  name: string
  label: string
  kind?: 'text' | 'select' | 'date' | 'moment' | 'phone' | 'amount'
  hint?: string
  choices?: readonly FieldChoice[]
}

/** Cursors of the pages before and after this one; null if there is none. */
export type ListCursors = { newer: string | null; older: string | null }

export type AddressQuery = Readonly<Record<string, string | undefined>>

const ROWS_PER_PAGE = '25'

/** Makes a query of a form's values, without empty ones. */
export const withoutEmpty = (values: Readonly<Record<string, string>>): AddressQuery =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

/**
 * Turns a page's query into the one that lists read: `after` becomes their cursor, a day in Kampala its first and last moment, a period of
 * `now` its days, phones among `filters` lose what was pasted with them and cannot be seen, and amounts become whole shillings. `earlier`
 * is the time at which a search goes on. Throws 400.
 */
export function buildPageQuery(
  { after, from, until, period, earlier, ...values }: AddressQuery,
  filters: readonly ListFilter[] = [],
  now?: Date,
): AddressQuery {
  const own = from !== undefined || until !== undefined || period === undefined || now === undefined
  const days = parseDays(own ? { from, until } : daysOfPeriod(period, now))
  return {
    ...values,
    ...Object.fromEntries(filters.map((filter) => [filter.name, cleanFilter(filter, values[filter.name])])),
    limit: ROWS_PER_PAGE,
    starting_after: after,
    created_after: days.from,
    created_before: earlier ?? days.until,
  }
}

function cleanFilter({ kind, label }: ListFilter, typed: string | undefined): string | undefined {
  if (typed === undefined || (kind !== 'phone' && kind !== 'amount')) return typed
  if (kind === 'phone') return cleanTyped(typed)
  const amount = parseShillings(typed)
  if (amount === null) throw badRequest(PARTS.amountTyped(label))
  return String(amount)
}

/** The cursors beside a page of a list. */
export const cursorsOf = ({ previousCursor, nextCursor }: ListPage<unknown>): ListCursors => ({
  newer: previousCursor ?? null,
  older: nextCursor,
})

type TableProps<Row> = {
  caption: string
  rows: readonly Row[]
  columns: readonly ListColumn<Row>[]
  /** The address that a row leads to; the column of who, else the first one, is the link. */
  href?: (row: Row) => string
}

/** A list: a table where there is room; rows of two lines or cards on a phone. */
export function Table<Row>({ caption, rows, columns, href }: TableProps<Row>) {
  const who = columns.findIndex(({ at }) => at === 'who')
  const link = Math.max(who, 0)
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class={who < 0 ? undefined : 'rows'}>
        <caption class="ear">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, figures }) => (
              <th scope="col" class={figures ? 'figure' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ title, cell, figures, at }, index) => (
                <td data-title={title} class={[figures && 'figure', at].filter(Boolean).join(' ') || undefined}>
                  {index === link && href !== undefined ? (
                    <a href={href(row)} class="go">
                      {cell(row)}
                    </a>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type PagerProps = {
  cursors: ListCursors
  query: AddressQuery
  here: string
  /** For a queue, whose previous page has the older rows. */
  oldestFirst?: boolean
}

/** The links to the pages before and after this one. `here` is the address of the list; its filters are kept. */
export function Pager({ cursors, query, here, oldestFirst = false }: PagerProps) {
  if (cursors.newer === null && cursors.older === null) return null
  const to = (name: 'before' | 'after', cursor: string) =>
    addressWith(here, { ...query, before: undefined, after: undefined, [name]: cursor })
  return (
    <nav class="pager" aria-label={PARTS.pages}>
      {cursors.newer !== null && (
        <a class="button plain" href={to('before', cursors.newer)} rel="prev">
          {oldestFirst ? PARTS.older : PARTS.newer}
        </a>
      )}
      {cursors.older !== null && (
        <a class="button plain" href={to('after', cursors.older)} rel="next">
          {oldestFirst ? PARTS.newer : PARTS.older}
        </a>
      )}
    </nav>
  )
}

/** Builds an address with these values in its query; absent ones are left out. */
export function addressWith(path: string, query: AddressQuery): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? path : `${path}?${text}`
}
