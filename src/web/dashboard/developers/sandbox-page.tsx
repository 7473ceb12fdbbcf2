import { addMs } from '../../../platform/time/clock.ts'
import { PAYOUT_FAILURES } from '../../../rails/rail.ts'
import { MACHINE_BUTTONS } from '../../../selling/vending/dispensing/press-machine.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, formatPageTime, Note, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { Table } from '../../parts/table.tsx'
import { addressIn } from '../addresses.ts'
import { SANDBOX } from '../texts/sandbox.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { testMoneyForm } from './test-money.ts'

const { funds, hold, failing, clock, machine, phones } = SANDBOX
export const SANDBOX_PATH = '/developers/sandbox'

export const ADD_SANDBOX_FUNDS = testMoneyForm(SANDBOX_PATH)
export const SET_TEST_HOLD: FormSpec = {
  path: `${SANDBOX_PATH}/hold`,
  action: 'sandbox.set',
  fields: [
    {
      ...{ name: 'hold', label: hold.label, kind: 'radio' },
      choices: [
        { value: 'none', ...hold.none },
        { value: 'realistic', ...hold.realistic },
      ],
    },
  ],
  submit: hold.submit,
}
export const FAIL_NEXT_PAYOUTS: FormSpec = {
  path: `${SANDBOX_PATH}/failing`,
  action: 'sandbox.set',
  fields: [
    { name: 'count', label: failing.count, hint: failing.countHint, kind: 'number' },
    {
      ...{ name: 'reason', label: failing.reason, kind: 'select' },
      choices: PAYOUT_FAILURES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    },
  ],
  submit: failing.submit,
}
export const MOVE_TEST_CLOCK: FormSpec = {
  path: `${SANDBOX_PATH}/clock`,
  action: 'sandbox.clock',
  fields: [
    {
      ...{ name: 'advance', label: clock.label, kind: 'select' },
      choices: Object.entries(clock.steps).map(([value, label]) => ({ value, label })),
    },
  ],
  submit: clock.submit,
  once: true,
}
export const PRESS_TEST_MACHINE: FormSpec = {
  path: `${SANDBOX_PATH}/machine`,
  action: 'sandbox.machine',
  fields: [
    {
      name: 'order',
      label: machine.order,
      hint: machine.orderHint,
      maxLength: 60,
    },
    {
      ...{ name: 'button', label: machine.button, kind: 'radio' },
      choices: MACHINE_BUTTONS.map((value) => ({ value, label: machine.buttons[value] })),
    },
  ],
  submit: machine.submit,
}

/** Shows the tools for what would take long in test mode, or could not be made to happen. */
export async function showSandbox(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const body = visit.mode === 'test' ? <Tools visit={visit} state={state} /> : <LiveModeNote visit={visit} />
  return pageReply(
    SANDBOX.title,
    <DeveloperArea visit={visit} at={SANDBOX_PATH} title={SANDBOX.title}>
      {body}
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}

const LiveModeNote = ({ visit }: { visit: DashboardVisit }) => (
  <Empty title={SANDBOX.liveTitle}>
    <a class="button" href={addressIn('test', SANDBOX_PATH, visit.base)}>
      {SANDBOX.toTest}
    </a>
  </Empty>
)

function Tools({ visit, state }: { visit: DashboardVisit; state: FormState | null }) {
  const { merchant, now, query } = visit
  const { failNextPayouts, failNextReason, testHold, testClockOffsetMs } = merchant
  return (
    <>
      <p>{SANDBOX.lead}</p>
      <Phones />
      <div class="split">
        <Section title={funds.title}>
          <FormBox of={ADD_SANDBOX_FUNDS} visit={visit} state={state} />
        </Section>
        <Section title={clock.title}>
          <p class="strong">{clock.now(formatPageTime(addMs(now, testClockOffsetMs)))}</p>
          <FormBox of={MOVE_TEST_CLOCK} visit={visit} state={state}>
            <p class="hint">{clock.says}</p>
          </FormBox>
        </Section>
      </div>
      <div class="split">
        <Section title={hold.title}>
          <FormBox of={SET_TEST_HOLD} visit={visit} state={state} values={{ hold: testHold }} />
        </Section>
        <Section title={failing.title}>
          {failNextPayouts > 0 && (
            <Note tone="warn">{failing.says(failNextPayouts, (failNextReason ?? '').replaceAll('_', ' '))}</Note>
          )}
          <FormBox
            of={FAIL_NEXT_PAYOUTS}
            visit={visit}
            state={state}
            values={{ count: `${failNextPayouts}`, reason: failNextReason ?? 'wallet_locked' }}
          />
        </Section>
      </div>
      {merchant.vendingEnabled && (
        <Section title={machine.title} id="machine">
          <FormBox of={PRESS_TEST_MACHINE} visit={visit} state={state} values={{ order: query.order ?? '' }}>
            <p class="hint">{machine.says}</p>
          </FormBox>
        </Section>
      )}
    </>
  )
}

const Phones = () => (
  <Section title={phones.title}>
    <p class="hint">{phones.says}</p>
    <Table
      caption={phones.title}
      rows={phones.rows}
      columns={Object.values(phones.columns).map((title, index) => ({
        title,
        cell: (row: readonly string[]) => row[index] ?? '',
      }))}
    />
  </Section>
)
