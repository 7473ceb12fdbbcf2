/**
 * Columns of a set-based statement, written as PostgreSQL array texts. The driver's own way quotes and escapes every element;
 * for numbers and for words of our own making (ids, kinds, times) there is nothing to escape.
 */
export const numbers = (values: readonly (number | null)[]): string => written(values)

/** Words of letters, digits and `_ - : .` only: ids, names of kinds and accounts, ISO times. Never a caller's text. */
export const words = (values: readonly (string | null)[]): string => written(values)

/** The same number, word or time for each of `count` rows. */
export const repeated = (value: string | number, count: number): string =>
  written(new Array(count).fill(value))

/**
 * The rows of such columns inside a statement, of these types. Each array is read by a sub-select, so that the planner
 * assumes the same length in every call and keeps one plan. Otherwise it would plan again for every small batch, which
 * costs more than running it.
 */
export const rowsOf = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`

/** The places (merchant and id) in the first two columns. */
export const PLACES = `(select * from ${rowsOf('bigint', 'text')})`

export const times = (values: readonly (Date | null)[]): string =>
  written(values.map((value) => value?.toISOString() ?? null))

function written(values: readonly (string | number | null)[]): string {
  let text = '{'
  for (let at = 0; at < values.length; at += 1) text += (at === 0 ? '' : ',') + (values[at] ?? 'NULL')
  return `${text}}`
}
