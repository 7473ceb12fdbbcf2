import type { DueMerchant, Lane, Share } from './claim-deliveries.ts'

/** Sockets of one worker at each speed, so that receivers that answer do not wait for those that do not (reliability.md 7.2). */
export const SOCKETS = { fast: 512, slow: 128 } as const satisfies Record<Lane, number>

const FEWEST_PLACES = 4
const MOST_PLACES = 16
const GROWS_AFTER = 20
const KEPT_FOR_GOOD_ONES = SOCKETS.fast / 4
const GOOD_FOR_MS = 3_600_000

/** The attempts under way in this process, counted by speed and by merchant. */
type UnderWay = { lanes: Record<Lane, number>; merchants: ReadonlyMap<number, number> }

/**
 * Allots the free sockets, to the merchant that waits longest first: 4 each, 16 for a receiver that has answered 20 times in a row
 * within a second, 1 for a slow receiver. A quarter of the fast sockets is kept for receivers that answered within the last hour. Later
 * attempts always run slow.
 */
export function shareOut(due: readonly DueMerchant[], underWay: UnderWay, nowMs: number): Share[] {
  const free = { fast: SOCKETS.fast - underWay.lanes.fast, slow: SOCKETS.slow - underWay.lanes.slow }
  const quotas: Share[] = []
  const allot = (
    merchant: DueMerchant,
    lane: Lane,
    { sockets, which }: { sockets: number; which: Share['which'] },
  ) => {
    const take = Math.min(sockets - (underWay.merchants.get(merchant.merchantId) ?? 0), free[lane])
    if (take <= 0) return
    free[lane] -= take
    quotas.push({ merchantId: merchant.merchantId, lane, take, which })
  }
  for (const merchant of due) {
    if (merchant.lane === 'slow') allot(merchant, 'slow', { sockets: 1, which: 'any' })
    else {
      if (free.fast > KEPT_FOR_GOOD_ONES || isGood(merchant, nowMs))
        allot(merchant, 'fast', { sockets: placesOf(merchant), which: 'first' })
      allot(merchant, 'slow', { sockets: placesOf(merchant), which: 'retries' })
    }
    if (free.fast <= 0 && free.slow <= 0) break
  }
  return quotas
}

const placesOf = (merchant: DueMerchant) => (merchant.goodInARow >= GROWS_AFTER ? MOST_PLACES : FEWEST_PLACES)

const isGood = ({ lastSuccessAt }: DueMerchant, nowMs: number) =>
  lastSuccessAt !== null && nowMs - lastSuccessAt.getTime() < GOOD_FOR_MS
