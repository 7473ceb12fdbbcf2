// A delivery `d` stands in one of three indexes of the lists, by what it waits for (decision 38), so a statement for all deliveries of a
// merchant scans all three.

/** Condition for deliveries that wait because their merchant has no webhook address. */
export const PARKED = "d.status = 'pending' and d.next_attempt_at is null"
/** Condition for deliveries that are due now or later; the database ensures that they are pending. */
export const WAITING = 'd.next_attempt_at is not null'
/** Condition for deliveries that were sent or given up. */
export const ENDED = "d.status <> 'pending'"

/** The conditions of all three indexes: together they match every delivery. */
export const EVERYWHERE: readonly string[] = [ENDED, WAITING, PARKED]
