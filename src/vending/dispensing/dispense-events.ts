import type { App } from '../../app.ts'
import { type Happening, inKeyOrder } from '../../webhooks/events.ts'
import { presentOrder, type VendingOrder } from '../orders/order.ts'
import { eventOf } from './claim.ts'
import { unitsOf } from './delivered-products.ts'
import { presentDirect } from './direct-standing.ts'
import { errorOf, type MovedDispense } from './plan-refund.ts'

/**
 * Whether a move is told as an event. Not what stood so before: an optimistic success that the machine now confirms. Nor what a
 * direct dispense was answered: whoever asked for it hears of the refusal.
 */
export function isNews({ standing: { kind, order }, move: { to, source } }: MovedDispense): boolean {
  const answered = kind === 'direct' && source === 'command' && to.status === 'failed'
  return order.vendingStatus !== to.status && !answered
}

/** `vending.dispensed` or `vending.dispense_failed` (contract.md section 5), keys in the order of canonical JSON. */
export function happeningOf(app: App, moved: MovedDispense, at: Date): Happening {
  const { standing, move } = moved
  const { facts } = standing
  const { view, merchantReference, ...numbered } =
    standing.kind === 'order'
      ? toldOfOrder(app, { ...moved, standing }, at)
      : toldOfDirect({ ...moved, standing }, at)
  return {
    ...numbered,
    merchantId: move.merchantId,
    tag: facts.tag,
    mode: standing.order.mode,
    // An order that was never claimed fails like a claim that was never sent.
    type: eventOf(facts.newest?.state ?? 'claimed', move.to.status),
    data: inKeyOrder({ ...view, merchant_reference: merchantReference, source: move.source }),
    hasWebhookUrl: facts.hasWebhookUrl,
  }
}

type Told = Pick<Happening, 'subject' | 'occurrence'> & { view: object; merchantReference: string | null }
type Moved<Kind> = MovedDispense & { standing: Extract<MovedDispense['standing'], { kind: Kind }> }

function toldOfOrder(app: App, moved: Moved<'order'>, at: Date): Told {
  const { order, facts } = moved.standing
  const { to } = moved.move
  const dispensed = to.status === 'dispensed'
  const next: VendingOrder = {
    ...order,
    vendingStatus: to.status,
    vendingError: errorOf(moved),
    confirmed: to.confirmed,
    dispenseResult: to.result,
    unitsDispensed: unitsOf(to.result),
    dispensedAt: dispensed ? (order.dispensedAt ?? at) : null,
  }
  return {
    subject: order.id,
    // Of one command twice only after an optimistic success was contradicted, and that in its turn: the opposite number.
    occurrence: dispensed && facts.dispensedTold ? -order.attempts : order.attempts,
    view: presentOrder(next, { baseUrl: app.baseUrl, at }),
    merchantReference: order.reference,
  }
}

function toldOfDirect({ standing: { order }, move: { to } }: Moved<'direct'>, at: Date): Told {
  return {
    // The merchant's own number may come again; a claim never does.
    subject: order.id,
    // Twice only after an optimistic success was contradicted, and that in its turn.
    occurrence: to.status === 'dispensed' ? order.timesDispensed : 0,
    view: presentDirect(order, to, at),
    merchantReference: order.charge.reference,
  }
}
