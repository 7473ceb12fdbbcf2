import type { Lane } from './lane.ts'
import { unavailable } from './refusal.ts'

export type MerchantTurns = Lane & {
  /** Resolves when the merchant's turn and a place have come. Throws 503 when they did not in time, or when too many wait. */
  wait(merchantId: number, isGone?: () => boolean): Promise<void>
  /** The work is done and its place is free. */
  freePlace(): void
  /** The merchant's next piece of work may begin. */
  freeMerchant(merchantId: number): void
  /** Whether more work of this merchant waits. */
  isWaiting(merchantId: number): boolean
}

/** `waitMs`: how long anybody waits; `most`: how many wait, in all and of one merchant. */
export type TurnLimits = { places: number; waitMs: number; most: { waiting: number; ofOne: number } }

type Waiter = { isGone: () => boolean; start(): void; leave(): void }

/**
 * Runs one piece of work of a merchant at a time, merchants in turn, in a limited number of places. Waiting work holds no
 * connection and no row.
 */
export function merchantTurns({ places, waitMs, most }: TurnLimits): MerchantTurns {
  let free = places
  let whenIdle: (() => void)[] = []
  const busy = new Set<number>()
  const queue = merchantQueue()

  function startNext(): void {
    for (const merchantId of queue.merchants()) {
      if (free === 0) return
      if (!busy.has(merchantId)) startOne(merchantId)
    }
  }
  function startOne(merchantId: number): void {
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
    freePlace() {
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

/** Who waits, by merchant; the merchant whose turn is next comes first. */
function merchantQueue() {
  const waiting = new Map<number, Waiter[]>()
  const of = (merchantId: number) => waiting.get(merchantId) ?? []
  const keep = (merchantId: number, own: Waiter[]) => {
    if (own.length > 0) waiting.set(merchantId, own)
    else waiting.delete(merchantId)
  }
  return {
    of,
    merchants: () => [...waiting.keys()],
    count: () => [...waiting.values()].reduce((sum, own) => sum + own.length, 0),
    add: (merchantId: number, waiter: Waiter) => keep(merchantId, [...of(merchantId), waiter]),
    forget: (merchantId: number, waiter: Waiter) =>
      keep(
        merchantId,
        of(merchantId).filter((one) => one !== waiter),
      ),
    /** Takes the merchant's first waiter; those whose client is gone leave. The merchant goes to the end of the queue. */
    next(merchantId: number): Waiter | undefined {
      for (const waiter of of(merchantId)) if (waiter.isGone()) waiter.leave()
      const own = of(merchantId)
      waiting.delete(merchantId)
      const next = own.shift()
      keep(merchantId, own)
      return next
    },
  }
}
