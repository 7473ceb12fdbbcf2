import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Empty, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, cursorsOf, Pager, Table } from '../../pages/table.tsx'
import { listSubaccounts } from '../../subaccounts/find-subaccounts.ts'
import type { Subaccount } from '../../subaccounts/subaccount.ts'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, create } = SUBACCOUNTS
const ROWS = 25

const COLUMNS: readonly Column<Subaccount>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.name, cell: ({ name }) => <Said text={name} /> },
  { title: columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: columns.phone, cell: ({ payoutPhone }) => <Said text={payoutPhone} /> },
  { title: columns.ref, cell: ({ externalRef }) => <Said text={externalRef} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

export const CREATE: FormSpec = {
  path: '/subaccounts/new',
  action: 'subaccount.create',
  fields: [
    { name: 'name', label: create.name, most: 200, refused: /name/ },
    { name: 'phone', label: create.phone, kind: 'phone', optional: true, refused: /payout_phone/ },
    { name: 'ref', label: create.ref, optional: true, refused: /external_ref/ },
  ],
  submit: create.submit,
  once: true,
}

/** Lists the subaccounts of a merchant, which are the same in both modes, with the form that makes one. */
export async function showSubaccounts(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, query } = visit
  const subaccounts = await listSubaccounts(app, caller, { limit: ROWS, startingAfter: query.after ?? null })
  return shownPage(
    SUBACCOUNTS.title,
    <>
      <h1>{SUBACCOUNTS.title}</h1>
      <p>{SUBACCOUNTS.lead}</p>
      {subaccounts.data.length === 0 ? (
        <Empty title={SUBACCOUNTS.empty.title}>
          <p>{SUBACCOUNTS.empty.says}</p>
        </Empty>
      ) : (
        <Table
          caption={SUBACCOUNTS.title}
          rows={subaccounts.data}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/subaccounts/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(subaccounts)} query={query} here={visit.to('/subaccounts')} />
      <Section title={create.title} id="new">
        <FormBox of={CREATE} visit={visit} state={state} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
