import { type Call, call } from '../../platform/db/database.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { LongestSteps } from './follow-ladder.ts'

/**
 * The condition, in a statement whose $1 is now and $2 and $3 the longest steps, that the next question about `row` is further ahead than its
 * age allows: it was set before the clock stepped back.
 */
export const isTooFarAheadSql = (row: string): string =>
  `${row}.follow_at > $1::timestamptz + (select max(s.step) * interval '1 millisecond' from unnest($2::float8[], $3::float8[]) s (age, step)
     where s.age <= greatest(0, extract(epoch from $1::timestamptz - ${row}.created_at) * 1000))`

/** Makes at most `limit` movements due now whose next question is too far ahead. Returns their ids. */
export const setBackTooFarAhead = (
  setBack: Statement<{ id: string }>,
  { now, steps, most }: { now: Date; steps: LongestSteps; most: number },
): Call<{ id: string }> => call(setBack, now.toISOString(), steps.agesMs, steps.stepsMs, most)
