import { payoutFee } from '../../../ledger/fees.ts'
import { findPreparedOfObject } from '../../../payments/payouts/prepared/find-prepared.ts'
import { type CycleRow, listCycles } from '../../../payments/scheduled-payouts/find-cycles.ts'
import { getSchedule } from '../../../payments/scheduled-payouts/find-schedules.ts'
import { presentSchedule, type Recipient, type Schedule } from '../../../payments/scheduled-payouts/schedule.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Note, OutsideText, RawJson, Section, State, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { Phone } from '../payouts/phone.tsx'
import { MetadataFacts } from '../story/story-parts.tsx'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts, cycles, people } = PAYROLL

const changeForm = (name: 'pause' | 'resume' | 'cancel', danger = false): FormSpec => ({
  path: `/payroll/:id/${name}`,
  action: 'schedule.change',
  fields: [],
  submit: PAYROLL[name].submit,
  ...(danger ? { danger: true } : {}),
})
export const PAUSE_SCHEDULE = changeForm('pause')
export const RESUME_SCHEDULE = changeForm('resume')
export const CANCEL_SCHEDULE = changeForm('cancel', true)

const CYCLE_COLUMNS: readonly ListColumn<CycleRow>[] = [
  { ...column.time<CycleRow>(cycles.columns.at, ({ cycleAt }) => cycleAt), at: 'who' },
  { title: cycles.columns.payouts, cell: ({ payouts }) => payouts, figures: true },
  column.amount(cycles.columns.amount, ({ amount }) => amount),
  column.money(cycles.columns.fees, ({ fees }) => fees),
  { title: cycles.columns.arrived, cell: ({ succeeded, payouts }) => cycles.arrivedOf(succeeded, payouts), at: 'what' },
  {
    title: cycles.columns.failed,
    cell: ({ failed }) => failed > 0 && <Status word={cycles.failedCount(failed)} tone="bad" />,
    at: 'state',
  },
]
export const RECIPIENT_COLUMNS: readonly ListColumn<Recipient>[] = [
  { title: people.columns.phone, cell: ({ phone }) => <Phone phone={phone} />, at: 'who' },
  column.what(people.columns.name, ({ name }) => name),
  { ...column.text<Recipient>(people.columns.reference, ({ reference }) => reference), at: 'when' },
]

/** Shows one schedule: the money it needs, when it runs, its cycles and its people. */
export async function showSchedule(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const schedule = await getSchedule(app, caller, visit.params.id ?? '')
  const [cycleRows, prepared] = await Promise.all([
    listCycles(app, caller, schedule),
    findPreparedOfObject(app, caller, schedule.id),
  ])
  return pageReply(
    oneLine(schedule.name ?? PAYROLL.title),
    <>
      <div class="top">
        <h1>{schedule.name === null ? PAYROLL.title : <OutsideText text={schedule.name} />}</h1>
        <State of="schedule" state={schedule.status} />
        <code>{schedule.id}</code>
      </div>
      {schedule.failureReason !== null && (
        <Note tone="warn">
          <OutsideText text={schedule.failureReason} />
        </Note>
      )}
      <ScheduleFacts visit={visit} schedule={schedule} preparedId={prepared?.id ?? null} />
      <MetadataFacts metadata={schedule.metadata} />
      <Changes visit={visit} schedule={schedule} state={state} />
      <Section title={cycles.title}>
        {cycleRows.length === 0 ? (
          <p>{cycles.none}</p>
        ) : (
          <Table caption={cycles.title} rows={cycleRows} columns={CYCLE_COLUMNS} />
        )}
      </Section>
      <Section title={people.title}>
        <Table caption={people.title} rows={schedule.recipients} columns={RECIPIENT_COLUMNS} />
      </Section>
      <RawJson value={presentSchedule(schedule)} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** The whole UGX that one cycle takes from the balance, with its fees. */
const computeCycleCost = ({ amount, recipients }: Schedule) => (amount + payoutFee(amount)) * recipients.length

type ScheduleFactsProps = { visit: DashboardVisit; schedule: Schedule; preparedId: string | null }

function ScheduleFacts({ visit, schedule, preparedId }: ScheduleFactsProps) {
  const { amount, recipients, interval, maxPerRecipient, status } = schedule
  return (
    <Facts
      facts={[
        [facts.each, <Money amount={amount} />],
        [facts.people, recipients.length],
        [facts.cycle, <Money amount={computeCycleCost(schedule)} />],
        [facts.interval, PAYROLL.intervals[interval]],
        status === 'active' && [facts.next, <Time at={schedule.nextRunAt} />],
        [facts.last, <Time at={schedule.lastRunAt} />],
        maxPerRecipient !== null && [facts.cap, <Money amount={maxPerRecipient} />],
        preparedId !== null && [facts.prepared, <a href={visit.to(`/payouts/prepared/${preparedId}`)}>{preparedId}</a>],
        [facts.made, <Time at={schedule.createdAt} />],
      ]}
    />
  )
}

type ChangesProps = { visit: DashboardVisit; schedule: Schedule; state: FormState | null }

function Changes({ visit, schedule, state }: ChangesProps) {
  const { id, status, nextRunAt } = schedule
  if (status === 'cancelled') return null
  const params = { id }
  const now = visit.now.getTime() + (visit.mode === 'test' ? visit.merchant.testClockOffsetMs : 0)
  const runsNow = status === 'paused' && nextRunAt !== null && nextRunAt.getTime() <= now
  return (
    <div class="actions">
      <FormBox of={status === 'active' ? PAUSE_SCHEDULE : RESUME_SCHEDULE} visit={visit} state={state} params={params}>
        {runsNow && <Note tone="warn">{PAYROLL.resumesNow(formatShillings(computeCycleCost(schedule)))}</Note>}
      </FormBox>
      <details open={state?.path === CANCEL_SCHEDULE.path}>
        <summary>{PAYROLL.cancel.title}</summary>
        <FormBox of={CANCEL_SCHEDULE} visit={visit} state={state} params={params} />
      </details>
    </div>
  )
}
