import type { AccountState } from '../../../merchants/account/account-state.ts'
import { findMerchants, type ListedMerchant } from '../../../reports/find-merchants.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { Filters, type ListColumn, type ListFilter, Pager, Table } from '../../parts/table.tsx'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, filters, states, empty } = MERCHANTS

const COLUMNS: readonly ListColumn<ListedMerchant>[] = [
  column.text(columns.name, ({ name }) => name),
  { title: columns.handle, cell: ({ handle }) => handle },
  column.status(columns.verification, ({ kycStatus }) => kycStatus),
  { title: columns.state, cell: (listedMerchant) => <MerchantState {...listedMerchant} /> },
  column.day(columns.created, ({ createdAt }) => createdAt),
]

const YES_NO = [
  { value: 'yes', label: filters.yes },
  { value: 'no', label: filters.no },
]
const FILTERS: readonly ListFilter[] = [
  { name: 'q', label: MERCHANTS.search },
  {
    name: 'verification',
    label: filters.verification,
    kind: 'select',
    choices: ['pending', 'verified', 'rejected'].map((value) => ({ value, label: value })),
  },
  { name: 'active', label: filters.active, kind: 'select', choices: YES_NO },
  { name: 'frozen', label: filters.frozen, kind: 'select', choices: YES_NO },
  { name: 'vending', label: filters.vending, kind: 'select', choices: YES_NO },
]

type MerchantStateProps = { active: boolean; frozen: boolean; account: AccountState }

/** The state of a merchant's account, and whether its payouts are frozen, in words. */
export const MerchantState = ({ active, frozen, account }: MerchantStateProps) => (
  <>
    {account !== 'open' ? (
      <Status word={states[account]} tone="quiet" />
    ) : (
      <Status word={active ? states.active : states.inactive} tone={active ? 'good' : 'warn'} />
    )}
    {frozen && <Status word={states.frozen} tone="warn" />}
  </>
)

const parseYesNo = (text: string | undefined) => (text === undefined || text === '' ? null : text === 'yes')

/** Shows every merchant, newest first. */
export async function showMerchants(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const { rows, older, newer } = await findMerchants(gateway, caller, {
    q: query.q ?? null,
    verification: query.verification || null,
    active: parseYesNo(query.active),
    frozen: parseYesNo(query.frozen),
    vending: parseYesNo(query.vending),
    older: query.after ?? null,
    newer: query.before ?? null,
  })
  const here = visit.to('/merchants')
  const isFiltered = FILTERS.some(({ name }) => query[name] !== undefined)
  return pageReply(
    MERCHANTS.title,
    <>
      <h1>{MERCHANTS.title}</h1>
      <Filters filters={FILTERS} query={query} action={here} />
      {rows.length === 0 ? (
        <Empty title={isFiltered ? empty.filtered : empty.title}>{!isFiltered && <p>{empty.says}</p>}</Empty>
      ) : (
        <Table
          caption={MERCHANTS.title}
          rows={rows}
          columns={COLUMNS}
          href={({ publicId }) => visit.to(`/merchants/${publicId}`)}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={here} />
    </>,
  )
}
