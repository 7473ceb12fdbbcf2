import { rememberNewest } from './bounded-map.ts'
import { MINUTE_MS, tooManyRequests } from './limits.ts'
import {
  addRequests,
  dropOldCounts,
  makeShape,
  msUntilRoom,
  newWindow,
  type RateWindow,
  removeRequests,
} from './window.ts'

/** One sliding window for each client address, in the memory of this process: for cheap requests without a merchant. */
export type AddressWindow = {
  /** Counts a request, or throws 429. A limit of 0 switches it off. */
  take(address: string, nowMs: number): void
  /** Throws 429 when the window is full, without counting a request. */
  check(address: string, nowMs: number): void
  /** Counts a request that another process accepted at this time. */
  add(address: string, atMs: number): void
  /** Removes a request that was counted at this time. */
  giveBack(address: string, takenMs: number): void
}

// A flood from countless addresses must not fill the memory: the address that has been silent longest is forgotten.
const MAX_ADDRESSES = 10_000

/** Allows `limit` requests of an address in any `windowMs` (default: a minute). */
export function newAddressWindow(limit: number, windowMs: number = MINUTE_MS): AddressWindow {
  const shape = makeShape(limit, windowMs)
  const windows = new Map<string, RateWindow>()
  const requireRoom = (address: string, nowMs: number) => {
    const window = windows.get(address) ?? newWindow()
    const waitMs = msUntilRoom(window, shape, nowMs)
    if (waitMs > 0) throw tooManyRequests(waitMs)
  }
  const add = (address: string, atMs: number) => {
    const window = windows.get(address) ?? newWindow()
    dropOldCounts(window, shape, atMs)
    addRequests(window, shape, atMs)
    rememberNewest(windows, { key: address, value: window, most: MAX_ADDRESSES })
  }
  return {
    add,
    take(address, nowMs) {
      if (limit === 0) return
      requireRoom(address, nowMs)
      add(address, nowMs)
    },
    giveBack(address, takenMs) {
      const window = windows.get(address)
      if (window) removeRequests(window, shape, takenMs)
    },
    check(address, nowMs) {
      if (limit > 0) requireRoom(address, nowMs)
    },
  }
}
