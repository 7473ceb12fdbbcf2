/** The fields of a form by name, as text. Of a field that is sent twice, the first value counts. */
export type Fields = Readonly<Record<string, string>>

/** The fields of a body. `isDoubled`: one of them came twice, so it is not known what the sender meant. */
export type ReadFields = { fields: Fields; isDoubled: boolean }

// More than any form of ours has, with hidden fields. Parsing many names is the most expensive work that a stranger can cause.
const MOST_FIELDS = 200
const AND = 0x26
const NOTHING: ReadFields = { fields: Object.create(null) as Fields, isDoubled: false }

/** Parses the body of a form without files; anything else has no fields. Null, unparsed, if it has more fields than any form. */
export function readFields(body: unknown): ReadFields | null {
  if (!Buffer.isBuffer(body)) return NOTHING
  if (hasTooMany(body)) return null
  const fields: Record<string, string> = Object.create(null)
  let isDoubled = false
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    isDoubled ||= name in fields
    fields[name] ??= value
  }
  return { fields: trimmed(fields), isDoubled }
}

/** Stops at the first field that is one too many. */
function hasTooMany(body: Buffer): boolean {
  let at = -1
  for (let count = 0; count < MOST_FIELDS; count += 1) {
    at = body.indexOf(AND, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Trims the value of each field. */
export function trimmed(fields: Fields): Fields {
  const trimmedFields: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) trimmedFields[name] = value.trim()
  return trimmedFields
}
