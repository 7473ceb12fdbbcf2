import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { getOrder } from '../orders/find-orders.ts'
import { productNumber } from '../orders/goods.ts'
import type { ReportedGoods, VendingOrder } from '../orders/order.ts'
import type { DispenseOutcome, DispenseVerdict } from './dispense-move.ts'
import { SILENCE_MACHINE } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'

/** The buttons of a simulated machine. `silent`: it will not report what its number prescribes. */
export const MACHINE_BUTTONS = ['dispensed', 'partly', 'jam', 'silent'] as const
export type MachineButton = (typeof MACHINE_BUTTONS)[number]

/**
 * Presses a button of a simulated machine (contract.md G64, 6.6): its report moves the order as a callback of a machine would. Test mode
 * only. Throws 404, or a refusal if the order waits for no report.
 */
export async function pressMachine(
  app: App,
  caller: Caller,
  { id, button }: { id: string; button: MachineButton },
): Promise<VendingOrder> {
  allow(caller, 'sandbox.machine')
  if (caller.mode !== 'test') throw domainRefusal('live_mode', 'only machines of test mode have buttons')
  const order = await getOrder(app, caller, id)
  const { merchantId, mode } = caller
  const act = { action: 'sandbox.machine', at: app.clock.now(), merchantId, mode, subject: id } as const
  const row = auditRow({ actor: caller, ...act, after: { button } })
  if (button === 'silent')
    await app.db.transaction(async (tx) => {
      const [silenced] = await tx.send(call(SILENCE_MACHINE, merchantId, id))
      if (silenced.length === 0) throw nothingToReport(order)
      return { value: null, last: [row] }
    })
  else {
    const to = simulateOutcome(button, order)
    const move = { kind: 'order', merchantId, id, to, source: 'callback', alongside: row } as const
    const moved = await moveDispense(app, move)
    if (moved !== 'moved' && moved !== 'same') throw newPressRefusal(moved, order)
  }
  return getOrder(app, caller, id)
}

function simulateOutcome(button: Exclude<MachineButton, 'silent'>, { goods }: VendingOrder): DispenseOutcome {
  if (button === 'partly' && goods.length < 2)
    throw domainRefusal('one_product', 'this order has one product: it comes out or it does not', { field: 'order' })
  const deliveredCount = button === 'dispensed' ? goods.length : button === 'partly' ? goods.length - 1 : 0
  const result = goods.map(
    ({ spbh, spmc }, index): ReportedGoods => ({
      spbh: productNumber(spbh),
      chsl: index < deliveredCount ? 1 : 0,
      ...(spmc === undefined ? {} : { spmc }),
    }),
  )
  return deliveredCount > 0
    ? { status: 'dispensed', confirmed: true, result, note: null }
    : { status: 'failed', confirmed: true, result, error: 'the machine reported a jam' }
}

const nothingToReport = ({ vendingStatus }: VendingOrder) =>
  domainRefusal('nothing_to_report', `vending order is ${vendingStatus}: its machine has nothing to report`, {
    field: 'order',
  })

function newPressRefusal(moved: Exclude<DispenseVerdict, 'moved' | 'same'>, order: VendingOrder) {
  assert(moved !== 'seen', 'a button has no signature')
  return moved === 'refunded'
    ? domainRefusal('conflict', 'the payment of this order was refunded')
    : nothingToReport(order)
}
