import {
  BANDS,
  type Band,
  type BandCount,
  countParked,
  listParked,
  type Parked,
  type ParkedFilter,
} from '../../investigation/parked.ts'
import { openMarks, type PaymentMark } from '../../investigation/payment-marks.ts'
import { Empty, Money, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Filters, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { badRequest } from '../../platform/refusal.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { parked: words } = PAYMENTS
const { columns } = words
const SIDES = ['collect', 'disburse'] as const

const COLUMNS: readonly Column<Parked>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.merchant, cell: ({ business }) => <bdi>{shown(business)}</bdi> },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.state, cell: ({ state }) => state.replaceAll('_', ' ') },
  { title: columns.left, cell: ({ leftAt }) => <Time at={leftAt} /> },
  { title: columns.last, cell: lastOf },
  { title: columns.next, cell: ({ nextAt }) => <Time at={nextAt} /> },
]

// These three share a column. With a column for each, the time of the next question has no room on a screen of 1280 pixels.
function lastOf({ lastAnswer, questions, firstNotFoundAt }: Parked) {
  return (
    <>
      <Said text={lastAnswer} />
      <small class="hint below">{words.questions(questions)}</small>
      {firstNotFoundAt !== null && (
        <small class="hint below">
          {words.notFound} <Time at={firstNotFoundAt} />
        </small>
      )}
    </>
  )
}

const MARKS: readonly Column<PaymentMark>[] = [
  { title: words.markColumns.subject, cell: ({ subject }) => subject },
  { title: words.markColumns.says, cell: ({ says }) => <Said text={says} /> },
  { title: words.markColumns.by, cell: ({ markedBy }) => <bdi>{shown(markedBy)}</bdi> },
  { title: words.markColumns.at, cell: ({ markedAt }) => <Time at={markedAt} /> },
]

/** Finds the oldest age in which a payment waits, so that the page opens with the worst. */
const worstOf = (counts: readonly BandCount[]): Band =>
  counts.findLast(({ count }) => count > 0)?.band ?? '15m'

function filterOf({ query }: ConsoleVisit, counts: readonly BandCount[]): ParkedFilter {
  const band = BANDS.find(({ name }) => name === query.age)?.name ?? null
  if (band === null && query.age !== undefined) throw badRequest('age must be one of those on the page')
  const side = SIDES.find((choice) => choice === query.side) ?? null
  const [leftAt = '', id = ''] = (query.after ?? '').split(' ')
  if (query.after !== undefined && (Number.isNaN(Date.parse(leftAt)) || id === ''))
    throw badRequest('invalid cursor')
  return { band: band ?? worstOf(counts), side, after: id === '' ? null : { leftAt, id } }
}

/** Shows the payments that wait for an operator, by age, the oldest first. */
export async function showParked(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, caller, query } = visit
  const counts = await countParked(gateway, caller)
  const filter = filterOf(visit, counts)
  const { parked, next } = await listParked(gateway, caller, filter)
  const marks = (await Promise.all(gateway.cells.map(openMarks))).flat()
  const here = visit.to('/parked')
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      <Ages visit={visit} counts={counts} band={filter.band} />
      <Filters
        filters={[
          {
            name: 'side',
            label: words.filters.side,
            kind: 'select',
            choices: SIDES.map((value) => ({ value, label: words.filters[value] })),
          },
        ]}
        query={query}
        action={here}
      />
      {parked.length === 0 ? (
        <Empty title={words.empty} />
      ) : (
        <Table
          caption={words.title}
          rows={parked}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/payments/${id}`)}
        />
      )}
      {next !== null && (
        <p>
          <a href={addressWith(here, { ...query, age: filter.band, after: `${next.leftAt} ${next.id}` })}>
            {words.next}
          </a>
        </p>
      )}
      <p class="hint">
        {words.statement} <a href={visit.to('/reconciliation/import')}>{words.importing}</a>
      </p>
      <Marks visit={visit} marks={marks} />
    </>,
  )
}

type AgesProps = { visit: ConsoleVisit; counts: readonly BandCount[]; band: Band }

/** Tabs with the number of waiting payments of each age. */
const Ages = ({ visit, counts, band: current }: AgesProps) => (
  <nav class="tabs" aria-label={words.title}>
    {counts.map(({ band, count }) => (
      <a
        href={addressWith(visit.to('/parked'), { ...visit.query, age: band, after: undefined })}
        aria-current={band === current ? 'page' : undefined}
      >
        {words.bands[band]}: {count}
      </a>
    ))}
  </nav>
)

const Marks = ({ visit, marks }: { visit: ConsoleVisit; marks: readonly PaymentMark[] }) =>
  marks.length === 0 ? null : (
    <Section title={words.marks}>
      <Table
        caption={words.marks}
        rows={marks}
        columns={MARKS}
        href={({ subject }) => visit.to(`/payments/${subject}`)}
      />
    </Section>
  )
