import { getMerchantNamed } from '../../../merchants/account/set-merchant.ts'
import {
  isSearchable,
  listPayments,
  type PaymentsPage,
} from '../../../operations/investigation/search/list-payments.ts'
import type { ListedPayment } from '../../../operations/investigation/search/listed-payment.ts'
import { type PayoutWait, readPayoutWaits } from '../../../payments/payouts/read-payout-waits.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Empty, formatPageTime, Note, OutsideText, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'
import { PAYMENT_FILTERS, parsePaymentFilter } from './payment-filters.ts'

const { list: words } = PAYMENTS
const { columns } = words
const PAYMENTS_PATH = '/payments'

type Waits = ReadonlyMap<string, PayoutWait>

const buildColumns = (waits: Waits): readonly ListColumn<ListedPayment>[] => [
  column.time(columns.when, ({ createdAt }) => createdAt),
  column.money(columns.amount, ({ amount }) => amount),
  { title: columns.status, cell: (payment) => <PaymentStatus payment={payment} wait={waits.get(payment.id)} /> },
  { title: columns.business, cell: ({ business }) => <bdi>{oneLine(business)}</bdi> },
  { title: columns.phone, cell: ({ phone, name }) => <TwoLines first={phone} second={name} /> },
  {
    title: columns.reference,
    cell: ({ reference, number }) => <TwoLines first={reference} second={number} />,
  },
  { title: columns.channel, cell: ({ channel }) => channel },
]

type PaymentStatusProps = { payment: ListedPayment; wait: PayoutWait | undefined }

const PaymentStatus = ({ payment: { status, reason }, wait }: PaymentStatusProps) => (
  <>
    <Status word={status} />
    {wait !== undefined && <small class="hint below">{words.waits[wait.kind]}</small>}
    {reason !== null && <small class="hint below">{words.reasonOf(reason)}</small>}
  </>
)

const TwoLines = ({ first, second }: { first: string | null; second: string | null }) => (
  <>
    <OutsideText text={first} />
    {second !== null && (
      <small class="hint below">
        <bdi>{oneLine(second)}</bdi>
      </small>
    )}
  </>
)

/** Shows the live payments of all merchants, with filters and the search by parts. */
export async function showPayments(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query, to } = visit
  const filtered = query.merchant === undefined ? null : await getMerchantNamed(gateway, query.merchant)
  const filter = parsePaymentFilter(query, filtered?.merchant.id ?? null)
  const isTooShort = filter.text !== null && !isSearchable(filter.text)
  const page = isTooShort
    ? { rows: [], next: null, until: null }
    : await listPayments(gateway, caller, { filter, app: filtered?.app ?? null, after: query.after ?? null })
  const waits = await readWaitsOf(gateway, page.rows)
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p class="quiet">
        {words.lead} {filter.text !== null && words.open}
      </p>
      <Filters filters={PAYMENT_FILTERS} query={query} action={to(PAYMENTS_PATH)} />
      {isTooShort && <Note>{words.tooShort}</Note>}
      {page.rows.length > 0 && (
        <Table
          caption={words.title}
          rows={page.rows}
          columns={buildColumns(waits)}
          href={({ id }) => to(`${PAYMENTS_PATH}/${id}`)}
        />
      )}
      {page.rows.length === 0 && page.next === null && !isTooShort && (
        <Empty title={words.empty}>
          <p>{words.emptySays}</p>
        </Empty>
      )}
      <PageLinks page={page} visit={visit} />
    </>,
  )
}

/** Reads why payouts among these payments wait, in every cell that may have them. */
async function readWaitsOf({ cells }: ConsoleVisit['gateway'], payments: readonly ListedPayment[]): Promise<Waits> {
  const perCell = await Promise.all(cells.map((app) => readPayoutWaits(app, payments)))
  return new Map(perCell.flatMap((waits) => [...waits]))
}

/** Links to the newest and the next page, and the time back to which payments were searched. */
function PageLinks({ page: { next, until }, visit: { query, to } }: { page: PaymentsPage; visit: ConsoleVisit }) {
  const here = to(PAYMENTS_PATH)
  return (
    <>
      {until !== null && <p class="hint">{words.looked(formatPageTime(until))}</p>}
      <nav class="pager" aria-label={words.title}>
        {query.after !== undefined && (
          <a class="button plain" href={addressWith(here, { ...query, after: undefined })}>
            {words.newest}
          </a>
        )}
        {next !== null && (
          <a class="button plain" href={addressWith(here, { ...query, after: next })} rel="next">
            {until === null ? words.older : words.further}
          </a>
        )}
      </nav>
    </>
  )
}
