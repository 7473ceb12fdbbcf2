import type { App } from './app.ts'
import type { Place } from './http/frame.ts'
import type { Batch } from './platform/batch.ts'

type Lanes = Pick<Batch<unknown, unknown>, 'waiting' | 'idle' | 'onRun'>

/** The lanes in which work of this cell waits, by name. The metrics show each, and a stop waits for all. */
export const lanesOf = (app: App): Readonly<Record<string, Lanes>> => ({
  'create charges': app.chargeCreation,
  'move charges': app.chargeMoves,
  'create payouts': app.payoutCreation,
  'move payouts': app.payoutMoves,
  'refund charges': app.refunds,
  'pay links': app.paymentTurns,
  'claim charges': app.claimTurns,
})

/** What the frame needs from the cell that serves a request. */
export const placeIn = (app: App): Place<App> => ({
  app,
  windows: app.windows,
  exactWindows: app.exactWindows,
  expectedMs: (rate, caller) => expectedMs(app, rate, caller),
})

function expectedMs(app: App, rate: string, { merchantId }: { merchantId: number }): number {
  switch (rate) {
    case 'charges':
      return app.chargeCreation.expectedMs(merchantId)
    case 'payouts':
      return app.payoutCreation.expectedMs(merchantId)
    case 'refunds':
      return app.refunds.expectedMs(merchantId)
    case 'bulk_payouts':
      return app.db.expectedMs('out')
    case 'reads':
      return app.db.expectedMs('statement')
    default:
      return app.db.expectedMs('in')
  }
}

/**
 * Resolves when no lane of this cell has anything waiting or under way. Work of one lane may add work to another, so they
 * are checked in turn.
 */
export async function untilIdle(app: App): Promise<void> {
  const lanes = Object.values(lanesOf(app))
  const windows = Object.values(app.exactWindows)
  do {
    await Promise.all([...lanes, ...windows].map((one) => one.idle()))
  } while (lanes.some((one) => one.waiting() > 0))
}
