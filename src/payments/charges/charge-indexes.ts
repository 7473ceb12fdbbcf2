import { CHARGE_STATUSES, type ChargeStatus } from './charge.ts'

// Finished charges and open ones are in different indexes (decision 38), so a statement that looks for both scans both. These are the
// conditions of those scans over the charges `c` of a merchant.

/** The scan of finished charges. */
export const FINISHED_CHARGES = 'c.completed_at is not null'
/** The scan of open charges. Those that were taken back unseen are not among them. */
export const OPEN_CHARGES = 'c.follow_at is not null'

const OPEN_STATUSES: readonly ChargeStatus[] = ['pending', 'authorized']

/** Whether charges of this status are open. */
export const isOpenStatus = (status: string): boolean => OPEN_STATUSES.some((chargeStatus) => chargeStatus === status)

const statusScan = (status: ChargeStatus) =>
  `c.status = '${status}' and ${isOpenStatus(status) ? OPEN_CHARGES : FINISHED_CHARGES}`

/** One scan for each status, each in the order of time. */
export const STATUS_SCANS: readonly string[] = CHARGE_STATUSES.map(statusScan)

/** The same for several statuses with commas between, as `:status`. A scan of another status ends before it begins. */
export const SEVERAL_STATUS_SCANS: readonly string[] = CHARGE_STATUSES.map(
  (status) => `${statusScan(status)} and '${status}' = any(string_to_array(:status::text, ','))`,
)

/**
 * The scans for a search by phone, reference or email in `mode`, an SQL expression. There are so few open test charges that all of them are
 * scanned.
 */
export const detailScans = (mode: string): readonly string[] => [
  FINISHED_CHARGES,
  `${OPEN_CHARGES} and c.mode = 'live' and ${mode} = 'live'`,
  `${OPEN_CHARGES} and c.mode = 'test' and ${mode} = 'test' and c.status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`,
]
