/** The fields of a form by name, as text; a field sent twice counts once. */
export type Fields = Readonly<Record<string, string>>

/** What was read of a body: its fields, and whether one of them came twice, so that it is not known what the sender meant. */
export type ReadFields = { fields: Fields; isDoubled: boolean }

// More than any form of ours has, with room for hidden fields. To parse many names costs more than anything else that a stranger can send.
const MOST_FIELDS = 200
const AND = 0x26
const NOTHING: ReadFields = { fields: Object.create(null) as Fields, isDoubled: false }

/** Reads what a browser posts from a form without files. Anything else has no fields; null for more than a form has, which is not parsed. */
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

/** Looks no further than the first sign that is one too many. */
function hasTooMany(body: Buffer): boolean {
  let at = -1
  for (let ands = 0; ands < MOST_FIELDS; ands += 1) {
    at = body.indexOf(AND, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Without the spaces around what was typed. */
export function trimmed(fields: Fields): Fields {
  const read: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) read[name] = value.trim()
  return read
}
