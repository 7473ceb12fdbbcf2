import { Type } from 'typebox'
import { badRequest } from '../../../platform/refusal.ts'
import { echo } from '../../../platform/text/text.ts'
import { type ListQuery, parseListWindow } from './lists.ts'

/** The schema of a query parameter that takes several of these words with commas between. `$id`: what one of them is called. */
export const severalOf = (choices: readonly string[], $id: string) =>
  Type.Optional(
    Type.Array(Type.Enum([...choices], { $id }), {
      description: 'one, or several with commas between: `a,b`',
      minItems: 1,
    }),
  )

/** Parses the statuses and the window of a list's query, in the order of the spec. Throws 400. */
export const parseStatusAndWindow = (query: ListQuery, statuses: readonly string[]) => ({
  status: parseListChoices('status', query.status, statuses),
  ...parseListWindow(query),
})

/** Returns the text if it is one of these choices, null where it is absent. Throws 400 for any other. */
export function parseListChoice(name: string, text: string | undefined, choices: readonly string[]): string | null {
  if (text === undefined) return null
  if (!choices.includes(text)) throw unknownChoice(name, text, choices)
  return text
}

/** Returns several of these choices, each once and with commas between; null where the text is absent. Throws 400 for any other. */
export function parseListChoices(name: string, text: string | undefined, choices: readonly string[]): string | null {
  if (text === undefined) return null
  const parts = text.split(',').map((part) => part.trim())
  if (!parts.every((part) => choices.includes(part))) throw unknownChoice(name, text, choices)
  return choices.filter((choice) => parts.includes(choice)).join(',')
}

const unknownChoice = (name: string, text: string, choices: readonly string[]) =>
  badRequest(`invalid ${name}: ${echo(text)}`, { hint: `it is one of ${choices.join(', ')}`, field: name })
