import { mayDo } from '../../actors/allow.ts'
import { readStatusAndWindow } from '../../http/lists.ts'
import { Empty, Money, Note, Said, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, cursorsOf, type Filter, Filters, Pager, pageQuery, Table } from '../../pages/table.tsx'
import { listPayouts } from '../../payouts/find-payouts.ts'
import { PAYOUT_STATUSES, type Payout } from '../../payouts/payout.ts'
import { countPrepared } from '../../payouts/prepared/find-prepared.ts'
import { PAYOUTS } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, filters, kinds } = PAYOUTS
const MOST_COUNTED = 100

const COLUMNS: readonly Column<Payout>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.fee, cell: ({ fee }) => <Money amount={fee} />, figures: true },
  { title: columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: columns.kind, cell: ({ kind }) => kinds[kind] },
  { title: columns.to, cell: (payout) => <Recipient payout={payout} /> },
  { title: columns.reference, cell: ({ reference }) => <Said text={reference} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: filters.status,
    kind: 'select',
    choices: PAYOUT_STATUSES.map((status) => ({ value: status, label: status })),
  },
  { name: 'reference', label: filters.reference },
  { name: 'phone', label: filters.phone, kind: 'phone' },
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
]

const Recipient = ({ payout: { recipientName, recipientPhone } }: { payout: Payout }) => (
  <>
    <Said text={recipientPhone} />
    {recipientName !== null && (
      <div class="hint">
        <Said text={recipientName} />
      </div>
    )}
  </>
)

/** The list of payouts of every kind, and the way to those that wait for a second person. */
export async function showPayouts(visit: DashboardVisit): Promise<Shown> {
  const { app, caller, query } = visit
  const listed = await listPayouts(app, caller, {
    ...readStatusAndWindow(pageQuery(query), PAYOUT_STATUSES),
    endingBefore: query.before ?? null,
    reference: query.reference ?? null,
    phone: query.phone ?? null,
  })
  const waiting = await countPrepared(app, caller, MOST_COUNTED)
  const here = visit.to('/payouts')
  return shownPage(
    PAYOUTS.title,
    <>
      <div class="top">
        <h1>{PAYOUTS.title}</h1>
        {mayDo(caller, 'payout.prepare') && (
          <a class="button" href={visit.to('/payouts/new')}>
            {PAYOUTS.new}
          </a>
        )}
        <a class="button plain" href={visit.to('/payouts/prepared')}>
          {PAYOUTS.prepared}
        </a>
      </div>
      {waiting > 0 && (
        <Note tone="open">
          <p>
            {PAYOUTS.waiting(waiting, MOST_COUNTED)}{' '}
            <a href={`${visit.to('/payouts/prepared')}?status=prepared`}>{PAYOUTS.lookAt}</a>
          </p>
        </Note>
      )}
      <Filters filters={FILTERS} query={query} action={here} />
      {listed.data.length === 0 ? (
        <NoPayouts visit={visit} />
      ) : (
        <Table
          caption={PAYOUTS.title}
          rows={listed.data}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/payouts/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(listed)} query={query} here={here} />
    </>,
  )
}

const NoPayouts = ({ visit: { query } }: { visit: DashboardVisit }) =>
  FILTERS.some(({ name }) => query[name] !== undefined) ? (
    <Empty title={PAYOUTS.empty.filtered} />
  ) : (
    <Empty title={PAYOUTS.empty.title}>
      <p>{PAYOUTS.empty.says}</p>
    </Empty>
  )
