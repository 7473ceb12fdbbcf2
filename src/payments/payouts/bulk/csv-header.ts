import { invalidRequest } from '../../../platform/refusal.ts'
import { echo } from '../../../platform/text/text.ts'

export type CsvField = 'phone' | 'amount' | 'name' | 'reference' | 'channel' | 'metadata'
/** The index of each field in a row, and the number of cells of a row. */
export type CsvColumns = { positions: ReadonlyMap<CsvField, number>; width: number }

// The field of each header name (G12); every other column is ignored.
const FIELD_BY_HEADER: Readonly<Record<string, CsvField>> = {
  phone: 'phone',
  msisdn: 'phone',
  number: 'phone',
  amount: 'amount',
  name: 'name',
  reference: 'reference',
  ref: 'reference',
  channel: 'channel',
  metadata: 'metadata',
}
const MAX_CELLS_IN_MESSAGE = 6
const SEPARATORS_TEXT = 'cells are separated by commas, semicolons or tabs'

/** Returns the field that a name in a header means, or null. */
export function findField(cell: string): CsvField | null {
  const name = cell.toLowerCase()
  return Object.hasOwn(FIELD_BY_HEADER, name) ? (FIELD_BY_HEADER[name] as CsvField) : null // The name is one of its own.
}

/** Parses a header. Throws `invalid request: ...` when a field is named twice, or when phone or amount is missing: then with the first line. */
export function parseHeader(cells: readonly string[]): CsvColumns {
  const places = new Map<CsvField, number>()
  for (const [at, cell] of cells.entries()) {
    const field = findField(cell)
    if (field === null) continue
    if (places.has(field)) throw invalidRequest(`CSV header names ${field} twice`)
    places.set(field, at)
  }
  if (!places.has('phone') || !places.has('amount'))
    throw invalidRequest(`CSV header must name phone and amount; ${describeHeader(cells)}`)
  return { positions: places, width: cells.length }
}

function describeHeader(cells: readonly string[]): string {
  const quoted = cells.slice(0, MAX_CELLS_IN_MESSAGE).map((cell) => `"${echo(cell)}"`)
  if (cells.length === 1) return `its first line is one cell, ${quoted[0]}; ${SEPARATORS_TEXT}`
  const more = cells.length > MAX_CELLS_IN_MESSAGE ? ` and ${cells.length - MAX_CELLS_IN_MESSAGE} more` : ''
  return `its first line is ${quoted.join(', ')}${more}`
}
