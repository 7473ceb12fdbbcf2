import { mayDo } from '../../../api/access/allow.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import { findFirstTestKey } from '../../../merchants/account/reveal-secrets.ts'
import { NO_CHARGE_FILTERS } from '../../../payments/charges/charge-filters.ts'
import { listCharges } from '../../../payments/charges/find-charges.ts'
import { findNextRelease } from '../../../payments/charges/settle-charges.ts'
import { readNeeds } from '../../../reports/read-needs.ts'
import { readStaffActs } from '../../../reports/staff-acts.ts'
import { readDayTallies } from '../../../reports/tallies/tally-days.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { formatPageTime, Money, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { HeadWithAsk } from '../ask/ask-form.tsx'
import { testMoneyForm } from '../developers/test-money.ts'
import { OperatorNotes, readStatesForMode } from '../operators/operator-notes.tsx'
import { StopNotes } from '../settings/staff-acts.tsx'
import { HOME } from '../texts/home.ts'
import { SANDBOX } from '../texts/sandbox.ts'
import type { DashboardVisit } from '../visit.ts'
import { CameIn, Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LatestCharges } from './latest.tsx'
import { Needs } from './needs.tsx'

const LATEST_CHARGES_SHOWN = '6'
const FIGURES_DAYS = 30

export const ADD_FUNDS = testMoneyForm('')

/** Shows how the business is doing: balances, what needs a person, the latest charges, today and the last 30 days. */
export async function showHome(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant, mode, caller } = visit
  const latest = await listCharges(app, caller, {
    ...parseListWindow({ limit: LATEST_CHARGES_SHOWN }),
    ...NO_CHARGE_FILTERS,
  })
  if (visit.part === 'latest') return { kind: 'part', body: <LatestCharges visit={visit} charges={latest.data} /> }
  const [head, release, needs, tallies, key, states, acts] = await Promise.all([
    getLedgerHead(app, caller),
    findNextRelease(app, caller),
    readNeeds(app, caller, merchant),
    readDayTallies(app, caller, FIGURES_DAYS),
    isAfterSignUp(visit) ? findFirstTestKey(app, merchant.id) : null,
    readStatesForMode(visit),
    readStaffActs(app, caller, merchant),
  ])
  return pageReply(
    HOME.title,
    <>
      <HeadWithAsk visit={visit}>{HOME.title}</HeadWithAsk>
      <OperatorNotes states={states} />
      <StopNotes visit={visit} acts={acts} />
      <Needs visit={visit} needs={needs} />
      {key !== null && <FirstSteps visit={visit} testKey={key} />}
      <div class="cards">
        <CameIn days={tallies.days} />
        <Balance name={HOME.balances.available} amount={head.available} />
        {head.pending > 0 && (
          <Balance
            name={HOME.balances.pending}
            amount={head.pending}
            hint={release === null ? null : HOME.balances.next(formatPageTime(release))}
          />
        )}
        {head.in_flight > 0 && mayDo(caller, 'payouts.read') && (
          <Balance name={HOME.balances.inFlight} amount={head.in_flight} />
        )}
      </div>
      <LatestCharges visit={visit} charges={latest.data} />
      <Figures tallies={tallies} />
      {mode === 'test' && (
        <Section title={SANDBOX.funds.title}>
          <FormBox of={ADD_FUNDS} visit={visit} state={state} />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Whether a sign-up leads to this page: it shows the owner the first request with the whole test key. */
const isAfterSignUp = ({ signedIn, mode, caller }: DashboardVisit) =>
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
