// A delivery is in one of three indexes of the lists, after what it waits for (decision 38), so whatever looks for all of a merchant's
// deliveries `d` reads three.

/** Those without an address to be sent to. */
export const PARKED = "d.status = 'pending' and d.next_attempt_at is null"
/** Those that are due now or later; the database keeps that they are pending. */
export const WAITING = 'd.next_attempt_at is not null'
/** Those that were sent or given up. */
export const ENDED = "d.status <> 'pending'"

export const EVERYWHERE: readonly string[] = [ENDED, WAITING, PARKED]
