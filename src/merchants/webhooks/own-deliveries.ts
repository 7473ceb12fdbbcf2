import { oncePerCell } from '../../platform/batches/lane.ts'
import { trackTimeFor } from '../../platform/log/spent.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import type { HeldForCommit } from '../../rails/finishing/move.ts'
import type { DeliveryLease, LeaseNewDelivery, NewDelivery } from './events.ts'

// The commit that ends a payment stores its delivery as claimed by this process, where this process sends deliveries and knows the
// receiver as quick. After the commit it is posted at once: no look and no claim. All others wait for their claim.

/** A place that is taken for a delivery before its commit. One of the two functions must be called, once. */
export type OwnDelivery = {
  lease: DeliveryLease
  /** The delivery is committed: posts it. */
  post(): void
  /** It is not committed, or nobody knows. */
  giveBack(): void
}

/** The part of the sender of this process that those who store deliveries need. */
export type OwnSender = {
  /** Takes a place for this delivery; null where it must wait for its claim. */
  take(delivery: NewDelivery, url: string): OwnDelivery | null
  /** A delivery of this merchant was committed without a place. */
  addWaiting(merchantId: number): void
}

type HoldInput = {
  /** What the transaction holds for its commit; absent where the caller does not begin it. */
  held: HeldForCommit[] | undefined
  /** The address of a merchant as the transaction has read it. */
  urlOf(merchantId: number): string | null
}

const senderOfCell = oncePerCell((): { sender: OwnSender | null } => ({ sender: null }))

/** Offers this sender to whoever stores deliveries in this process, until the function that it returns is called. */
export function offerSender(app: App, sender: OwnSender): () => void {
  const ofCell = senderOfCell(app)
  ofCell.sender = sender
  return () => {
    if (ofCell.sender === sender) ofCell.sender = null
  }
}

/**
 * Gives leases to the deliveries that a transaction stores. Those with a lease are posted once it is committed, all others wake the task
 * that claims them. Where it is rolled back, or its end is unknown, the places are free again; a lease that was stored after all ends by
 * itself.
 */
export function holdDeliveries(app: App, { held, urlOf }: HoldInput): LeaseNewDelivery {
  if (held === undefined) return () => null
  const { sender } = senderOfCell(app)
  const own: OwnDelivery[] = []
  const waiting = new Set<number>()
  held.push({
    begin() {
      if (own.length > 0) crashPoint('delivery.stored-as-own')
      // What follows is not a part of the requests behind this commit.
      trackTimeFor(null, () => {
        for (const delivery of own) delivery.post()
      })
      if (waiting.size === 0) return
      for (const merchantId of waiting) sender?.addWaiting(merchantId)
      app.nudge('send-deliveries')
    },
    giveBack() {
      for (const delivery of own) delivery.giveBack()
    },
  })
  return (delivery) => {
    const { merchantId } = delivery
    const url = waiting.has(merchantId) ? null : urlOf(merchantId)
    const taken = url === null ? null : (sender?.take(delivery, url) ?? null)
    if (taken === null) waiting.add(merchantId)
    else own.push(taken)
    return taken?.lease ?? null
  }
}
