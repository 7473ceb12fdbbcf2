import { mayDo } from '../../../api/access/allow.ts'
import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { parseRecipientLines } from '../../../payments/scheduled-payouts/recipient-lines.ts'
import { INTERVALS } from '../../../payments/scheduled-payouts/schedule.ts'
import {
  type ScheduledPayoutCreate,
  ScheduledPayoutCreateShape,
} from '../../../payments/scheduled-payouts/schedule-request.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import {
  FieldFault,
  type FormField,
  type FormSpec,
  type FormState,
  type FormValues,
  getAmount,
} from '../../parts/forms/form-spec.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { readCheckerAmount, SecondPersonNote } from '../payouts/second-person.tsx'
import { PAYOUTS } from '../texts/payouts.ts'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'

const { create } = PAYROLL
const MAX_PASTED_CHARACTERS = 150_000
/** What says that a schedule needs a second person. */
export const SECOND_PERSON_TEXTS = { accountant: PAYOUTS.create.accountant, alone: create.alone }
const DEFAULT_START_TIME = '08:00'

const SCHEDULE_FIELDS: FormSpec['fields'] = [
  { name: 'name', label: create.name, hint: create.nameHint, optional: true, maxLength: 200 },
  { name: 'amount', label: create.amount, kind: 'amount' },
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
    about: ['start_at'],
  },
  { name: 'clock', label: create.clock, kind: 'time', optional: true },
  {
    name: 'cap',
    label: create.cap,
    hint: create.capHint,
    kind: 'amount',
    optional: true,
    about: ['max_per_recipient'],
  },
  {
    name: 'recipients',
    label: create.recipients,
    hint: create.recipientsHint,
    kind: 'lines',
    placeholder: create.example,
    rows: 10,
    maxLength: MAX_PASTED_CHARACTERS,
  },
  { name: 'note', label: create.note, optional: true, maxLength: 500 },
]

/** Checks the schedule, and leads to the second step: what one cycle would cost, and when it would run. */
export const CHECK_SCHEDULE: FormSpec = {
  path: '/payroll/check',
  action: 'payout.prepare',
  fields: SCHEDULE_FIELDS,
  submit: create.check,
}

/** For people who may make a schedule without a second person; it asks for a fresh factor. */
export const CREATE_SCHEDULE: FormSpec = {
  path: '/payroll/new',
  action: 'schedule.create',
  fields: SCHEDULE_FIELDS.map(
    (field): FormField => ({
      ...field,
      kind: 'hidden' as const,
      ...(field.kind === 'lines' ? { holdsLines: true as const } : {}),
    }),
  ),
  submit: create.submit,
  once: true,
}
/** For accountants, who may only prepare. */
export const PREPARE_SCHEDULE: FormSpec = {
  ...CREATE_SCHEDULE,
  path: '/payroll/prepare',
  action: 'payout.prepare',
  submit: create.prepare,
}

/** Shows the form of a new schedule. */
export async function showNewSchedule(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const mayCreateAlone = mayDo(visit.caller, 'schedule.create')
  const above = await readCheckerAmount(visit)
  return pageReply(
    create.title,
    <>
      <h1>{create.title}</h1>
      <SecondPersonNote maySendAlone={mayCreateAlone} amount={null} above={above} texts={SECOND_PERSON_TEXTS} />
      <FormBox
        of={CHECK_SCHEDULE}
        visit={visit}
        state={state}
        values={{ interval: 'monthly', clock: DEFAULT_START_TIME }}
      />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Parses the fields of the form like the body of a request. Throws Refusal, and FieldFault for the recipients. */
export function parseSchedule(values: FormValues): ScheduledPayoutCreate {
  const { name, interval, start = '', clock = '', cap = '', recipients = '' } = values
  return parseBody(ScheduledPayoutCreateShape, {
    ...{ name, interval, amount: getAmount(values, 'amount') },
    recipients: parseRecipients(recipients),
    ...(cap === '' ? {} : { max_per_recipient: getAmount(values, 'cap') }),
    ...(start === '' ? {} : { start_at: `${start}T${clock === '' ? DEFAULT_START_TIME : clock}:00+03:00` }),
  })
}

function parseRecipients(lines: string) {
  try {
    return parseRecipientLines(lines)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new FieldFault('recipients', error.message.replace(/^invalid request: /, ''))
  }
}
