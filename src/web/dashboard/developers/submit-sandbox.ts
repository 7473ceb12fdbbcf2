import { setMerchant } from '../../../merchants/account/set-merchant.ts'
import { moveSandboxClock } from '../../../payments/charges/test-charges/move-sandbox-clock.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { MACHINE_BUTTONS, pressMachine } from '../../../selling/vending/dispensing/press-machine.ts'
import { FieldFault, type FormValues } from '../../parts/forms/form-spec.ts'
import { formatPageTime } from '../../parts/parts.tsx'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { SANDBOX } from '../texts/sandbox.ts'
import type { DashboardVisit } from '../visit.ts'
import { SANDBOX_PATH } from './sandbox-page.tsx'

const { hold, failing, clock, machine } = SANDBOX
const MAX_FAILING_PAYOUTS = 100

/** Wraps a form of the sandbox so that live mode is refused. */
export const refuseLiveMode =
  (submit: (visit: DashboardVisit, values: FormValues) => Promise<SurfaceReply>) =>
  (visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> => {
    if (visit.mode !== 'test') throw domainRefusal('live_mode', SANDBOX.liveTitle)
    return submit(visit, values)
  }

export async function submitHold(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const testHold = values.hold === 'realistic' ? 'realistic' : 'none'
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change: { testHold } })
  return redirectDone(visit.to(SANDBOX_PATH), hold.done)
}

export async function submitFailing(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const failNextPayouts = Number(values.count)
  if (failNextPayouts > MAX_FAILING_PAYOUTS) throw new FieldFault('count', failing.wrong)
  const failNextReason = failNextPayouts === 0 ? null : (values.reason ?? null)
  const change = { failNextPayouts, failNextReason }
  await setMerchant(visit.app, visit.caller, { merchant: visit.merchant, change })
  return redirectDone(visit.to(SANDBOX_PATH), failing.done)
}

export async function submitClock(visit: DashboardVisit, { advance = '' }: FormValues): Promise<SurfaceReply> {
  const moved = await moveSandboxClock(visit.app, visit.caller, { merchantId: visit.merchant.id, advance })
  if (moved === null) throw new FieldFault('advance', clock.wrong)
  return redirectDone(visit.to(SANDBOX_PATH), clock.done(formatPageTime(moved.testTime), moved.settled))
}

export async function submitMachine(
  visit: DashboardVisit,
  { order = '', button = '' }: FormValues,
): Promise<SurfaceReply> {
  const pressed = MACHINE_BUTTONS.find((machineButton) => machineButton === button) ?? 'silent'
  const result = await pressMachine(visit.app, visit.caller, { id: order.trim(), button: pressed })
  return redirectDone(visit.to(SANDBOX_PATH), machine.done(result.vendingStatus))
}
