import type { ExceptionEvidence, OperatorLine, OurSide } from '../../../operations/reconciliation/evidence.ts'
import { column } from '../../parts/columns.tsx'
import { Facts, Money, OutsideText, Section, Time, Timeline } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { OperatorAmount } from '../reconciliation/exception-details.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'

const { detail } = EXCEPTIONS
const { lineColumns: columns } = detail

const LINE_COLUMNS: readonly ListColumn<OperatorLine>[] = [
  column.text(columns.number, ({ number }) => number),
  column.text(columns.id, ({ externalId }) => externalId),
  { title: columns.type, cell: ({ type }) => type },
  { title: columns.amount, cell: (line) => <OperatorAmount {...line} />, figures: true },
  column.text(columns.status, ({ status }) => status),
  column.time(columns.at, ({ at }) => at),
  column.time(columns.imported, ({ importedAt }) => importedAt),
]

/** A movement as our books have it, and as its operator reports it. */
export const BothSides = ({ visit, evidence }: { visit: ConsoleVisit; evidence: ExceptionEvidence }) => (
  <>
    <Section title={detail.ours}>
      {evidence.ours === null ? <p>{detail.none}</p> : <OurRecord visit={visit} ours={evidence.ours} />}
    </Section>
    <Section title={detail.theirs}>
      <h3>{detail.heard}</h3>
      {evidence.heard.length === 0 ? (
        <p class="quiet">{detail.heardNone}</p>
      ) : (
        <Timeline
          entries={evidence.heard.map(({ at, summary, operatorCode, digest }) => ({
            at,
            title: summary,
            detail: [operatorCode, digest].filter((text) => text !== null).join(', '),
          }))}
        />
      )}
      <h3>{detail.lines}</h3>
      {evidence.lines.length === 0 ? (
        <p class="quiet">{detail.linesNone}</p>
      ) : (
        <Table caption={detail.lines} rows={evidence.lines} columns={LINE_COLUMNS} />
      )}
    </Section>
  </>
)

function OurRecord({ visit, ours }: { visit: ConsoleVisit; ours: OurSide }) {
  const { oursFacts: facts } = detail
  return (
    <Facts
      facts={[
        [facts.id, <a href={visit.to(`/payments/${ours.id}`)}>{ours.id}</a>],
        [facts.side, ours.side],
        [facts.status, ours.status],
        [facts.amount, <Money amount={ours.amount} />],
        [facts.made, <Time at={ours.createdAt} />],
        [facts.ended, <Time at={ours.completedAt} />],
        [facts.reference, <OutsideText text={ours.reference} />],
        [facts.number, <OutsideText text={ours.number} />],
      ]}
    />
  )
}
