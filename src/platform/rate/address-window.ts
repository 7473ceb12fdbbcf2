import { tooMany, waitForPlace, withinWindow } from './limits.ts'

/** A sliding window for each client address, in the memory of this process: for what costs little and has no owner. */
export type AddressWindow = {
  /** Takes a place or throws 429. 0 as limit switches it off. */
  take(address: string, nowMs: number): void
}

// A flood from countless addresses must not fill the memory.
const MOST_ADDRESSES = 10_000

export function addressWindow(limit: number): AddressWindow {
  const seen = new Map<string, number[]>()
  return {
    take(address, nowMs) {
      if (limit === 0) return
      const acceptedMs = withinWindow(seen.get(address) ?? [], nowMs)
      const waitMs = waitForPlace(acceptedMs, limit, nowMs)
      if (waitMs > 0) throw tooMany(waitMs)
      if (seen.size > MOST_ADDRESSES) seen.clear()
      seen.set(address, [...acceptedMs, nowMs])
    },
  }
}
