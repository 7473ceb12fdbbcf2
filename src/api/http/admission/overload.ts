import { count } from '../../../platform/log/measures.ts'
import { unavailable } from '../../../platform/refusal.ts'
import type { Caller } from '../../access/actor.ts'

/** Refuses requests on arrival that would wait too long (reliability.md 6.2). */
export type OverloadGuard = {
  /**
   * `expectedMs`: how long a request of this kind would wait now. Throws 503 when that is too long: sooner in test mode,
   * and soonest for a merchant that sends more than a quarter of the requests of this kind.
   */
  refuseIfTooLong(kind: string, caller: Pick<Caller, 'merchantId' | 'mode'>, expectedMs: number): void
}

/** How many requests came since a moment, in all and by merchant. */
type Arrivals = { sinceMs: number; all: number; of: Map<number, number> }

// A request that would wait for up to a second is never refused; beyond that the differences decide which are refused first.
const MAX_WAIT_MS = { test: 1250, live: 1500 }
const HEAVY_SENDER_FACTOR = 0.8
const HEAVY_SENDER_FRACTION = 1 / 4
const COUNTING_PERIOD_MS = 1000
const MAX_RETRY_AFTER_S = 5

/** `nowMs`: any clock that only goes forward. */
export function newOverloadGuard(nowMs: () => number = () => performance.now()): OverloadGuard {
  const kinds = new Map<string, { now: Arrivals; before: Arrivals }>()
  return {
    refuseIfTooLong(kind, { merchantId, mode }, expectedMs) {
      const arrivals = currentArrivals(kinds, kind, nowMs())
      arrivals.now.all += 1
      arrivals.now.of.set(merchantId, (arrivals.now.of.get(merchantId) ?? 0) + 1)
      // The usual case: no request would wait long, and nothing else needs to be checked.
      if (expectedMs <= MAX_WAIT_MS.test * HEAVY_SENDER_FACTOR) return
      const longestMs = MAX_WAIT_MS[mode] * (isHeavySender(arrivals, merchantId) ? HEAVY_SENDER_FACTOR : 1)
      if (expectedMs <= longestMs) return
      count('admission_refused_total', kind, 'wait')
      throw unavailable(Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.round(expectedMs / 1000))))
    },
  }
}

const none = (sinceMs: number): Arrivals => ({ sinceMs, all: 0, of: new Map() })

/** Returns the requests of this second and of the one before; older ones do not count. */
function currentArrivals(
  kinds: Map<string, { now: Arrivals; before: Arrivals }>,
  kind: string,
  atMs: number,
): { now: Arrivals; before: Arrivals } {
  let arrivals = kinds.get(kind)
  if (arrivals === undefined) {
    arrivals = { now: none(atMs), before: none(atMs) }
    kinds.set(kind, arrivals)
  }
  const age = atMs - arrivals.now.sinceMs
  if (age > COUNTING_PERIOD_MS) {
    arrivals.before = age > 2 * COUNTING_PERIOD_MS ? none(atMs) : arrivals.now
    arrivals.now = none(atMs)
  }
  return arrivals
}

function isHeavySender({ now, before }: { now: Arrivals; before: Arrivals }, merchantId: number): boolean {
  const own = (now.of.get(merchantId) ?? 0) + (before.of.get(merchantId) ?? 0)
  return own > (now.all + before.all) * HEAVY_SENDER_FRACTION
}
