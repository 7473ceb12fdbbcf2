import { mayDo } from '../../actors/allow.ts'
import { listCharges } from '../../charges/find-charges.ts'
import { nextRelease } from '../../charges/next-release.ts'
import { readListWindow } from '../../http/lists.ts'
import { findHead } from '../../ledger/heads.ts'
import { addTestFunds } from '../../ledger/test-funds.ts'
import { firstTestKey } from '../../merchants/first-key.ts'
import { FormBox } from '../../pages/form.tsx'
import { amountOf, type FormSpec, type FormState } from '../../pages/form-spec.ts'
import { Copy, Money, Section, timeText } from '../../pages/parts.tsx'
import { onceOf } from '../../pages/route.ts'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { ugx } from '../../pages/wording.ts'
import { readNeeds } from '../../reports/needs-you.ts'
import { readTallies } from '../../reports/tallies/tally-days.ts'
import { whatWeDid } from '../../reports/what-we-did.ts'
import { firstRequest } from '../first-request.ts'
import { OperatorNotes, statesFor } from '../operators/operator-notes.tsx'
import { Stopped } from '../settings/what-we-did.tsx'
import { HOME } from '../texts/home.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { Figures } from './figures.tsx'
import { Latest } from './latest.tsx'
import { Needs } from './needs.tsx'

const LATEST = '5'
const DAYS = 30

const FUNDS: FormSpec = {
  path: '/funds',
  action: 'funds.add',
  fields: [{ name: 'amount', label: HOME.funds.amount, kind: 'amount', hint: HOME.funds.hint }],
  submit: HOME.funds.add,
  once: true,
}

/** Shows how the business is doing: balances, what needs a person, the latest charges, today and the last 30 days. */
async function showHome(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant, mode, caller } = visit
  const latest = await listCharges(app, caller, {
    ...readListWindow({ limit: LATEST }),
    ...{ status: null, reference: null, phone: null, email: null },
  })
  if (visit.part === 'latest') return { kind: 'part', body: <Latest visit={visit} charges={latest.data} /> }
  const [head, release, needs, tallies, key, states, acts] = await Promise.all([
    findHead(app, caller),
    nextRelease(app, caller),
    readNeeds(app, caller, merchant),
    readTallies(app, caller, DAYS),
    isFirst(visit) ? firstTestKey(app, merchant.id) : null,
    statesFor(visit),
    whatWeDid(app, caller, merchant),
  ])
  return shownPage(
    HOME.title,
    <>
      <h1>{HOME.title}</h1>
      <OperatorNotes states={states} />
      <Stopped visit={visit} acts={acts} />
      {key !== null && (
        <Section title={HOME.first.title}>
          <p>{HOME.first.says}</p>
          <Copy label={HOME.first.label} text={firstRequest(app.baseUrl, key)} />
          <p class="hint">{HOME.first.later}</p>
        </Section>
      )}
      <div class="cards">
        <Balance name={HOME.balances.available} amount={head.available} />
        <Balance
          name={HOME.balances.pending}
          amount={head.pending}
          hint={release === null ? null : HOME.balances.next(timeText(release))}
        />
        {mayDo(caller, 'payouts.read') && <Balance name={HOME.balances.inFlight} amount={head.in_flight} />}
      </div>
      <Needs visit={visit} needs={needs} />
      <Latest visit={visit} charges={latest.data} />
      <Figures tallies={tallies} />
      {mode === 'test' && (
        <Section title={HOME.funds.title}>
          <FormBox of={FUNDS} visit={visit} state={state} />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Whether a sign-up leads to this page: it shows the owner the first request with the whole test key. */
const isFirst = ({ signedIn, mode, caller }: DashboardVisit) =>
  signedIn.firstSteps && mode === 'test' && caller.role === 'owner'

const Balance = ({ name, amount, hint = null }: { name: string; amount: number; hint?: string | null }) => (
  <div>
    <p class="quiet">{name}</p>
    <p class="big">
      <Money amount={amount} />
    </p>
    {hint !== null && <p class="hint">{hint}</p>}
  </div>
)

export const HOME_ROUTES: readonly DashboardRoute[] = [
  page('/', (visit) => showHome(visit)),
  form(FUNDS, {
    async submit(visit, values) {
      const amount = amountOf(values, 'amount')
      const { id: merchantId, tag } = visit.merchant
      const holder = { merchantId, tag }
      await addTestFunds(visit.app, visit.caller, { holder, amount, key: onceOf(visit).key })
      return doneTo(visit.to('/'), HOME.funds.added(ugx(amount)))
    },
    again: showHome,
  }),
]
