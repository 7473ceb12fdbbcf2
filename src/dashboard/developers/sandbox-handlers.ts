import { moveSandboxClock } from '../../charges/move-sandbox-clock.ts'
import { addTestFunds } from '../../ledger/test-funds.ts'
import { setMerchant } from '../../merchants/set-merchant.ts'
import { amountOf, FieldFault, type Values } from '../../pages/form-spec.ts'
import { timeText } from '../../pages/parts.tsx'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { ugx } from '../../pages/wording.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { MACHINE_BUTTONS, pressMachine } from '../../vending/dispensing/press-machine.ts'
import { SANDBOX } from '../texts/sandbox.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { CLOCK, FAILING, FUNDS, HOLD, MACHINE, showSandbox } from './sandbox-page.tsx'

const { funds, hold, failing, clock, machine } = SANDBOX
const HERE = '/developers/sandbox'
const MOST_FAILING = 100

/** Wraps a form of the sandbox so that live mode is refused. */
const inTest =
  (submit: (visit: DashboardVisit, values: Values) => Promise<Shown>) =>
  (visit: DashboardVisit, values: Values): Promise<Shown> => {
    if (visit.mode !== 'test') throw domainRefusal('live_mode', SANDBOX.liveTitle)
    return submit(visit, values)
  }

async function add(visit: DashboardVisit, values: Values): Promise<Shown> {
  const amount = amountOf(values, 'amount')
  const { id: merchantId, tag } = visit.merchant
  await addTestFunds(visit.app, visit.caller, { holder: { merchantId, tag }, amount, key: visit.once?.key })
  return doneTo(visit.to(HERE), funds.done(ugx(amount)))
}

async function setHold(visit: DashboardVisit, values: Values): Promise<Shown> {
  const testHold = values.hold === 'realistic' ? 'realistic' : 'none'
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change: { testHold } })
  return doneTo(visit.to(HERE), hold.done)
}

async function setFailing(visit: DashboardVisit, values: Values): Promise<Shown> {
  const failNextPayouts = Number(values.count)
  if (failNextPayouts > MOST_FAILING) throw new FieldFault('count', failing.wrong)
  const failNextReason = failNextPayouts === 0 ? null : (values.reason ?? null)
  const change = { failNextPayouts, failNextReason }
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change })
  return doneTo(visit.to(HERE), failing.done)
}

async function moveClock(visit: DashboardVisit, { advance = '' }: Values): Promise<Shown> {
  const moved = await moveSandboxClock(visit.app, visit.caller, { merchantId: visit.merchant.id, advance })
  if (moved === null) throw new FieldFault('advance', clock.wrong)
  return doneTo(visit.to(HERE), clock.done(timeText(moved.testTime), moved.settled))
}

async function press(visit: DashboardVisit, { order = '', button = '' }: Values): Promise<Shown> {
  const pressed = MACHINE_BUTTONS.find((machineButton) => machineButton === button) ?? 'silent'
  const result = await pressMachine(visit.app, visit.caller, { id: order.trim(), button: pressed })
  return doneTo(visit.to(HERE), machine.done(result.vendingStatus))
}

/** The page of the sandbox and its forms. */
export const SANDBOX_ROUTES: readonly DashboardRoute[] = [
  page(HERE, (visit) => showSandbox(visit)),
  form(FUNDS, { submit: inTest(add), again: showSandbox }),
  form(HOLD, { submit: inTest(setHold), again: showSandbox }),
  form(FAILING, { submit: inTest(setFailing), again: showSandbox }),
  form(CLOCK, { submit: inTest(moveClock), again: showSandbox }),
  form(MACHINE, { submit: inTest(press), again: showSandbox }),
]
