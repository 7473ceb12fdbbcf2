import { assert } from '../assert.ts'

/** The values of a statement's named parameters. */
export type NamedValues = Readonly<Record<string, unknown>>

// Neither a cast (`x::text`), nor a member of JSON that a statement writes (`"id":null`), nor a class of characters (`[:digit:]`).
const NAMED_PARAMETER = /(?<![:\w"'[]):([a-z]\w*)/gi
const NUMBERED_PARAMETER = /\$\d/

/**
 * Replaces each `:name` of a statement by `$1`, `$2` and so on, as the server wants them, and returns the names in the order of their
 * numbers. Names in `order` get the first numbers, in that order; the others follow as they appear. Throws where a statement has both
 * names and numbers.
 */
export function numberParameters(
  text: string,
  order: readonly string[] = [],
): { text: string; parameters?: readonly string[] } {
  const found = new Set(Array.from(text.matchAll(NAMED_PARAMETER), ([, name = '']) => name))
  if (found.size === 0) return { text }
  assert(!NUMBERED_PARAMETER.test(text), `a statement names its parameters or numbers them, not both: ${text}`)
  const parameters = [...new Set([...order.filter((name) => found.has(name)), ...found])]
  const numbers = new Map(parameters.map((name, index) => [name, `$${index + 1}`]))
  return { text: text.replace(NAMED_PARAMETER, (_whole, name: string) => numbers.get(name) ?? ''), parameters }
}
