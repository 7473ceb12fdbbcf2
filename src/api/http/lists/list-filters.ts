import type { TSchema } from 'typebox'
import type { NamedValues } from '../../../platform/db/named-parameters.ts'
import { mapValues } from '../../../platform/map-values.ts'
import { parseListChoice, parseListChoices } from './list-choices.ts'
import { type ListQuery, type ListWindow, parseListWindow } from './lists.ts'

/** One filter of a list. The caller gives it as text under its name; in SQL its value is the parameter of that name. */
export type FilterFacts = {
  /** The schema of its query parameter. */
  query: TSchema
  /** The only texts that it takes, where it does not take any. */
  choices?: readonly string[]
  /** The caller may name several of the choices, with commas between. */
  several?: true
  /** What a row must fulfil. It holds for all rows when the caller does not filter, so that one statement serves all callers. */
  condition: string
  /**
   * The condition by which an index finds the rows of this filter alone. The first filter of a table that has one and that the caller uses
   * drives the scan; the others only drop rows of it.
   */
  scan?: string
  /** Turns the caller's text into the value of the parameter; absent where they are the same. */
  parse?(typed: string): string
}
export type FilterTable<Name extends string> = Readonly<Record<Name, FilterFacts>>

/** What a caller filters by, as it was written; null for a filter that is not used. */
export type FilterTexts<Name extends string> = Record<Name, string | null>

/**
 * One way to find rows. Each branch is the condition of one scan of an index. `others`: the filters that a caller may use beside what the
 * branches say, and which only drop rows. `suffix`: how the names of its statements end.
 */
export type FilterScan = { suffix: string; branches: readonly string[]; others: readonly FilterFacts[] }

/** No filter at all. */
export const noFilters = <Name extends string>(table: FilterTable<Name>): FilterTexts<Name> =>
  mapValues(table, () => null)

/** The query parameters of a list's filters, for its endpoint. */
export const filterQuery = <Name extends string>(table: FilterTable<Name>): Record<Name, TSchema> =>
  mapValues(table, ({ query }) => query)

/** Parses the filters and then the window of a list from a query, in the order of the spec. Throws 400. */
export const parseFilters = <Name extends string>(
  table: FilterTable<Name>,
  query: ListQuery,
): FilterTexts<Name> & ListWindow => ({
  ...mapValues(table, ({ choices, several }, name) => {
    if (choices === undefined) return query[name] ?? null
    return (several ? parseListChoices : parseListChoice)(name, query[name], choices)
  }),
  ...parseListWindow(query),
})

/** The conditions of these filters, each as SQL. */
export const filterConditions = (filters: readonly FilterFacts[]): readonly string[] =>
  filters.map(({ condition }) => condition)

/** The values of all filters, by the names of their parameters. */
export const filterValues = <Name extends string>(
  table: FilterTable<Name>,
  texts: FilterTexts<NoInfer<Name>>,
): NamedValues =>
  mapValues(table, ({ parse = (typed: string) => typed }, name) => {
    const typed = texts[name]
    return typed === null ? null : parse(typed)
  })

/** The names of a table's filters that have an index. */
type IndexedFilter<Table> = {
  [Name in keyof Table]: Table[Name] extends { scan: string } ? Name : never
}[keyof Table]

/** Finds the filter whose index drives the scan; null where none of those used has one. */
export function findScanFilter<const Table extends FilterTable<string>>(
  table: Table,
  texts: Readonly<Record<keyof Table, string | null>>,
): IndexedFilter<Table> | null {
  const used = Object.keys(table).find((name) => table[name]?.scan !== undefined && texts[name] !== null)
  return (used as IndexedFilter<Table> | undefined) ?? null // It has a scan.
}
