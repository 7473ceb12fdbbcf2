import { Facts, Money, Said, Section, Time, Timeline } from '../../pages/parts.tsx'
import { type Column, Table } from '../../pages/table.tsx'
import type { Evidence, OurSide, TheirLine } from '../../reconciliation/evidence.ts'
import { Amount } from '../reconciliation/details.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'

const { detail } = EXCEPTIONS
const { lineColumns: columns } = detail

const LINES: readonly Column<TheirLine>[] = [
  { title: columns.number, cell: ({ number }) => <Said text={number} /> },
  { title: columns.id, cell: ({ externalId }) => <Said text={externalId} /> },
  { title: columns.type, cell: ({ type }) => type },
  { title: columns.amount, cell: (line) => <Amount {...line} />, figures: true },
  { title: columns.status, cell: ({ status }) => <Said text={status} /> },
  { title: columns.at, cell: ({ at }) => <Time at={at} /> },
  { title: columns.imported, cell: ({ importedAt }) => <Time at={importedAt} /> },
]

/** A movement as our books have it, and as its operator reports it. */
export const BothSides = ({ visit, evidence }: { visit: ConsoleVisit; evidence: Evidence }) => (
  <>
    <Section title={detail.ours}>
      {evidence.ours === null ? <p>{detail.none}</p> : <Ours visit={visit} ours={evidence.ours} />}
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
        <Table caption={detail.lines} rows={evidence.lines} columns={LINES} />
      )}
    </Section>
  </>
)

function Ours({ visit, ours }: { visit: ConsoleVisit; ours: OurSide }) {
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
        [facts.reference, <Said text={ours.reference} />],
        [facts.number, <Said text={ours.number} />],
      ]}
    />
  )
}
