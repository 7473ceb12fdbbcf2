import type { ComponentChildren } from 'preact'
import { Filters, PeriodLinks } from './filters.tsx'
import type { FormState } from './forms/form-spec.ts'
import { Empty } from './parts.tsx'
import { type PageReply, pageReply } from './routes/surface-reply.ts'
import { type AddressQuery, type ListColumn, type ListCursors, type ListFilter, Pager, Table } from './table.tsx'

type ListProps<Row> = {
  /** Names the table for people who hear the page. */
  caption: string
  rows: readonly Row[]
  columns: readonly ListColumn<Row>[]
  /** The address that a row leads to. */
  href?: ((row: Row) => string) | undefined
  /** Shown without rows. `filtered`: the title where filters or a page after the first have none; if absent, the same as without. */
  empty: { title: string; says?: ComponentChildren; filtered?: string }
  /** The address of the list, and the query that it was asked with. */
  here: string
  query: AddressQuery
  filters?: readonly ListFilter[]
  /** Values that stay in the address beside the filters. */
  keep?: Readonly<Record<string, string>>
  /** Shown beside the filters: the download. */
  tools?: ComponentChildren
  /** Shown between the filters and the rows: saved views, totals. */
  aboveRows?: ComponentChildren
  /** Shown between the rows and the links to other pages. */
  belowRows?: ComponentChildren
  /** Absent for a list that has one page. */
  cursors?: ListCursors
  /** For a queue, whose previous page has the older rows. */
  oldestFirst?: boolean
}

/** The filters of a list, its rows or that there are none, and the links to its other pages. */
export function List<Row>({ caption, rows, columns, href, empty, here, query, cursors, ...props }: ListProps<Row>) {
  const { filters = [], keep = {}, tools, aboveRows, belowRows, oldestFirst = false } = props
  return (
    <>
      {(filters.length > 0 || tools) && (
        <div class="tools">
          {filters.length > 0 && <Filters filters={filters} query={query} action={here} keep={keep} />}
          {tools}
        </div>
      )}
      <PeriodLinks query={query} here={here} filters={filters} />
      {aboveRows}
      {rows.length > 0 ? (
        <Table caption={caption} rows={rows} columns={columns} {...(href === undefined ? {} : { href })} />
      ) : (
        <EmptyList empty={empty} isFiltered={isFiltered(query, filters)} />
      )}
      {belowRows}
      {cursors !== undefined && (
        <Pager cursors={cursors} query={{ ...query, ...keep }} here={here} oldestFirst={oldestFirst} />
      )}
    </>
  )
}

/** Whether filters, or a page after the first, hide rows of the list. */
const isFiltered = (query: AddressQuery, filters: readonly ListFilter[]): boolean =>
  [...filters.map(({ name }) => name), 'after', 'before', 'earlier'].some((name) => query[name] !== undefined)

function EmptyList({
  empty: { title, says, filtered },
  isFiltered,
}: Pick<ListProps<never>, 'empty'> & { isFiltered: boolean }) {
  if (isFiltered && filtered !== undefined) return <Empty title={filtered} />
  return <Empty title={title}>{typeof says === 'string' ? <p>{says}</p> : says}</Empty>
}

type ListPageProps<Row> = Omit<ListProps<Row>, 'caption'> & {
  title: string
  /** The heading with what stands beside it; the title alone if absent. */
  head?: ComponentChildren
  /** Shown between the heading and the list. */
  lead?: ComponentChildren
  /** Shown below the list: notes about it. */
  below?: ComponentChildren
  state?: FormState | null
}

/** Makes the page of a list: the heading, the list with its filters, and the forms below it. */
export const listPage = <Row,>({ title, head, lead, below, state, ...list }: ListPageProps<Row>): PageReply =>
  pageReply(
    title,
    <>
      {head ?? <h1>{title}</h1>}
      {lead}
      <List {...list} caption={title} />
      {below}
    </>,
    { status: state?.status ?? 200 },
  )
