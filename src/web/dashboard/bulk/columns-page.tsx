import {
  type ColumnsSaid,
  getListToName,
  type ListToName,
} from '../../../payments/payouts/bulk/drafts/choose-columns.ts'
import type { ColumnUse } from '../../../payments/payouts/bulk/files/column-words.ts'
import { MAX_COLUMNS } from '../../../payments/payouts/bulk/files/read-file.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FieldChoice, FormField, FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Note, OutsideText, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns: words } = BULK
const LETTERS = 26
const [ROWS_SHOWN, SAMPLES_SHOWN, LINES_OFFERED] = [5, 3, 10]
const MAX_SAMPLE_CHARACTERS = 40
const USES = Object.entries(words.uses).map(([value, label]) => ({ value, label }))

const fieldOf = (column: number): FormField => ({
  name: `c${column + 1}`,
  label: words.column(letterOf(column)),
  kind: 'select',
  choices: USES,
  // A list has two columns at least; the others are on the page only if the list has them.
  ...(column < 2 ? {} : { optional: true as const }),
})

const FIRST_LINE: FormField = { name: 'first', label: words.first, hint: words.firstHint, kind: 'select' }

/** Says what each column of a list holds. */
export const CHOOSE_COLUMNS: FormSpec = {
  path: '/bulk/drafts/:id/columns',
  action: 'bulk.draft',
  fields: [...Array.from({ length: MAX_COLUMNS }, (_, column) => fieldOf(column)), FIRST_LINE],
  submit: words.submit,
}

/** The name that a spreadsheet gives to a column: A, B, …, Z, AA. */
function letterOf(column: number): string {
  const letter = String.fromCharCode(65 + (column % LETTERS))
  return column < LETTERS ? letter : `${letterOf(Math.floor(column / LETTERS) - 1)}${letter}`
}

/** Shows the first rows of a list, and asks what its columns hold. */
export async function showColumns(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const id = visit.params.id ?? ''
  const list = await getListToName(visit.app, visit.caller, id)
  const { draft, layout, top, width } = list
  const shown = top.slice(0, ROWS_SHOWN)
  const spec = { ...CHOOSE_COLUMNS, fields: [...listFields(list), FIRST_LINE] }
  return pageReply(
    words.title,
    <>
      <div class="top">
        <h1>{words.title}</h1>
        <code>{draft.name}</code>
      </div>
      <p>{words.lead}</p>
      {layout.sheet !== null && <SheetNote sheet={layout.sheet} />}
      <Section title={words.rows}>
        <Table caption={words.rows} rows={shown} columns={tableColumns(width)} />
      </Section>
      <FormBox
        of={spec}
        visit={visit}
        state={state}
        params={{ id }}
        values={{ first: String(layout.firstLine), ...presentUses(layout.columns ?? layout.guess, width) }}
        choices={{ first: listLines(list) }}
      />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Says which sheet of a workbook was read, if it has others. */
export function SheetNote({
  sheet: { name, others, more },
}: {
  sheet: { name: string; others: readonly string[]; more: number }
}) {
  if (others.length === 0) return null
  return (
    <Note>
      {words.sheet} <OutsideText text={name} />. {words.otherSheets} <OutsideText text={others.join(', ')} />
      {more > 0 && ` ${words.moreSheets(more)}`}
    </Note>
  )
}

const tableColumns = (width: number): ListColumn<ListToName['top'][number]>[] => [
  { title: words.line, cell: ({ line }) => line },
  ...Array.from({ length: width }, (_, column) => ({
    title: letterOf(column),
    cell: ({ cells }: ListToName['top'][number]) => <OutsideText text={cells[column] || null} />,
  })),
]

/** A field for each column, with its heading and what its first cells hold. */
const listFields = ({ layout, top, width }: ListToName): FormField[] =>
  Array.from({ length: width }, (_, column) => {
    const heading = top.findLast(({ line }) => line < layout.firstLine)?.cells[column] ?? ''
    const samples = top
      .filter(({ line, cells }) => line >= layout.firstLine && (cells[column] ?? '') !== '')
      .slice(0, SAMPLES_SHOWN)
      .map(({ cells }) => shorten(cells[column] ?? ''))
    const label = heading === '' ? words.column(letterOf(column)) : words.named(letterOf(column), shorten(heading))
    const { name, kind, choices } = fieldOf(column)
    return { name, kind, choices, label, ...(samples.length === 0 ? {} : { hint: samples.join(' · ') }) }
  })

const shorten = (text: string) =>
  text.length > MAX_SAMPLE_CHARACTERS ? `${text.slice(0, MAX_SAMPLE_CHARACTERS)}…` : text

const presentUses = (uses: readonly ColumnUse[], width: number): FormValues =>
  Object.fromEntries(Array.from({ length: width }, (_, column) => [`c${column + 1}`, uses[column] ?? 'ignore']))

/** The lines that may be the first payment. */
const listLines = ({ top, layout }: ListToName): FieldChoice[] =>
  top
    .filter(({ line }, at) => at < LINES_OFFERED || line === layout.firstLine)
    .map(({ line, cells }) => ({ value: String(line), label: words.lineOf(line, shorten(cells.join(', '))) }))

/** Parses what was chosen. */
export function parseColumns({ params }: DashboardVisit, values: FormValues): ColumnsSaid {
  const uses = Array.from({ length: MAX_COLUMNS }, (_, column) => values[`c${column + 1}`] ?? '')
  const width = uses.findLastIndex((use) => use !== '') + 1
  return {
    id: params.id ?? '',
    uses: uses.slice(0, width).map((use) => (use === '' ? 'ignore' : (use as ColumnUse))), // One of the choices.
    firstLine: Number(values.first),
  }
}
