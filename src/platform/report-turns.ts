import { unavailable } from './refusal.ts'

/** Small ones are made within a moment; they never wait behind a large one. */
export type ReportSize = 'small' | 'large'

/** A place in which one report is made, and what its merchant holds until it has been sent. */
export type Turn = {
  /** It has been made: the place is free. A small one leaves its merchant free as well. */
  made(): void
  /** It has been sent, or given up. */
  sent(): void
}

export type Wanted = { merchantId: number; size: ReportSize; isGone?: () => boolean }
export type ReportTurns = {
  /** Waits for a place. Throws 503 when there was none in time, or when too many wait already. */
  enter(wanted: Wanted): Promise<Turn>
  /** Runs one small report in its turn. */
  small<T>(merchantId: number, work: () => Promise<T>): Promise<T>
}

type Limits = Readonly<Record<ReportSize, { places: number; waitMs: number }>>
type Waiter = { isGone: () => boolean; start(): void }

/** As many as the database has connections for reports (`openDatabase`). */
const LIMITS: Limits = { small: { places: 2, waitMs: 10_000 }, large: { places: 2, waitMs: 30_000 } }
const MOST_WAITING = 200
const MOST_OF_ONE = 20

/**
 * In whose turn reports are made: one of a merchant at a time in each size, the merchants one after the other. A large one
 * holds its merchant's turn until it has been sent, for until then it takes up room on the disk.
 */
export function reportTurns(limits: Limits = LIMITS): ReportTurns {
  const lanes = { small: openLane(limits.small), large: openLane(limits.large) }
  const enter = async ({ merchantId, size, isGone = () => false }: Wanted): Promise<Turn> => {
    const lane = lanes[size]
    await lane.wait(merchantId, isGone)
    const free = { place: once(() => lane.freePlace()), merchant: once(() => lane.freeMerchant(merchantId)) }
    return {
      made: () => {
        if (size === 'small') free.merchant()
        free.place()
      },
      sent: () => {
        free.place()
        free.merchant()
      },
    }
  }
  return {
    enter,
    small: async (merchantId, work) => {
      const turn = await enter({ merchantId, size: 'small' })
      try {
        return await work()
      } finally {
        turn.made()
      }
    },
  }
}

function openLane({ places, waitMs }: Limits[ReportSize]) {
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
  /** The merchant goes to the end of the line, with what else it waits for. */
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
    wait(merchantId: number, isGone: () => boolean): Promise<void> {
      const own = waiting.get(merchantId) ?? []
      if (own.length >= MOST_OF_ONE || countWaiting() >= MOST_WAITING) throw unavailable()
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
    freePlace(): void {
      free += 1
      startNext()
    },
    freeMerchant(merchantId: number): void {
      busy.delete(merchantId)
      startNext()
    },
  }
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
