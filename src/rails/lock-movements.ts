import { numberColumn, textColumn } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { type Statement, statement } from '../platform/db/statement.ts'
import { mapValues } from '../platform/map-values.ts'
import { ATTEMPT_FACTS, type AttemptFacts } from './attempt-facts.ts'

/** A live movement whose row and attempt this transaction has locked. */
export type LockedMovement<Failure extends string> = AttemptFacts<Failure> & {
  id: string
  /** Neither finished nor taken back. */
  open: boolean
  voided: boolean
}

/** The movements that travel over a rail, and their tables. */
export const MOVEMENT_TABLES = { charge: 'charges', payout: 'payouts', 'top-up': 'top_ups' } as const
export type TravellingNoun = keyof typeof MOVEMENT_TABLES
/** The nouns in the order in which a transaction locks their movements. */
export const TRAVELLING_NOUNS = ['charge', 'payout', 'top-up'] as const satisfies TravellingNoun[]

const LOCK_MOVEMENTS: Record<TravellingNoun, Statement> = mapValues(MOVEMENT_TABLES, (table) =>
  statement(
    `lock ${table} with attempts`,
    `select m.id, m.voided_at is not null as voided, m.status in ('pending', 'authorized') and m.voided_at is null as open,
     ${ATTEMPT_FACTS}
   from ${table} m join rail_attempts a on a.merchant_id = m.merchant_id and a.subject = m.id
   where (m.merchant_id, m.id) in (select * from unnest($1::bigint[], $2::text[]))
   order by m.merchant_id, m.id for no key update of m, a`,
  ),
)

/**
 * Locks live movements with their attempts, movements first. Posts and answers are decided on these locked rows. Everything
 * else (stops, heads, keys) is locked after them.
 */
export const lockMovements = <Failure extends string>(
  noun: TravellingNoun,
  movements: readonly { merchantId: number; id: string }[],
): Call<LockedMovement<Failure>> =>
  call(
    LOCK_MOVEMENTS[noun] as Statement<LockedMovement<Failure>>, // The columns are those of the type; the reasons are its side's.
    numberColumn(movements.map((movement) => movement.merchantId)),
    textColumn(movements.map((movement) => movement.id)),
  )

/**
 * Makes the condition on a locked movement for an answer to the post with this number. It fails when a later post was sent. For a
 * finished movement it holds, so that the mover compares the two outcomes.
 */
export const holdsForPost =
  <Failure extends string>(nth: number, holds: (attempt: AttemptFacts) => boolean) =>
  (locked: LockedMovement<Failure>): boolean =>
    locked.nth === nth && (!locked.open || holds(locked))
