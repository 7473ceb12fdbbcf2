import type { CaseOfAny, ListedCase } from '../../../operations/cases/read-cases.ts'
import type { SupportCase } from '../../../operations/cases/support-case.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { Section, Status } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { CASES } from '../texts/cases.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, beside } = CASES
const TONES = { waiting: 'warn', answered: 'good', closed: 'quiet' } as const

export const CaseBadge = ({ of: { state } }: { of: SupportCase }) => (
  <Status word={CASES.states[state]} tone={TONES[state]} />
)

/** The columns of the list of all cases. */
export const CASE_COLUMNS: readonly ListColumn<CaseOfAny>[] = [
  column.text(columns.says, ({ says }) => says),
  { title: columns.merchant, cell: ({ business }) => <bdi>{oneLine(business)}</bdi> },
  { title: columns.subject, cell: ({ subject }) => subject },
  { title: columns.mode, cell: ({ mode }) => mode },
  column.time(columns.since, ({ waitsSince }) => waitsSince),
  column.time(columns.last, ({ lastAt }) => lastAt),
]

const BESIDE_COLUMNS: readonly ListColumn<ListedCase>[] = [
  column.text(columns.says, ({ says }) => says),
  { title: columns.subject, cell: ({ subject }) => subject },
  { title: columns.state, cell: (row) => <CaseBadge of={row} /> },
  column.time(columns.last, ({ lastAt }) => lastAt),
]

/** What was written to us about a merchant or one of its payments, on its page. */
export const CasesBeside = ({ visit, cases }: { visit: ConsoleVisit; cases: readonly ListedCase[] }) => (
  <Section title={beside.title}>
    {cases.length === 0 ? (
      <p class="quiet">{beside.none}</p>
    ) : (
      <Table caption={beside.title} rows={cases} columns={BESIDE_COLUMNS} href={({ id }) => visit.to(`/cases/${id}`)} />
    )}
  </Section>
)
