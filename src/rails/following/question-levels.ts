/**
 * The order of questions (rails.md 4.2): 0 a person waits for the answer, or it is the first question about a movement in doubt;
 * 1 the movement is younger than five minutes; 2 it is older; 3 reconciliation.
 */
export type QuestionLevel = 0 | 1 | 2 | 3

// A movement younger than this became due within this time too, so that young ones are found fast behind any number of old ones.
const YOUNG_SQL = `interval '5 minutes'`

/** The condition, in a statement whose $1 is now, that `row` became due so recently that it may be young or was hurried just now. */
export const recentlyDueSql = (row: string): string =>
  `${row}.follow_at <= $1 and ${row}.follow_at > $1::timestamptz - ${YOUNG_SQL}`

/** The condition that `row` is due and old. Every due row is old or recently due. */
export const oldAndDueSql = (row: string): string =>
  `${row}.follow_at <= $1 and ${row}.created_at <= $1::timestamptz - ${YOUNG_SQL}`

/** The level of a due row with its attempt `a`, as SQL. */
export const levelSql = (row: string): string =>
  `case when a.hurried or (a.state = 'in_doubt' and a.question_count = 0) then 0
     when ${row}.created_at > $1::timestamptz - ${YOUNG_SQL} then 1 else 2 end`

/** The order within a level, as SQL: a post left by a process that died comes last. */
export const orderWithinLevelSql = (row: string): string => `a.hurried, a.state = 'sending', ${row}.follow_at`

/**
 * Writes the statements about the due rows of a table whose rows are asked about in the order of their due times. `row` is the alias
 * of a row and `only` the condition for live ones; $1 is now.
 */
export function dueRowsSql(table: string, row: string, only: string) {
  const rows = `from ${table} ${row} join rail_attempts a on a.merchant_id = ${row}.merchant_id and a.subject = ${row}.id where ${only}`
  return {
    /** The levels at which something is due, for each of the installations $2. The inner order by keeps the server from reading every old open row. */
    levels: `select n.installation, array(
        select distinct ${levelSql(row)} ${rows} and ${recentlyDueSql(row)} and a.installation = n.installation
        union select 2 where (select true ${rows} and ${oldAndDueSql(row)} and a.installation = n.installation
          order by ${row}.follow_at limit 1)
        order by 1) as levels
      from unnest($2::text[]) as n (installation)`,
    /** Locks at most $2 rows of installation $4 and level $5, which comes before the old rows. */
    recent: `select ${row}.merchant_id, ${row}.id ${rows} and ${recentlyDueSql(row)} and a.installation = $4
       and ${levelSql(row)} = $5 order by ${orderWithinLevelSql(row)} limit $2 for no key update of ${row} skip locked`,
    /** Locks at most $2 old rows of installation $4. */
    old: `select ${row}.merchant_id, ${row}.id ${rows} and ${oldAndDueSql(row)} and a.installation = $4
       order by ${row}.follow_at limit $2 for no key update of ${row} skip locked`,
  }
}
