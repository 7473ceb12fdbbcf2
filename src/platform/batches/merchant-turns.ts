import { unavailable } from '../refusal.ts'
import type { Lane } from './lane.ts'

export type MerchantTurns = Lane & {
  /** Resolves when the merchant's turn has come and a slot is free. Throws 503 when that takes too long, or when too many wait. */
  wait(merchantId: number, isGone?: () => boolean): Promise<void>
  /** Frees the slot of work that is done. */
  freeSlot(): void
  /** Lets the merchant's next piece of work begin. */
  freeMerchant(merchantId: number): void
  /** Whether more work of this merchant waits. */
  isWaiting(merchantId: number): boolean
}

/** `places`: how many pieces of work run at once; `waitMs`: the longest wait; `most`: how many may wait, in all and of one merchant. */
type TurnLimits = { places: number; waitMs: number; most: { waiting: number; ofOne: number } }

type TurnWaiter = { isGone: () => boolean; start(): void; leave(): void }

/**
 * Runs one piece of work of a merchant at a time, merchants in turn, in a limited number of slots. Waiting work holds no connection and
 * no row.
 */
export function newMerchantTurns({ places, waitMs, most }: TurnLimits): MerchantTurns {
  let free = places
  let whenIdle: (() => void)[] = []
  const busy = new Set<number>()
  const queue = newMerchantQueue()

  function startNext(): void {
    for (const merchantId of queue.merchants()) {
      if (free === 0) return
      if (!busy.has(merchantId)) startWorkOf(merchantId)
    }
  }
  function startWorkOf(merchantId: number): void {
    const next = queue.next(merchantId)
    if (next === undefined) return
    free -= 1
    busy.add(merchantId)
    next.start()
  }
  const isIdle = () => free === places && queue.count() === 0

  return {
    wait(merchantId, isGone = () => false) {
      if (queue.of(merchantId).length >= most.ofOne || queue.count() >= most.waiting) throw unavailable()
      return new Promise((resolve, reject) => {
        const leave = () => {
          clearTimeout(timer)
          queue.forget(merchantId, waiter)
          reject(unavailable())
        }
        const timer = setTimeout(leave, waitMs)
        const start = () => {
          clearTimeout(timer)
          resolve()
        }
        const waiter = { isGone, start, leave }
        queue.add(merchantId, waiter)
        startNext()
      })
    },
    freeSlot() {
      free += 1
      startNext()
      if (!isIdle()) return
      for (const resolve of whenIdle) resolve()
      whenIdle = []
    },
    freeMerchant(merchantId) {
      busy.delete(merchantId)
      startNext()
    },
    isWaiting: (merchantId) => queue.of(merchantId).length > 0,
    waiting: queue.count,
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}

/** The waiters by merchant; the merchant whose turn is next comes first. */
function newMerchantQueue() {
  const waiting = new Map<number, TurnWaiter[]>()
  const of = (merchantId: number) => waiting.get(merchantId) ?? []
  const set = (merchantId: number, waiters: TurnWaiter[]) => {
    if (waiters.length > 0) waiting.set(merchantId, waiters)
    else waiting.delete(merchantId)
  }
  return {
    of,
    merchants: () => [...waiting.keys()],
    count: () => [...waiting.values()].reduce((sum, waiters) => sum + waiters.length, 0),
    add: (merchantId: number, waiter: TurnWaiter) => set(merchantId, [...of(merchantId), waiter]),
    forget: (merchantId: number, waiter: TurnWaiter) =>
      set(
        merchantId,
        of(merchantId).filter((queued) => queued !== waiter),
      ),
    /** Takes the merchant's first waiter, after those whose client is gone have left. The merchant goes to the end of the queue. */
    next(merchantId: number): TurnWaiter | undefined {
      for (const waiter of of(merchantId)) if (waiter.isGone()) waiter.leave()
      const waiters = of(merchantId)
      waiting.delete(merchantId)
      const next = waiters.shift()
      set(merchantId, waiters)
      return next
    },
  }
}
