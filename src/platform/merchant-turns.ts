import { unavailable } from './refusal.ts'

export type MerchantTurns = {
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

type Waiter = { isGone: () => boolean; start(): void }

/**
 * Runs one piece of work of a merchant at a time, merchants in turn, in a limited number of places. Waiting work holds no
 * connection and no row.
 */
export function merchantTurns({ places, waitMs, most }: TurnLimits): MerchantTurns {
  let free = places
  const busy = new Set<number>()
  // By merchant, whose turn is next first.
  const waiting = new Map<number, Waiter[]>()

  function startNext(): void {
    for (const merchantId of [...waiting.keys()]) {
      if (free === 0) return
      if (!busy.has(merchantId)) startOne(merchantId)
    }
  }
  /** The merchant goes to the end of the queue with the rest of its work. */
  function startOne(merchantId: number): void {
    const own = (waiting.get(merchantId) ?? []).filter(({ isGone }) => !isGone())
    waiting.delete(merchantId)
    const next = own.shift()
    if (own.length > 0) waiting.set(merchantId, own)
    if (next === undefined) return
    free -= 1
    busy.add(merchantId)
    next.start()
  }
  function forget(merchantId: number, waiter: Waiter): void {
    const others = (waiting.get(merchantId) ?? []).filter((one) => one !== waiter)
    if (others.length > 0) waiting.set(merchantId, others)
    else waiting.delete(merchantId)
  }
  const countWaiting = () => [...waiting.values()].reduce((sum, own) => sum + own.length, 0)

  return {
    wait(merchantId, isGone = () => false) {
      const own = waiting.get(merchantId) ?? []
      if (own.length >= most.ofOne || countWaiting() >= most.waiting) throw unavailable()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          forget(merchantId, waiter)
          reject(unavailable())
        }, waitMs)
        const start = () => {
          clearTimeout(timer)
          resolve()
        }
        const waiter = { isGone, start }
        waiting.set(merchantId, [...own, waiter])
        startNext()
      })
    },
    freePlace() {
      free += 1
      startNext()
    },
    freeMerchant(merchantId) {
      busy.delete(merchantId)
      startNext()
    },
    isWaiting: (merchantId) => waiting.has(merchantId),
  }
}
