import { isPart, listPayments, type PaymentsPage } from '../../investigation/search/list-payments.ts'
import type { ListedPayment } from '../../investigation/search/listed-payment.ts'
import { findMerchant } from '../../merchants/set-merchant.ts'
import { Empty, Money, Note, Said, Status, Time, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Filters, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'
import { filterOf, LIST_FILTERS } from './list-filters.ts'

const { list: words } = PAYMENTS
const { columns } = words
const PATH = '/payments'

const COLUMNS: readonly Column<ListedPayment>[] = [
  { title: columns.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.status, cell: ({ status, reason }) => <State status={status} reason={reason} /> },
  { title: columns.business, cell: ({ business }) => <bdi>{shown(business)}</bdi> },
  { title: columns.phone, cell: ({ phone, name }) => <Two first={phone} second={name} /> },
  { title: columns.reference, cell: ({ reference, number }) => <Two first={reference} second={number} /> },
  { title: columns.channel, cell: ({ channel }) => channel },
]

const State = ({ status, reason }: { status: string; reason: string | null }) => (
  <>
    <Status word={status} />
    {reason !== null && <small class="hint below">{words.reasonOf(reason)}</small>}
  </>
)

const Two = ({ first, second }: { first: string | null; second: string | null }) => (
  <>
    <Said text={first} />
    {second !== null && (
      <small class="hint below">
        <bdi>{shown(second)}</bdi>
      </small>
    )}
  </>
)

/** Shows the live payments of all merchants, with filters and the search by parts. */
export async function showPayments(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, caller, query, to } = visit
  const filtered = query.merchant === undefined ? null : await findMerchant(gateway, query.merchant)
  const filter = filterOf(query, filtered?.merchant.id ?? null)
  const isTooShort = filter.text !== null && !isPart(filter.text)
  const page = isTooShort
    ? { rows: [], next: null, until: null }
    : await listPayments(gateway, caller, { filter, app: filtered?.app ?? null, after: query.after ?? null })
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p class="quiet">
        {words.lead} {filter.text !== null && words.open}
      </p>
      <Filters filters={LIST_FILTERS} query={query} action={to(PATH)} />
      {isTooShort && <Note>{words.tooShort}</Note>}
      {page.rows.length > 0 && (
        <Table
          caption={words.title}
          rows={page.rows}
          columns={COLUMNS}
          href={({ id }) => to(`${PATH}/${id}`)}
        />
      )}
      {page.rows.length === 0 && page.next === null && !isTooShort && (
        <Empty title={words.empty}>
          <p>{words.emptySays}</p>
        </Empty>
      )}
      <Further page={page} visit={visit} />
    </>,
  )
}

/** Links to the newest and the next page, and the time back to which payments were searched. */
function Further({
  page: { next, until },
  visit: { query, to },
}: {
  page: PaymentsPage
  visit: ConsoleVisit
}) {
  const here = to(PATH)
  return (
    <>
      {until !== null && <p class="hint">{words.looked(timeText(until))}</p>}
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
