// A delivery `d` stands in one of three indexes of the lists, by what it waits for (decision 38), so a statement for all deliveries of a
// merchant scans all three.

/** Condition for deliveries that wait because their merchant has no webhook address. */
export const IS_PARKED = "d.status = 'pending' and d.next_attempt_at is null"
/** Condition for deliveries that are due now or later; the database ensures that they are pending. */
export const IS_SCHEDULED = 'd.next_attempt_at is not null'
/** Condition for deliveries that were sent or given up. */
export const IS_FINISHED = "d.status <> 'pending'"

/** The conditions of all three indexes: together they match every delivery. */
export const ALL_INDEX_CONDITIONS: readonly string[] = [IS_FINISHED, IS_SCHEDULED, IS_PARKED]
