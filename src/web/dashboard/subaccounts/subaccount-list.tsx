import { listSubaccounts } from '../../../payments/subaccounts/find-subaccounts.ts'
import type { Subaccount } from '../../../payments/subaccounts/subaccount.ts'
import { column } from '../../parts/columns.tsx'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { PhoneNumber } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { cursorsOf, type ListColumn } from '../../parts/table.tsx'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, create } = SUBACCOUNTS
const ROWS_PER_PAGE = 25

const COLUMNS: readonly ListColumn<Subaccount>[] = [
  column.who(columns.name, ({ name }) => name),
  column.what(columns.ref, ({ externalRef }) => externalRef),
  { title: columns.phone, cell: ({ payoutPhone }) => <PhoneNumber phone={payoutPhone} />, at: 'amount' },
  column.state(columns.status, 'subaccount', ({ status }) => ({ status })),
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

export const CREATE_SUBACCOUNT: FormSpec = {
  path: '/subaccounts/new',
  action: 'subaccount.create',
  fields: [
    { name: 'name', label: create.name, maxLength: 200 },
    { name: 'phone', label: create.phone, kind: 'wallet', optional: true, about: ['payout_phone'] },
    { name: 'ref', label: create.ref, optional: true, about: ['external_ref'] },
  ],
  submit: create.submit,
  once: true,
}

export const showNewSubaccount = createPage(CREATE_SUBACCOUNT, () => ({
  title: create.title,
  lead: <p>{SUBACCOUNTS.lead}</p>,
}))

/** Lists the subaccounts of a merchant, which are the same in both modes. */
export async function showSubaccounts(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const subaccounts = await listSubaccounts(app, caller, {
    limit: ROWS_PER_PAGE,
    startingAfter: query.after ?? null,
  })
  return listPage({
    title: SUBACCOUNTS.title,
    ...{ rows: subaccounts.data, columns: COLUMNS, href: ({ id }: Subaccount) => visit.to(`/subaccounts/${id}`) },
    ...{ here: visit.to('/subaccounts'), query, cursors: cursorsOf(subaccounts) },
    head: (
      <div class="top">
        <h1>{SUBACCOUNTS.title}</h1>
        <NewButton visit={visit} of={CREATE_SUBACCOUNT}>
          {create.title}
        </NewButton>
      </div>
    ),
    lead: <p>{SUBACCOUNTS.lead}</p>,
    empty: SUBACCOUNTS.empty,
  })
}
