import { defineLane, type Lane } from './lane.ts'
import { merchantTurns } from './merchant-turns.ts'

/** Small ones are made within a moment; they never wait behind a large one. */
export type ReportSize = 'small' | 'large'

/** A place in which one report is made, and what its merchant holds until it has been sent. */
export type Turn = {
  /** The report has been written: its place is free, and for a small one its merchant too. */
  made(): void
  /** It has been sent, or given up. */
  sent(): void
}

export type Wanted = { merchantId: number; size: ReportSize; isGone?: () => boolean }
export type ReportTurns = Lane & {
  /** Waits for a place. Throws 503 when there was none in time, or when too many wait already. */
  enter(wanted: Wanted): Promise<Turn>
  /** Runs one small report in its turn. */
  small<T>(merchantId: number, work: () => Promise<T>): Promise<T>
}

type Limits = Readonly<Record<ReportSize, { places: number; waitMs: number }>>

/** As many as the database has connections for reports (`openDatabase`). */
const LIMITS: Limits = { small: { places: 2, waitMs: 10_000 }, large: { places: 2, waitMs: 30_000 } }
const MOST = { waiting: 200, ofOne: 20 }

/** The turns in which the reports of a cell are made. */
export const reportTurns = defineLane('reports', () => newReportTurns())

/**
 * Gives turns to reports: one report of a merchant at a time in each size, merchants in turn. A large one keeps its
 * merchant's turn until it has been sent, because until then it takes up disk space.
 */
export function newReportTurns(limits: Limits = LIMITS): ReportTurns {
  const lanes = {
    small: merchantTurns({ ...limits.small, most: MOST }),
    large: merchantTurns({ ...limits.large, most: MOST }),
  }
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
  const both = Object.values(lanes)
  return {
    waiting: () => both.reduce((sum, lane) => sum + lane.waiting(), 0),
    idle: async () => {
      await Promise.all(both.map((lane) => lane.idle()))
    },
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

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
