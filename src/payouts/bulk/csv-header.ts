import { invalidRequest } from '../../platform/refusal.ts'
import { echo } from '../../platform/text.ts'

export type Field = 'phone' | 'amount' | 'name' | 'reference' | 'channel'
/** The index of each field in a row, and the number of cells of a row. */
export type Columns = { places: ReadonlyMap<Field, number>; width: number }

// The field of each header name (G12); every other column is ignored.
const FIELDS: Readonly<Record<string, Field>> = {
  phone: 'phone',
  msisdn: 'phone',
  number: 'phone',
  amount: 'amount',
  name: 'name',
  reference: 'reference',
  ref: 'reference',
  channel: 'channel',
}
const TOLD = 6
const SEPARATORS_SAID = 'cells are separated by commas, semicolons or tabs'

/** Returns the field that a name in a header means, or null. */
export function fieldOf(cell: string): Field | null {
  const name = cell.toLowerCase()
  return Object.hasOwn(FIELDS, name) ? (FIELDS[name] as Field) : null // The name is one of its own.
}

/** Parses a header. Throws `invalid request: ...` when a field is named twice, or when phone or amount is missing: then with the first line. */
export function readHeader(cells: readonly string[]): Columns {
  const places = new Map<Field, number>()
  for (const [at, cell] of cells.entries()) {
    const field = fieldOf(cell)
    if (field === null) continue
    if (places.has(field)) throw invalidRequest(`CSV header names ${field} twice`)
    places.set(field, at)
  }
  if (!places.has('phone') || !places.has('amount'))
    throw invalidRequest(`CSV header must name phone and amount; ${found(cells)}`)
  return { places, width: cells.length }
}

function found(cells: readonly string[]): string {
  const quoted = cells.slice(0, TOLD).map((cell) => `"${echo(cell)}"`)
  if (cells.length === 1) return `its first line is one cell, ${quoted[0]}; ${SEPARATORS_SAID}`
  const more = cells.length > TOLD ? ` and ${cells.length - TOLD} more` : ''
  return `its first line is ${quoted.join(', ')}${more}`
}
