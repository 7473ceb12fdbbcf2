import { mayDo } from '../../actors/allow.ts'
import { readBalance } from '../../ledger/balances.ts'
import { addressOfStep, stepIn } from '../../pages/carried-step.ts'
import { FormBox } from '../../pages/form.tsx'
import { FieldFault, type FormState, type Values } from '../../pages/form-spec.ts'
import { Facts, Money, Note, Said, Section, Time, timeText } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { Refusal } from '../../platform/refusal.ts'
import { checkSchedule, type SchedulePlan } from '../../scheduled-payouts/check-schedule.ts'
import { PAYOUTS } from '../texts/payouts.ts'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'
import { CHECK, CREATE, PREPARE, scheduleOf, showNewSchedule } from './new-schedule.tsx'
import { PEOPLE } from './schedule-page.tsx'

const { create } = PAYROLL

/** Checks the schedule, and leads to the second step: who is paid what and when, the money needed and available, the form that starts it. */
export async function reviewSchedule(visit: DashboardVisit, values: Values): Promise<Shown> {
  await checkSchedule(visit.app, visit.caller, scheduleOf(values))
  return doneTo(await addressOfStep(visit, CHECK.path, values))
}

/** Shows the second step; the first one if the address no longer carries its values. */
export async function showReviewed(visit: DashboardVisit): Promise<Shown> {
  const values = (await stepIn(visit, CHECK.path)) as Values | null // As `reviewSchedule` has written it.
  if (values === null) return showNewSchedule(visit)
  return showReview(visit, { plan: await checkSchedule(visit.app, visit.caller, scheduleOf(values)), values })
}

/** Shows the second step after a refusal; the first one if the values cannot even be parsed. */
export async function showReviewAgain(visit: DashboardVisit, state: FormState): Promise<Shown> {
  const { values } = state
  try {
    const plan = await checkSchedule(visit.app, visit.caller, scheduleOf(values))
    return showReview(visit, { plan, values, state })
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof FieldFault)) throw error
    return showNewSchedule(visit, { ...state, path: CHECK.path })
  }
}

type Review = { plan: SchedulePlan; values: Values; state?: FormState }

async function showReview(visit: DashboardVisit, { plan, values, state }: Review): Promise<Shown> {
  const { terms, amount, fees, first } = plan
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  const missing = amount + fees - Number(available)
  const mayCreateAlone = mayDo(visit.caller, 'schedule.create')
  const { above } = await checkerState(visit.app, visit.caller)
  return shownPage(
    create.reviewTitle,
    <>
      <h1>{create.reviewTitle}</h1>
      <Section title={create.cycle(ugx(amount + fees), terms.recipients.length)}>
        <Facts
          facts={[
            [create.name, <Said text={terms.name} />],
            [create.amount, <Money amount={terms.amount} />],
            [create.recipients, terms.recipients.length],
            [create.together, <Money amount={amount} />],
            [create.fees, <Money amount={fees} />],
            [create.needs, <Money amount={amount + fees} />],
            [create.available, <Money amount={Number(available)} />],
            [create.interval, create.choices[terms.interval]],
            [create.first, first === null ? create.atOnce(timeText(visit.now)) : <Time at={first} />],
          ]}
        />
        {first === null && <Note tone="warn">{create.atOnceSays(mayCreateAlone)}</Note>}
        {missing > 0 && <Note tone="warn">{create.missing(ugx(missing))}</Note>}
        {!mayCreateAlone && <Note>{PAYOUTS.create.accountant}</Note>}
        {mayCreateAlone && visit.mode === 'live' && above !== null && amount > above && (
          <Note>{create.alone(ugx(above))}</Note>
        )}
        <FormBox of={mayCreateAlone ? CREATE : PREPARE} visit={visit} state={state} values={values} />
        <details>
          <summary>{create.change}</summary>
          <FormBox of={CHECK} visit={visit} values={values} />
        </details>
      </Section>
      <Section title={create.recipients}>
        <Table caption={create.recipients} rows={terms.recipients} columns={PEOPLE} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
