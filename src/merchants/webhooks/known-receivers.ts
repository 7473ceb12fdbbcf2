import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import type { ClaimedDelivery, DueMerchant, SocketQuota } from './claim-deliveries.ts'
import { isGood } from './record-attempts.ts'
import { hasAnsweredLately, type ReceiverBehaviour } from './socket-quotas.ts'

/** A receiver whose last attempt by this process was good. */
type KnownReceiver = ReceiverBehaviour & { url: string }

/** One look for due deliveries. Of a merchant that it finds, no delivery overtakes those that are due until all of them are claimed. */
type DeliveryLook = {
  found(due: readonly DueMerchant[]): void
  claimed(quotas: readonly SocketQuota[], claimed: readonly ClaimedDelivery[]): void
}

// Each is some hundred bytes. A receiver that is forgotten becomes known again by its next delivery.
const MAX_KNOWN = 20_000

/**
 * What this process has heard from receivers itself, by merchant, and which merchants have deliveries that wait for a claim. It decides
 * only whether a delivery may skip its claim, so that what it does not know costs time and nothing else.
 */
export class KnownReceivers {
  readonly #known = new Map<number, KnownReceiver>()
  /** By merchant a number that grows: a look that began before it cannot have seen all that waits. */
  readonly #waiting = new Map<number, number>()
  #mark = 0

  /** Returns the receiver if it is at this address, has answered well within the last hour, and nothing waits for it; else null. */
  find({ merchantId, url, nowMs }: { merchantId: number; url: string; nowMs: number }): KnownReceiver | null {
    const known = this.#known.get(merchantId)
    if (known === undefined || known.url !== url || this.#waiting.has(merchantId)) return null
    return hasAnsweredLately(known, nowMs) ? known : null
  }

  /** Takes note of an attempt that has ended. One that was not good makes its receiver unknown. */
  heard({ merchantId, url }: ClaimedDelivery, attempted: PostAttempt, at: Date): void {
    const known = this.#known.get(merchantId)
    if (!isGood(attempted)) this.#known.delete(merchantId)
    else
      this.#remember(merchantId, { url, goodInARow: known?.url === url ? known.goodInARow + 1 : 1, lastSuccessAt: at })
  }

  /** A delivery of this merchant was committed that waits for a claim. */
  addWaiting(merchantId: number): void {
    this.#waiting.set(merchantId, this.#nextMark())
  }

  isWaiting = (merchantId: number): boolean => this.#waiting.has(merchantId)

  /** Begins a look for due deliveries. Call the two functions of the answer as it goes on; where it fails, what waited still waits. */
  beginLook(): DeliveryLook {
    const began = this.#nextMark()
    return {
      found: (due) => {
        const dueNow = new Set(due.map(({ merchantId }) => merchantId))
        for (const [merchantId, mark] of this.#waiting)
          if (mark < began && !dueNow.has(merchantId)) this.#waiting.delete(merchantId)
        for (const { merchantId, lane } of due) {
          this.#waiting.set(merchantId, Math.max(began, this.#waiting.get(merchantId) ?? 0))
          // Another process may have found out that it is slow.
          if (lane === 'slow') this.#known.delete(merchantId)
        }
      },
      claimed: (quotas, claimed) => {
        const taken = new Map<number, number>()
        for (const { merchantId, which } of claimed)
          if (which !== 'retries') taken.set(merchantId, (taken.get(merchantId) ?? 0) + 1)
        for (const { merchantId, which, take } of quotas)
          if (which !== 'retries' && (taken.get(merchantId) ?? 0) < take && this.#waiting.get(merchantId) === began)
            this.#waiting.delete(merchantId)
      },
    }
  }

  #nextMark(): number {
    this.#mark += 1
    return this.#mark
  }

  #remember(merchantId: number, receiver: KnownReceiver): void {
    // The one that was heard last stands last, so the first is the one to forget.
    this.#known.delete(merchantId)
    if (this.#known.size >= MAX_KNOWN) {
      const [longestSilent] = this.#known.keys()
      if (longestSilent !== undefined) this.#known.delete(longestSilent)
    }
    this.#known.set(merchantId, receiver)
  }
}
