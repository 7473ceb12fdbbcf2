import { CHARGE_STATUSES, type ChargeStatus } from './charge.ts'

// Charges that have ended and open ones are in different indexes (decision 38), so whatever looks for both reads both: the conditions of a
// merchant's charges `c`.

/** Charges that have ended. */
export const ENDED = 'c.completed_at is not null'
/** Open charges; those that were taken back unseen are not among them. */
export const OPEN = 'c.follow_at is not null'

const OPEN_STATUSES: readonly ChargeStatus[] = ['pending', 'authorized']

/** Whether charges of this status are open. */
export const isOpenStatus = (status: string): boolean =>
  OPEN_STATUSES.some((chargeStatus) => chargeStatus === status)

/** Each status with its place, so that a scan of each is in the order of time. */
export const BY_STATUS: readonly string[] = CHARGE_STATUSES.map(
  (status) => `c.status = '${status}' and ${isOpenStatus(status) ? OPEN : ENDED}`,
)

/**
 * All places for whoever looks by phone, reference or email in this mode, an SQL expression. Of open test charges there are so few that all of
 * them are looked at.
 */
export const byDetail = (mode: string): readonly string[] => [
  ENDED,
  `${OPEN} and c.mode = 'live' and ${mode} = 'live'`,
  `${OPEN} and c.mode = 'test' and ${mode} = 'test' and c.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`,
]
