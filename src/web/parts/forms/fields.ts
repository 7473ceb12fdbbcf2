/** The fields of a form by name, as text. Of a field that is sent twice, the first value counts. */
export type PostedFields = Readonly<Record<string, string>>

/** The fields of a body. `isDoubled`: one of them came twice, so it is not known what the sender meant. */
export type ParsedFields = { fields: PostedFields; isDoubled: boolean }

// More than any form of ours has, with hidden fields. Parsing many names is the most expensive work that a stranger can cause.
const MAX_FIELDS = 200
const AMPERSAND = 0x26
const NO_FIELDS: ParsedFields = { fields: Object.create(null) as PostedFields, isDoubled: false }

/** Parses the body of a form without files; anything else has no fields. Null, unparsed, if it has more fields than any form. */
export function parseFields(body: unknown): ParsedFields | null {
  if (!Buffer.isBuffer(body)) return NO_FIELDS
  if (hasTooMany(body)) return null
  const fields: Record<string, string> = Object.create(null)
  let isDoubled = false
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    isDoubled ||= name in fields
    fields[name] ??= value
  }
  return { fields: trimFields(fields), isDoubled }
}

/** Stops at the first field that is one too many. */
function hasTooMany(body: Buffer): boolean {
  let at = -1
  for (let count = 0; count < MAX_FIELDS; count += 1) {
    at = body.indexOf(AMPERSAND, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Trims the value of each field. */
export function trimFields(fields: PostedFields): PostedFields {
  const trimmedFields: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) trimmedFields[name] = value.trim()
  return trimmedFields
}
