import { mayDo } from '../../actors/allow.ts'
import { readBody } from '../../http/read-body.ts'
import { FormBox } from '../../pages/form.tsx'
import { amountOf, FieldFault, type FormSpec, type FormState, type Values } from '../../pages/form-spec.ts'
import { Note } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { ugx } from '../../pages/wording.ts'
import { checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readRecipientLines } from '../../scheduled-payouts/recipient-lines.ts'
import { INTERVALS } from '../../scheduled-payouts/schedule.ts'
import {
  type ScheduledPayoutCreate,
  ScheduledPayoutCreateShape,
} from '../../scheduled-payouts/schedule-request.ts'
import { PAYOUTS } from '../texts/payouts.ts'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'

const { create } = PAYROLL
const MOST_PASTED = 150_000
const CLOCK = '08:00'

const FIELDS: FormSpec['fields'] = [
  { name: 'name', label: create.name, hint: create.nameHint, optional: true, most: 200 },
  { name: 'amount', label: create.amount, kind: 'amount', refused: /^(?:invalid request: )?amount/ },
  {
    name: 'interval',
    label: create.interval,
    kind: 'select',
    choices: INTERVALS.map((value) => ({ value, label: create.choices[value] })),
  },
  {
    name: 'start',
    label: create.start,
    hint: create.startHint,
    kind: 'date',
    optional: true,
    refused: /start_at/,
  },
  { name: 'clock', label: create.clock, kind: 'time', optional: true },
  {
    name: 'cap',
    label: create.cap,
    hint: create.capHint,
    kind: 'amount',
    optional: true,
    refused: /max_per|cap/,
  },
  {
    name: 'recipients',
    label: create.recipients,
    hint: create.recipientsHint,
    kind: 'lines',
    placeholder: create.example,
    rows: 10,
    most: MOST_PASTED,
    refused: /recipients/,
  },
  { name: 'note', label: create.note, optional: true, most: 500 },
]

/** Checks the schedule, and leads to the second step: what one cycle would cost, and when it would run. */
export const CHECK: FormSpec = {
  path: '/payroll/check',
  action: 'payout.prepare',
  fields: FIELDS,
  submit: create.check,
}

// Matches nothing. A hidden field cannot show a fault, so every refusal stands above the form.
const NO_TEXT = /(?!)/
/** For people who may make a schedule without a second person; it asks for a fresh factor. */
export const CREATE: FormSpec = {
  path: '/payroll/new',
  action: 'schedule.create',
  fields: FIELDS.map((field) => ({
    ...field,
    ...{ kind: 'hidden' as const, refused: NO_TEXT },
    ...(field.kind === 'lines' ? { holdsLines: true as const } : {}),
  })),
  submit: create.submit,
  once: true,
}
/** For accountants, who may only prepare. */
export const PREPARE: FormSpec = {
  ...CREATE,
  path: '/payroll/prepare',
  action: 'payout.prepare',
  submit: create.prepare,
}

/** Shows the form of a new schedule. */
export async function showNewSchedule(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const mayCreateAlone = mayDo(visit.caller, 'schedule.create')
  const { above } = await checkerState(visit.app, visit.caller)
  return shownPage(
    create.title,
    <>
      <h1>{create.title}</h1>
      {!mayCreateAlone && <Note>{PAYOUTS.create.accountant}</Note>}
      {mayCreateAlone && above !== null && visit.mode === 'live' && <Note>{create.alone(ugx(above))}</Note>}
      <FormBox of={CHECK} visit={visit} state={state} values={{ interval: 'monthly', clock: CLOCK }} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Parses the fields of the form like the body of a request. Throws Refusal, and FieldFault for the recipients. */
export function scheduleOf(values: Values): ScheduledPayoutCreate {
  const { name, interval, start = '', clock = '', cap = '', recipients = '' } = values
  return readBody(ScheduledPayoutCreateShape, {
    ...{ name, interval, amount: amountOf(values, 'amount') },
    recipients: recipientsIn(recipients),
    ...(cap === '' ? {} : { max_per_recipient: amountOf(values, 'cap') }),
    ...(start === '' ? {} : { start_at: `${start}T${clock === '' ? CLOCK : clock}:00+03:00` }),
  })
}

function recipientsIn(lines: string) {
  try {
    return readRecipientLines(lines)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new FieldFault('recipients', error.message.replace(/^invalid request: /, ''))
  }
}
