import type { DeliverySpeed, DueMerchant, SocketQuota } from './claim-deliveries.ts'

/** Sockets of one worker at each speed, so that receivers that answer do not wait for those that do not (reliability.md 7.2). */
export const SOCKETS_BY_SPEED = { fast: 512, slow: 128 } as const satisfies Record<DeliverySpeed, number>

const MIN_MERCHANT_SOCKETS = 4
const MAX_MERCHANT_SOCKETS = 16
const GOOD_ANSWERS_FOR_MAX = 20
const SOCKETS_KEPT_FOR_GOOD = SOCKETS_BY_SPEED.fast / 4
const GOOD_FOR_MS = 3_600_000
// A delivery that skips its claim leaves alone what is kept, so that deliveries that are claimed find places too.
const MAX_OWN_SOCKETS = SOCKETS_BY_SPEED.fast - SOCKETS_KEPT_FOR_GOOD

/** How a receiver has behaved lately. */
export type ReceiverBehaviour = Pick<DueMerchant, 'goodInARow' | 'lastSuccessAt'>

/** The attempts under way in this process, counted by speed and by merchant. */
type OpenAttempts = { lanes: Record<DeliverySpeed, number>; merchants: ReadonlyMap<number, number> }

/**
 * Allots the free sockets, to the merchant that waits longest first: 4 each, 16 for a receiver that has answered 20 times in a row
 * within a second, 1 for a slow receiver. A quarter of the fast sockets is kept for receivers that answered within the last hour. Later
 * attempts always run slow.
 */
export function allotSockets(due: readonly DueMerchant[], underWay: OpenAttempts, nowMs: number): SocketQuota[] {
  const free = {
    fast: SOCKETS_BY_SPEED.fast - underWay.lanes.fast,
    slow: SOCKETS_BY_SPEED.slow - underWay.lanes.slow,
  }
  const quotas: SocketQuota[] = []
  const allot = (
    merchant: DueMerchant,
    lane: DeliverySpeed,
    { sockets, which }: { sockets: number; which: SocketQuota['which'] },
  ) => {
    const take = Math.min(sockets - (underWay.merchants.get(merchant.merchantId) ?? 0), free[lane])
    if (take <= 0) return
    free[lane] -= take
    quotas.push({ merchantId: merchant.merchantId, lane, take, which })
  }
  for (const merchant of due) {
    if (merchant.lane === 'slow') allot(merchant, 'slow', { sockets: 1, which: 'any' })
    else {
      if (free.fast > SOCKETS_KEPT_FOR_GOOD || hasAnsweredLately(merchant, nowMs))
        allot(merchant, 'fast', { sockets: socketsOf(merchant), which: 'first' })
      allot(merchant, 'slow', { sockets: socketsOf(merchant), which: 'retries' })
    }
    if (free.fast <= 0 && free.slow <= 0) break
  }
  return quotas
}

const socketsOf = ({ goodInARow }: Pick<ReceiverBehaviour, 'goodInARow'>) =>
  goodInARow >= GOOD_ANSWERS_FOR_MAX ? MAX_MERCHANT_SOCKETS : MIN_MERCHANT_SOCKETS

/** Whether the receiver has answered well within the last hour. */
export const hasAnsweredLately = ({ lastSuccessAt }: Pick<ReceiverBehaviour, 'lastSuccessAt'>, nowMs: number) =>
  lastSuccessAt !== null && nowMs - lastSuccessAt.getTime() < GOOD_FOR_MS

type TakenSocket = { lane: DeliverySpeed; merchantId: number }
type SocketWaits = { isWaiting(merchantId: number): boolean; wake(): void }

/**
 * Counts the sockets of this process. `wake` is called when a merchant with several under way, of whom something waits, has one free, and
 * when the fast lane was crowded: then there is more to send.
 */
export function newSockets({ isWaiting, wake }: SocketWaits) {
  const lanes: Record<DeliverySpeed, number> = { fast: 0, slow: 0 }
  const merchants = new Map<number, number>()
  const underWay = (merchantId: number) => merchants.get(merchantId) ?? 0
  const count = ({ lane, merchantId }: TakenSocket, by: 1 | -1): void => {
    lanes[lane] += by
    const now = underWay(merchantId) + by
    if (now === 0) merchants.delete(merchantId)
    else merchants.set(merchantId, now)
  }
  let promised = 0
  return {
    lanes,
    merchants,
    /** Whether a delivery to this receiver that skips its claim finds a fast socket. */
    hasRoomForOwn: (merchantId: number, receiver: Pick<ReceiverBehaviour, 'goodInARow'>): boolean =>
      lanes.fast + promised < MAX_OWN_SOCKETS && underWay(merchantId) < socketsOf(receiver),
    /** Counts the fast sockets of a claim that is under way, until the function that it returns is called. */
    promise(quotas: readonly SocketQuota[]): () => void {
      const fast = quotas.reduce((sum, { lane, take }) => sum + (lane === 'fast' ? take : 0), 0)
      promised += fast
      return () => {
        promised -= fast
      }
    },
    takeSocket(taken: TakenSocket): WebhookSocket {
      count(taken, 1)
      let isFree = false
      return {
        free() {
          if (isFree) return
          isFree = true
          const { merchantId } = taken
          const isWanted =
            lanes.fast >= MAX_OWN_SOCKETS || (underWay(merchantId) >= MIN_MERCHANT_SOCKETS && isWaiting(merchantId))
          count(taken, -1)
          if (isWanted) wake()
        },
      }
    },
  }
}

/** A socket that is counted as taken until it is freed; freeing it twice does nothing. */
export type WebhookSocket = { free(): void }
