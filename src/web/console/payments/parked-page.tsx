import {
  countParked,
  listParked,
  PARKED_BANDS,
  type ParkedBand,
  type ParkedCount,
  type ParkedFilter,
  type ParkedPayment,
} from '../../../operations/investigation/parked.ts'
import { listOpenMarks, type PaymentMark } from '../../../operations/investigation/payment-marks.ts'
import { reachedCells } from '../../../platform/db/cell-watch.ts'
import { badRequest } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { RAIL_SIDES } from '../../../rails/rail.ts'
import { column } from '../../parts/columns.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { parked: words } = PAYMENTS
const { columns } = words

const COLUMNS: readonly ListColumn<ParkedPayment>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.merchant, cell: ({ business }) => <bdi>{oneLine(business)}</bdi> },
  column.money(columns.amount, ({ amount }) => amount),
  { title: columns.state, cell: ({ state }) => state.replaceAll('_', ' ') },
  column.time(columns.left, ({ leftAt }) => leftAt),
  { title: columns.last, cell: renderLastAnswer },
  column.time(columns.next, ({ nextAt }) => nextAt),
]

// These three share a column. With a column for each, the time of the next question has no room on a screen of 1280 pixels.
function renderLastAnswer({ lastAnswer, questions, firstNotFoundAt }: ParkedPayment) {
  return (
    <>
      <OutsideText text={lastAnswer} />
      <small class="hint below">{words.questions(questions)}</small>
      {firstNotFoundAt !== null && (
        <small class="hint below">
          {words.notFound} <Time at={firstNotFoundAt} />
        </small>
      )}
    </>
  )
}

const MARK_COLUMNS: readonly ListColumn<PaymentMark>[] = [
  { title: words.markColumns.subject, cell: ({ subject }) => subject },
  column.text(words.markColumns.says, ({ says }) => says),
  { title: words.markColumns.by, cell: ({ markedBy }) => <bdi>{oneLine(markedBy)}</bdi> },
  column.time(words.markColumns.at, ({ markedAt }) => markedAt),
]

/** Finds the oldest age in which a payment waits, so that the page opens with the worst. */
const findWorstBand = (counts: readonly ParkedCount[]): ParkedBand =>
  counts.findLast(({ count }) => count > 0)?.band ?? '15m'

function parseParkedFilter({ query }: ConsoleVisit, counts: readonly ParkedCount[]): ParkedFilter {
  const band = PARKED_BANDS.find(({ name }) => name === query.age)?.name ?? null
  if (band === null && query.age !== undefined) throw badRequest('age must be one of those on the page')
  const side = RAIL_SIDES.find((choice) => choice === query.side) ?? null
  const [leftAt = '', id = ''] = (query.after ?? '').split(' ')
  if (query.after !== undefined && (Number.isNaN(Date.parse(leftAt)) || id === '')) throw badRequest('invalid cursor')
  return { band: band ?? findWorstBand(counts), side, after: id === '' ? null : { leftAt, id } }
}

/** Shows the payments that wait for an operator, by age, the oldest first. */
export async function showParked(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const counts = await countParked(gateway, caller)
  const filter = parseParkedFilter(visit, counts)
  const { parked, next } = await listParked(gateway, caller, filter)
  const marks = (await Promise.all(reachedCells(gateway).map(listOpenMarks))).flat()
  const here = visit.to('/parked')
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      <AgeTabs visit={visit} counts={counts} band={filter.band} />
      <Filters
        filters={[
          {
            name: 'side',
            label: words.filters.side,
            kind: 'select',
            choices: RAIL_SIDES.map((value) => ({ value, label: words.filters[value] })),
          },
        ]}
        query={query}
        action={here}
      />
      {parked.length === 0 ? (
        <Empty title={words.empty} />
      ) : (
        <Table caption={words.title} rows={parked} columns={COLUMNS} href={({ id }) => visit.to(`/payments/${id}`)} />
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
      <OpenMarks visit={visit} marks={marks} />
    </>,
  )
}

type AgeTabsProps = { visit: ConsoleVisit; counts: readonly ParkedCount[]; band: ParkedBand }

/** Tabs with the number of waiting payments of each age. */
const AgeTabs = ({ visit, counts, band: current }: AgeTabsProps) => (
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

const OpenMarks = ({ visit, marks }: { visit: ConsoleVisit; marks: readonly PaymentMark[] }) =>
  marks.length === 0 ? null : (
    <Section title={words.marks}>
      <Table
        caption={words.marks}
        rows={marks}
        columns={MARK_COLUMNS}
        href={({ subject }) => visit.to(`/payments/${subject}`)}
      />
    </Section>
  )
