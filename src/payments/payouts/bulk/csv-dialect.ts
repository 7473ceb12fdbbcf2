import { findField } from './csv-header.ts'

/** How a file separates its cells and its lines. */
export type CsvDialect = { separator: string; lineEnds: string[] }

// The separators of spreadsheets: commas; semicolons where the comma is the decimal mark; tabs when cells are copied.
const SEPARATORS = [',', ';', '\t'] as const
const SEPARATOR_LINE = /^sep=([,;\t])$/i
const LF = 0x0a
// Longer than any header.
const MAX_HEADER_CHARACTERS = 32_768

/**
 * Detects the dialect from the first line: the separator of a line `sep=;`, or else the one with which the line names a phone and an
 * amount, or else the first one that it contains. A file without a line feed ends its lines with a carriage return.
 */
export function detectDialect(bytes: Buffer): CsvDialect {
  const lineEnds = bytes.includes(LF) ? ['\r\n', '\n'] : ['\r']
  const text = bytes.toString('utf8', 0, MAX_HEADER_CHARACTERS).replace(/^\uFEFF/, '')
  const line = text.split(/\r\n|\n|\r/).find((candidate) => /[^\s,;"]/.test(candidate)) ?? ''
  const [, stated] = SEPARATOR_LINE.exec(line) ?? []
  const fitting = SEPARATORS.find((separator) => namesPhoneAndAmount(line.split(separator)))
  const contained = SEPARATORS.find((separator) => line.includes(separator))
  return { separator: stated ?? fitting ?? contained ?? ',', lineEnds }
}

/** Whether these are the cells of a line `sep=;`, which is not the header. */
export const isSeparatorLine = (cells: readonly string[]): boolean =>
  cells[0]?.toLowerCase() === 'sep=' && cells.slice(1).every((cell) => cell === '')

function namesPhoneAndAmount(cells: readonly string[]): boolean {
  const fields = cells.map((cell) =>
    findField(
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    ),
  )
  return fields.includes('phone') && fields.includes('amount')
}
