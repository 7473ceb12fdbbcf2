/**
 * Who is asked about before whom (rails.md 4.2): 0 somebody waits for the answer, or the first question about a movement in
 * doubt; 1 younger than five minutes; 2 older; 3 reconciliation.
 */
export type QuestionLevel = 0 | 1 | 2 | 3

// A movement younger than this has become due no longer ago, so that the young ones are found behind any number of old ones.
const YOUNG = `interval '5 minutes'`

/** In a statement whose $1 is now: `row` has become due so recently that it may be young, or is one that was hurried just now. */
export const isRecentlyDue = (row: string): string =>
  `${row}.follow_at <= $1 and ${row}.follow_at > $1::timestamptz - ${YOUNG}`

/** Rows that are due and old. Every due row is old or recently due. */
export const isOldAndDue = (row: string): string =>
  `${row}.follow_at <= $1 and ${row}.created_at <= $1::timestamptz - ${YOUNG}`

/** The level of a due row with its attempt `a`. */
export const levelOf = (row: string): string =>
  `case when a.hurried or (a.state = 'in_doubt' and a.question_count = 0) then 0
     when ${row}.created_at > $1::timestamptz - ${YOUNG} then 1 else 2 end`

/** The order within a level: what a dead process left last. */
export const orderIn = (row: string): string => `a.hurried, a.state = 'sending', ${row}.follow_at`

/**
 * The statements about due rows of a table whose rows are asked about in the order of their due times. `row` names a row and
 * `only` says which are live; $1 is now.
 */
export function dueRowsOf(table: string, row: string, only: string) {
  const rows = `from ${table} ${row} join rail_attempts a on a.merchant_id = ${row}.merchant_id and a.subject = ${row}.id where ${only}`
  return {
    /** The levels at which something is due, for each of the contracts $2. Without its order the server reads every open row that is old. */
    look: `select n.installation, array(
        select distinct ${levelOf(row)} ${rows} and ${isRecentlyDue(row)} and a.installation = n.installation
        union select 2 where (select true ${rows} and ${isOldAndDue(row)} and a.installation = n.installation
          order by ${row}.follow_at limit 1)
        order by 1) as levels
      from unnest($2::text[]) as n (installation)`,
    /** Locks at most $2 rows of the contract $4 and a level before the old ones, $5. */
    recent: `select ${row}.merchant_id, ${row}.id ${rows} and ${isRecentlyDue(row)} and a.installation = $4
       and ${levelOf(row)} = $5 order by ${orderIn(row)} limit $2 for no key update of ${row} skip locked`,
    /** Locks at most $2 old rows of the contract $4. */
    old: `select ${row}.merchant_id, ${row}.id ${rows} and ${isOldAndDue(row)} and a.installation = $4
       order by ${row}.follow_at limit $2 for no key update of ${row} skip locked`,
  }
}
