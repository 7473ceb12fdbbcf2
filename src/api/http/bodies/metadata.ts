import { Type } from 'typebox'
import { invalidRequest } from '../../../platform/refusal.ts'
import { sortByCodePoint } from '../../../platform/text/canonical-json.ts'
import { echo, hasForbiddenControl, isLongerThan } from '../../../platform/text/text.ts'

/** What a merchant keeps with an object of ours: its own names and texts. They are echoed and never interpreted. */
export type Metadata = Readonly<Record<string, string>>

const MAX_NAMES = 20
const MAX_NAME_CHARACTERS = 40
const MAX_VALUE_CHARACTERS = 500

/** `metadata` of a request; `parseBody` calls `parseMetadata` for it. */
const MetadataCreateShape = Type.Unsafe<Metadata>({
  $id: 'MetadataCreate',
  type: 'object',
  propertyNames: { minLength: 1, maxLength: MAX_NAME_CHARACTERS },
  additionalProperties: { type: 'string', maxLength: MAX_VALUE_CHARACTERS },
  maxProperties: MAX_NAMES,
  description: 'your own names and texts, which come back wherever the object is shown and are never interpreted',
  examples: [{ order: 'A-17', branch: 'Ntinda' }],
})
export const METADATA_CREATE = Type.Optional(MetadataCreateShape)
/** The same where the reader of bodies passes it on unread, because other fields are checked after it; `MetadataPart` reads it then. */
export const UNREAD_METADATA = Type.Optional(Type.Union([MetadataCreateShape, Type.Null()]))
export const MetadataPart = Type.Object({ metadata: METADATA_CREATE })

/** `metadata` of an answer or an event; `{}` where there is none. */
export const MetadataShape = Type.Unsafe<Metadata>({
  $id: 'Metadata',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'your own names and texts, as you gave them; `{}` where you gave none',
})

const NOTHING: Metadata = {}

/** Parses the members of `metadata`. Throws 400. */
export function parseMetadata(value: Readonly<Record<string, unknown>>, at: string): Metadata {
  const names = Object.keys(value)
  if (names.length > MAX_NAMES) throw invalidRequest(`${at} must have at most ${MAX_NAMES} names`, at)
  const parsed: Record<string, string> = {}
  for (const name of names) parsed[parseName(name, at)] = parseValue(value[name], `${at}.${echo(name)}`)
  return parsed
}

function parseName(name: string, at: string): string {
  if (name.trim() === '') throw invalidRequest(`${at} has an empty name`, at)
  if (hasForbiddenControl(name, false)) throw invalidRequest(`a name in ${at} contains control characters`, at)
  if (isLongerThan(MAX_NAME_CHARACTERS, name))
    throw invalidRequest(`a name in ${at} must be at most ${MAX_NAME_CHARACTERS} characters (got ${echo(name)})`, at)
  return name
}

function parseValue(value: unknown, at: string): string {
  if (typeof value !== 'string') throw invalidRequest(`${at} must be a string${inQuotes(value)}`, at)
  if (hasForbiddenControl(value, true)) throw invalidRequest(`${at} contains control characters`, at)
  if (isLongerThan(MAX_VALUE_CHARACTERS, value))
    throw invalidRequest(`${at} must be at most ${MAX_VALUE_CHARACTERS} characters`, at)
  return value
}

/** Says how a number or a yes and no is given: as a text. */
const inQuotes = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? `; write it in quotes: "${value}"` : ''

/** Formats metadata for answers and events: names in the order of canonical JSON, `{}` where there is none. */
export function presentMetadata(metadata: Metadata | null | undefined): Metadata {
  if (!metadata) return NOTHING
  return Object.fromEntries(sortByCodePoint(Object.keys(metadata)).map((name) => [name, metadata[name] ?? '']))
}

/** Formats metadata for a column of a database; null where there is none. */
export const metadataJson = (metadata: Metadata | null): string | null => (metadata ? JSON.stringify(metadata) : null)

/** Formats metadata for a cell of a file; null where there is none. */
export const metadataCell = (metadata: Metadata | null): string | null =>
  metadata === null ? null : JSON.stringify(presentMetadata(metadata))

/** Takes an object without members as none. */
export const metadataOrNull = (metadata: Metadata | undefined): Metadata | null => {
  for (const _ in metadata) return metadata
  return null
}
