import { MINUTE_MS, tooMany } from './limits.ts'
import { remember } from './oldest-out.ts'
import { addTo, emptyWindow, forgetOld, shapeOf, takeFrom, type Window, waitForPlace } from './window.ts'

/** A sliding window for each client address, in the memory of this process: for cheap requests without a merchant. */
export type AddressWindow = {
  /** Takes a place or throws 429. 0 as limit switches it off. */
  take(address: string, nowMs: number): void
  /** Throws 429 when no place is left, without taking one. */
  check(address: string, nowMs: number): void
  /** Counts a request that another process accepted at this time. */
  add(address: string, atMs: number): void
  /** Gives back a place that was taken at this time. */
  giveBack(address: string, takenMs: number): void
}

// A flood from countless addresses must not fill the memory; the address that has been silent longest is forgotten.
const MOST_ADDRESSES = 10_000

/** `limit` in any `windowMs`, a minute unless said. */
export function addressWindow(limit: number, windowMs: number = MINUTE_MS): AddressWindow {
  const shape = shapeOf(limit, windowMs)
  const seen = new Map<string, Window>()
  const roomFor = (address: string, nowMs: number) => {
    const window = seen.get(address) ?? emptyWindow()
    const waitMs = waitForPlace(window, shape, nowMs)
    if (waitMs > 0) throw tooMany(waitMs)
  }
  const add = (address: string, atMs: number) => {
    const window = seen.get(address) ?? emptyWindow()
    forgetOld(window, shape, atMs)
    addTo(window, shape, atMs)
    remember(seen, { key: address, value: window, most: MOST_ADDRESSES })
  }
  return {
    add,
    take(address, nowMs) {
      if (limit === 0) return
      roomFor(address, nowMs)
      add(address, nowMs)
    },
    giveBack(address, takenMs) {
      const window = seen.get(address)
      if (window) takeFrom(window, shape, takenMs)
    },
    check(address, nowMs) {
      if (limit > 0) roomFor(address, nowMs)
    },
  }
}
