import { listSubaccounts } from '../../../payments/subaccounts/find-subaccounts.ts'
import type { Subaccount } from '../../../payments/subaccounts/subaccount.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Section } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { cursorsOf, type ListColumn } from '../../parts/table.tsx'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, create } = SUBACCOUNTS
const ROWS_PER_PAGE = 25

const COLUMNS: readonly ListColumn<Subaccount>[] = [
  { title: columns.id, cell: ({ id }) => id },
  column.text(columns.name, ({ name }) => name),
  column.status(columns.status, ({ status }) => status),
  column.text(columns.phone, ({ payoutPhone }) => payoutPhone),
  column.text(columns.ref, ({ externalRef }) => externalRef),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

export const CREATE_SUBACCOUNT: FormSpec = {
  path: '/subaccounts/new',
  action: 'subaccount.create',
  fields: [
    { name: 'name', label: create.name, maxLength: 200 },
    { name: 'phone', label: create.phone, kind: 'phone', optional: true, about: ['payout_phone'] },
    { name: 'ref', label: create.ref, optional: true, about: ['external_ref'] },
  ],
  submit: create.submit,
  once: true,
}

/** Lists the subaccounts of a merchant, which are the same in both modes, with the form that makes one. */
export async function showSubaccounts(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const subaccounts = await listSubaccounts(app, caller, {
    limit: ROWS_PER_PAGE,
    startingAfter: query.after ?? null,
  })
  return listPage({
    title: SUBACCOUNTS.title,
    ...{ rows: subaccounts.data, columns: COLUMNS, href: ({ id }: Subaccount) => visit.to(`/subaccounts/${id}`) },
    ...{ here: visit.to('/subaccounts'), query, cursors: cursorsOf(subaccounts), state },
    lead: <p>{SUBACCOUNTS.lead}</p>,
    empty: SUBACCOUNTS.empty,
    below: (
      <Section title={create.title} id="new">
        <FormBox of={CREATE_SUBACCOUNT} visit={visit} state={state} />
      </Section>
    ),
  })
}
