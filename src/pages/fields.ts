/** The fields of a form by name, as text; a field sent twice counts once. */
export type Fields = Readonly<Record<string, string>>

/** Reads what a browser posts from a form without files. Anything else has no fields. */
export function readFields(body: unknown): Fields {
  const fields: Record<string, string> = Object.create(null)
  if (!Buffer.isBuffer(body)) return fields
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) fields[name] ??= value
  return trimmed(fields)
}

/** Whether a field came twice: then it is not known what the sender meant. */
export function hasDoubled(body: unknown): boolean {
  if (!Buffer.isBuffer(body)) return false
  const names = [...new URLSearchParams(body.toString('utf8')).keys()]
  return new Set(names).size < names.length
}

/** Without the spaces around what was typed. */
export function trimmed(fields: Fields): Fields {
  const read: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) read[name] = value.trim()
  return read
}
