import { writeXlsxStream } from 'hucre/xlsx'

/** A column of a sheet: its heading, its width in characters, and how Excel shows and keeps its cells. */
export type SheetColumn = { title: string; width: number; kind: 'text' | 'money' | 'time' }
/** A cell: a time is shown in Kampala's time. `blank` keeps the kind of its column, so that Excel takes what is typed there as such. */
export type SheetCell = string | number | Date | null | 'blank'
export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const FORMATS: Readonly<Record<SheetColumn['kind'], string>> = {
  text: '@',
  money: '#,##0',
  time: 'yyyy-mm-dd hh:mm:ss',
}

/**
 * Writes a workbook of one sheet, row by row as they are read, so that its length costs no memory. Texts are texts, never formulas,
 * whatever they begin with.
 */
export async function* writeWorkbook(
  { name, columns }: { name: string; columns: readonly SheetColumn[] },
  rows: AsyncIterable<readonly SheetCell[]> | Iterable<readonly SheetCell[]>,
): AsyncGenerator<Uint8Array> {
  const stream = writeXlsxStream(
    (async function* () {
      for await (const row of rows) yield row.map((cell) => (cell === 'blank' ? { value: null } : cell)) as never
    })(),
    {
      name,
      columns: columns.map(({ title, width, kind }) => ({ header: title, width, numFmt: FORMATS[kind] })),
      freezePane: { rows: 1 },
    },
  )
  for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) yield piece
}
