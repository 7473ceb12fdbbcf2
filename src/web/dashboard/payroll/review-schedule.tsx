import { mayDo } from '../../../api/access/allow.ts'
import { readBalance } from '../../../ledger/balances.ts'
import { checkSchedule, type SchedulePlan } from '../../../payments/scheduled-payouts/check-schedule.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { buildStepAddress, readCarriedStep } from '../../parts/forms/carried-step.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { FieldFault, type FormState, type FormValues } from '../../parts/forms/form-spec.ts'
import { Facts, formatPageTime, Money, Note, OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { readCheckerAmount, SecondPersonNote } from '../payouts/second-person.tsx'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'
import {
  CHECK_SCHEDULE,
  CREATE_SCHEDULE,
  PREPARE_SCHEDULE,
  parseSchedule,
  SECOND_PERSON_TEXTS,
  showNewSchedule,
} from './new-schedule.tsx'
import { RECIPIENT_COLUMNS } from './schedule-page.tsx'

const { create } = PAYROLL

/** Checks the schedule, and leads to the second step: who is paid what and when, the money needed and available, the form that starts it. */
export async function reviewSchedule(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  await checkSchedule(visit.app, visit.caller, parseSchedule(values))
  return redirectDone(await buildStepAddress(visit, CHECK_SCHEDULE.path, values))
}

/** Shows the second step; the first one if the address no longer carries its values. */
export async function showReviewedSchedule(visit: DashboardVisit): Promise<SurfaceReply> {
  const values = (await readCarriedStep(visit, CHECK_SCHEDULE.path)) as FormValues | null // As `reviewSchedule` has written it.
  if (values === null) return showNewSchedule(visit)
  return showReview(visit, {
    plan: await checkSchedule(visit.app, visit.caller, parseSchedule(values)),
    values,
  })
}

/** Shows the second step after a refusal; the first one if the values cannot even be parsed. */
export async function showRefusedReview(visit: DashboardVisit, state: FormState): Promise<SurfaceReply> {
  const { values } = state
  try {
    const plan = await checkSchedule(visit.app, visit.caller, parseSchedule(values))
    return showReview(visit, { plan, values, state })
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof FieldFault)) throw error
    return showNewSchedule(visit, { ...state, path: CHECK_SCHEDULE.path })
  }
}

type ReviewInput = { plan: SchedulePlan; values: FormValues; state?: FormState }

async function showReview(visit: DashboardVisit, { plan, values, state }: ReviewInput): Promise<SurfaceReply> {
  const { terms, amount, fees, first } = plan
  const { available } = await readBalance(visit.app.db, visit.merchant.id, visit.mode)
  const missing = amount + fees - Number(available)
  const mayCreateAlone = mayDo(visit.caller, 'schedule.create')
  const above = await readCheckerAmount(visit)
  return pageReply(
    create.reviewTitle,
    <>
      <h1>{create.reviewTitle}</h1>
      <Section title={create.cycle(formatShillings(amount + fees), terms.recipients.length)}>
        <Facts
          facts={[
            [create.name, <OutsideText text={terms.name} />],
            [create.amount, <Money amount={terms.amount} />],
            [create.recipients, terms.recipients.length],
            [create.together, <Money amount={amount} />],
            [create.fees, <Money amount={fees} />],
            [create.needs, <Money amount={amount + fees} />],
            [create.available, <Money amount={Number(available)} />],
            [create.interval, create.choices[terms.interval]],
            [create.first, first === null ? create.atOnce(formatPageTime(visit.now)) : <Time at={first} />],
          ]}
        />
        {first === null && <Note tone="warn">{create.atOnceSays(mayCreateAlone)}</Note>}
        {missing > 0 && <Note tone="warn">{create.missing(formatShillings(missing))}</Note>}
        <SecondPersonNote maySendAlone={mayCreateAlone} {...{ amount, above }} texts={SECOND_PERSON_TEXTS} />
        <FormBox of={mayCreateAlone ? CREATE_SCHEDULE : PREPARE_SCHEDULE} visit={visit} state={state} values={values} />
        <details>
          <summary>{create.change}</summary>
          <FormBox of={CHECK_SCHEDULE} visit={visit} values={values} />
        </details>
      </Section>
      <Section title={create.recipients}>
        <Table caption={create.recipients} rows={terms.recipients} columns={RECIPIENT_COLUMNS} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
