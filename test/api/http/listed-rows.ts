import type { MovableClock } from '../../../src/platform/time/clock.ts'
import { stillClock } from '../rate-limits/still-clock.ts'

/** A row of a list that a test has made at a step of its own, the first step at FIRST_AT. */
type Row = { id: string; at: number }
type Created = [Record<string, string>, (row: Row) => boolean]

export const STEP_MS = 1500
export const FIRST_AT = stillClock().nowMs()
export const isoAt = (step: number) => new Date(FIRST_AT + step * STEP_MS).toISOString()

/** A clock that stands at the first step. */
export function clockAtFirst(): MovableClock {
  const clock = stillClock()
  clock.advance(FIRST_AT - clock.nowMs())
  return clock
}

/** The ids of the rows that a list must show: newest first, those of one moment by id. */
export const idsNewestFirst = <Listed extends Row>(rows: readonly Listed[], keep: (row: Listed) => boolean) =>
  rows
    .filter(keep)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)

/** Filters by the moment of creation, with the rows that they keep; the moments themselves are inside. */
export const CREATED: Created[] = [
  [{ created_after: isoAt(4) }, (row) => row.at >= FIRST_AT + 4 * STEP_MS],
  [{ created_before: isoAt(4) }, (row) => row.at <= FIRST_AT + 4 * STEP_MS],
  [
    { created_after: isoAt(3), created_before: isoAt(9) },
    ({ at }) => at >= Date.parse(isoAt(3)) && at <= Date.parse(isoAt(9)),
  ],
]
