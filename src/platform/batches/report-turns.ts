import { defineLane, type Lane } from './lane.ts'
import { newMerchantTurns } from './merchant-turns.ts'

/** Small reports are made within a moment, and never wait behind a large one. */
export type ReportSize = 'small' | 'large'

/** The slot in which one report is made, and the turn of its merchant. */
export type ReportTurn = {
  /** Called when the report has been written: frees its slot, and for a small report its merchant's turn too. */
  markMade(): void
  /** Called when the report has been sent or given up: frees slot and turn. */
  markSent(): void
}

type ReportTurnInput = { merchantId: number; size: ReportSize; isGone?: () => boolean }
type ReportTurns = Lane & {
  /** Waits for a slot and the merchant's turn. Throws 503 when that takes too long, or when too many wait already. */
  enter(report: ReportTurnInput): Promise<ReportTurn>
  /** Makes one small report in its turn. */
  small<T>(merchantId: number, work: () => Promise<T>): Promise<T>
}

type ReportLimits = Readonly<Record<ReportSize, { places: number; waitMs: number }>>

/** As many slots as the database has connections for reports (`openDatabase`). */
const LIMITS: ReportLimits = { small: { places: 2, waitMs: 10_000 }, large: { places: 2, waitMs: 30_000 } }
const MAX_WAITING = { waiting: 200, ofOne: 20 }

/** The turns in which the reports of a cell are made. */
export const reportTurns = defineLane('reports', () => newReportTurns())

/**
 * Gives turns to reports: one report of a merchant at a time in each size, merchants in turn. A large report keeps its merchant's turn
 * until it has been sent, because until then it takes up disk space.
 */
export function newReportTurns(limits: ReportLimits = LIMITS): ReportTurns {
  const turns = {
    small: newMerchantTurns({ ...limits.small, most: MAX_WAITING }),
    large: newMerchantTurns({ ...limits.large, most: MAX_WAITING }),
  }
  const enter = async ({ merchantId, size, isGone = () => false }: ReportTurnInput): Promise<ReportTurn> => {
    const ofSize = turns[size]
    await ofSize.wait(merchantId, isGone)
    const free = { slot: once(() => ofSize.freeSlot()), turn: once(() => ofSize.freeMerchant(merchantId)) }
    return {
      markMade: () => {
        if (size === 'small') free.turn()
        free.slot()
      },
      markSent: () => {
        free.slot()
        free.turn()
      },
    }
  }
  const both = Object.values(turns)
  return {
    waiting: () => both.reduce((sum, ofSize) => sum + ofSize.waiting(), 0),
    idle: async () => {
      await Promise.all(both.map((ofSize) => ofSize.idle()))
    },
    enter,
    small: async (merchantId, work) => {
      const turn = await enter({ merchantId, size: 'small' })
      try {
        return await work()
      } finally {
        turn.markMade()
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
