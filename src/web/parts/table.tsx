import type { ComponentChildren } from 'preact'
import type { ListPage } from '../../api/http/lists/lists.ts'
import { cleanTyped } from '../../platform/text/text.ts'
import { parseDays } from './days.ts'
import { FieldBox } from './forms/form.tsx'
import type { FieldChoice } from './forms/form-spec.ts'
import { Icon } from './icons.tsx'
import { PARTS } from './texts.ts'

/** One column: its heading, its cell, and whether it holds figures. */
export type ListColumn<Row> = {
  title: string
  cell(row: Row): ComponentChildren
  figures?: boolean
}

/** A filter of a list; its value is in the address of the list. */
export type ListFilter = {
  name: string
  label: string
  kind?: 'text' | 'select' | 'date' | 'moment' | 'phone'
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
 * Turns a page's query into the one that lists read: `after` becomes their cursor, a day in Kampala its first and last moment, and phones
 * among `filters` lose what was pasted with them and cannot be seen.
 */
export function buildPageQuery(
  { after, from, until, ...values }: AddressQuery,
  filters: readonly ListFilter[] = [],
): AddressQuery {
  const days = parseDays({ from, until })
  const phones = filters.filter(({ kind }) => kind === 'phone').map(({ name }) => name)
  return {
    ...values,
    ...Object.fromEntries(
      phones.map((name) => [name, values[name] === undefined ? undefined : cleanTyped(values[name])]),
    ),
    limit: ROWS_PER_PAGE,
    starting_after: after,
    created_after: days.from,
    created_before: days.until,
  }
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
  /** The address that a row leads to; the first column is the link. */
  href?: (row: Row) => string
}

/** A list: a table where there is room, cards on a phone. */
export function Table<Row>({ caption, rows, columns, href }: TableProps<Row>) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
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
              {columns.map(({ title, cell, figures }, index) => (
                <td data-title={title} class={figures ? 'figure' : undefined}>
                  {index === 0 && href !== undefined ? <a href={href(row)}>{cell(row)}</a> : cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The filters of a list as a form that only changes the address. */
export function Filters({
  filters,
  query,
  action,
  keep = {},
  children,
}: {
  filters: readonly ListFilter[]
  query: AddressQuery
  action: string
  /** Values that stay in the address beside the filters. */
  keep?: Readonly<Record<string, string>>
  children?: ComponentChildren
}) {
  const isUsed = filters.some(({ name }) => query[name] !== undefined)
  return (
    <details class="filters" open={isUsed}>
      <summary>
        <Icon name="search" /> {PARTS.filters}
      </summary>
      <form method="get" action={action} class="form compact">
        {Object.entries(keep).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {filters.map(({ name, label, kind = 'text', hint, choices }) => (
          <FieldBox
            field={{
              name,
              label,
              kind,
              ...(hint === undefined ? {} : { hint }),
              ...(choices === undefined ? {} : { choices: [{ value: '', label: PARTS.all }, ...choices] }),
            }}
            id={`filter-${name}`}
            value={query[name] ?? ''}
            fault={null}
          />
        ))}
        <button type="submit" class="button">
          {PARTS.filter}
        </button>
        {isUsed && (
          <a class="button plain" href={addressWith(action, keep)}>
            {PARTS.clear}
          </a>
        )}
      </form>
      {children}
    </details>
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
