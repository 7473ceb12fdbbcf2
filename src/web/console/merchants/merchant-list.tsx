import type { AccountState } from '../../../merchants/account/account-state.ts'
import { findMerchants, type ListedMerchant } from '../../../reports/find-merchants.ts'
import { column } from '../../parts/columns.tsx'
import { listPage } from '../../parts/list-page.tsx'
import { Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
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
  return listPage({
    title: MERCHANTS.title,
    ...{ rows, columns: COLUMNS, href: ({ publicId }: ListedMerchant) => visit.to(`/merchants/${publicId}`) },
    ...{ here: visit.to('/merchants'), query, filters: FILTERS, cursors: { newer, older } },
    empty,
  })
}
