import { fieldOf } from './csv-header.ts'

/** How a file separates its cells and its lines. */
export type Dialect = { separator: Separator; lineEnds: string[] }
type Separator = (typeof SEPARATORS)[number]

// What spreadsheets write: commas, semicolons where a comma parts the shillings from the cents, tabs when cells are copied.
const SEPARATORS = [',', ';', '\t'] as const
const SAID = /^sep=([,;\t])$/i
const LF = 0x0a
// Longer than any header.
const LOOKED_AT = 32_768

/**
 * What the first line says: the separator with which it names a phone and an amount, or that of a line `sep=;` above it, or else the
 * first one that it has. A file without a line feed ends its lines with a carriage return.
 */
export function dialectOf(bytes: Buffer): Dialect {
  const lineEnds = bytes.includes(LF) ? ['\r\n', '\n'] : ['\r']
  const text = bytes.toString('utf8', 0, LOOKED_AT).replace(/^\uFEFF/, '')
  const line = text.split(/\r\n|\n|\r/).find((one) => /[^\s,;"]/.test(one)) ?? ''
  const [, said] = SAID.exec(line) ?? []
  const named = SEPARATORS.find((separator) => namesPay(line.split(separator)))
  const had = SEPARATORS.find((separator) => line.includes(separator))
  return { separator: (said as Separator | undefined) ?? named ?? had ?? ',', lineEnds } // SAID holds no others.
}

/** Whether this is the row of a line `sep=;`, which is not the header. */
export const saysSeparator = (cells: readonly string[]): boolean =>
  cells[0]?.toLowerCase() === 'sep=' && cells.slice(1).every((cell) => cell === '')

function namesPay(cells: readonly string[]): boolean {
  const fields = cells.map((cell) =>
    fieldOf(
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    ),
  )
  return fields.includes('phone') && fields.includes('amount')
}
