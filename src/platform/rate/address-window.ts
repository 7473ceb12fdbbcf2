import { tooMany, withinWindow } from './limits.ts'

/** A sliding window for each client address, in the memory of this process: for what costs little and has no owner. */
export type AddressWindow = {
  /** Takes a place or throws 429. 0 as limit switches it off. */
  take(address: string, nowMs: number): void
  /** Throws 429 when no place is left, without taking one. */
  check(address: string, nowMs: number): void
}

// A flood from countless addresses must not fill the memory.
const MOST_ADDRESSES = 10_000
const MINUTE_MS = 60_000

/** `limit` in any `windowMs`, a minute unless said. */
export function addressWindow(limit: number, windowMs: number = MINUTE_MS): AddressWindow {
  const seen = new Map<string, number[]>()
  const accepted = (address: string, nowMs: number) => {
    const acceptedMs = withinWindow(seen.get(address) ?? [], nowMs, windowMs)
    if (acceptedMs.length < limit) return acceptedMs
    const leaving = acceptedMs[acceptedMs.length - limit] as number // As many as the limit are there.
    throw tooMany(leaving + windowMs - nowMs)
  }
  return {
    take(address, nowMs) {
      if (limit === 0) return
      const acceptedMs = accepted(address, nowMs)
      if (seen.size > MOST_ADDRESSES) seen.clear()
      seen.set(address, [...acceptedMs, nowMs])
    },
    check(address, nowMs) {
      if (limit > 0) accepted(address, nowMs)
    },
  }
}
