import type { Charge } from '../../charges/charge.ts'
import { listCharges } from '../../charges/find-charges.ts'
import { readListWindow } from '../../http/lists.ts'
import { readBalance } from '../../ledger/balances.ts'
import { addTestFunds } from '../../ledger/test-funds.ts'
import { FormBox } from '../../pages/form.tsx'
import { amountOf, type FormSpec, type FormState } from '../../pages/form-spec.ts'
import { Empty, Money, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { HOME } from '../texts/home.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'

const LATEST = '5'
const FUNDS: FormSpec = {
  path: '/funds',
  action: 'funds.add',
  fields: [{ name: 'amount', label: HOME.funds.amount, kind: 'amount', hint: HOME.funds.hint }],
  submit: HOME.funds.add,
  once: true,
}
const COLUMNS: readonly Column<Charge>[] = [
  { title: HOME.columns.id, cell: ({ id }) => id },
  { title: HOME.columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: HOME.columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: HOME.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

async function showHome(visit: DashboardVisit, state: FormState | null = null) {
  const { app, merchant, mode, caller } = visit
  const { available, pending } = await readBalance(app.db, merchant.id, mode)
  const { data } = await listCharges(app, caller, {
    ...readListWindow({ limit: LATEST }),
    ...{ status: null, reference: null, phone: null, email: null },
  })
  return shownPage(
    HOME.title,
    <>
      <h1>{HOME.title}</h1>
      <div class="cards">
        <Figure name={HOME.balances.available} amount={Number(available)} />
        <Figure name={HOME.balances.pending} amount={Number(pending)} />
      </div>
      <Section title={HOME.latest}>
        {data.length === 0 ? (
          <Empty title={HOME.none} />
        ) : (
          <Table
            caption={HOME.latest}
            rows={data}
            columns={COLUMNS}
            href={({ id }) => visit.to(`/charges/${id}`)}
          />
        )}
      </Section>
      {mode === 'test' && (
        <Section title={HOME.funds.title}>
          <FormBox of={FUNDS} visit={visit} state={state} />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

const Figure = ({ name, amount }: { name: string; amount: number }) => (
  <div>
    <p class="quiet">{name}</p>
    <p class="big">
      <Money amount={amount} />
    </p>
  </div>
)

export const HOME_ROUTES: readonly DashboardRoute[] = [
  page('/', (visit) => showHome(visit)),
  form(FUNDS, {
    async submit(visit, values) {
      const amount = amountOf(values, 'amount')
      const { id: merchantId, tag } = visit.merchant
      await addTestFunds(visit.app, visit.caller, {
        holder: { merchantId, tag },
        amount,
        key: visit.once?.key,
      })
      return doneTo(visit.to('/'), HOME.funds.added(ugx(amount)))
    },
    again: showHome,
  }),
]
