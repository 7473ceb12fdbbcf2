import { type Happening, inKeyOrder } from '../../../merchants/webhooks/events.ts'
import type { App } from '../../../program/app.ts'
import { presentOrder, type VendingOrder } from '../orders/order.ts'
import { chooseClaimEvent } from './claim.ts'
import { sumUnits } from './delivered-products.ts'
import { presentDirect } from './lock-directs.ts'
import { formatOrderError, type MovedDispense } from './plan-refund.ts'

/**
 * Whether a move has an event. It has none if the status stays the same (an optimistic success that the machine now confirms), or
 * if the caller of a direct dispense gets the refusal as the answer.
 */
export function hasEvent({ dispense: { kind, order }, move: { to, source } }: MovedDispense): boolean {
  const isAnswered = kind === 'direct' && source === 'command' && to.status === 'failed'
  return order.vendingStatus !== to.status && !isAnswered
}

/** Builds `vending.dispensed` or `vending.dispense_failed` (contract.md section 5), keys in the order of canonical JSON. */
export function buildDispenseEvent(app: App, moved: MovedDispense, at: Date): Happening {
  const { dispense, move } = moved
  const { facts } = dispense
  const { view, merchantReference, ...numbered } =
    dispense.kind === 'order'
      ? buildOrderParts(app, { ...moved, dispense }, at)
      : buildDirectParts({ ...moved, dispense }, at)
  return {
    ...numbered,
    merchantId: move.merchantId,
    tag: facts.tag,
    mode: dispense.order.mode,
    // An order that was never claimed fails like a claim that was never sent.
    type: chooseClaimEvent(facts.newest?.state ?? 'claimed', move.to.status),
    data: inKeyOrder({ ...view, merchant_reference: merchantReference, source: move.source }),
    hasWebhookUrl: facts.hasWebhookUrl,
  }
}

type EventParts = Pick<Happening, 'subject' | 'occurrence'> & {
  view: object
  merchantReference: string | null
}
type MovedOfKind<Kind> = MovedDispense & { dispense: Extract<MovedDispense['dispense'], { kind: Kind }> }

function buildOrderParts(app: App, moved: MovedOfKind<'order'>, at: Date): EventParts {
  const { order, facts } = moved.dispense
  const { to } = moved.move
  const dispensed = to.status === 'dispensed'
  const next: VendingOrder = {
    ...order,
    vendingStatus: to.status,
    vendingError: formatOrderError(moved),
    confirmed: to.confirmed,
    dispenseResult: to.result,
    unitsDispensed: sumUnits(to.result),
    dispensedAt: dispensed ? (order.dispensedAt ?? at) : null,
  }
  return {
    subject: order.id,
    // A command has this event a second time only if its optimistic success was contradicted and then confirmed: negative, to be unique.
    occurrence: dispensed && facts.dispensedTold ? -order.attempts : order.attempts,
    view: presentOrder(next, { baseUrl: app.baseUrl, at }),
    merchantReference: order.reference,
  }
}

function buildDirectParts({ dispense: { order }, move: { to } }: MovedOfKind<'direct'>, at: Date): EventParts {
  return {
    // The merchant may use its own number for several dispenses; the claim's id is unique.
    subject: order.id,
    // Above 0 only if an optimistic success was contradicted and then confirmed.
    occurrence: to.status === 'dispensed' ? order.timesDispensed : 0,
    view: presentDirect(order, to, at),
    merchantReference: order.charge.reference,
  }
}
