import { type Ladder, MAX_STEP_MS } from '../../rails/following/follow-ladder.ts'
import { setting, WrongSettings, wholeNumber } from './setting-readers.ts'

const SECOND_MS = 1000
const LONGEST_STEP_SECONDS = MAX_STEP_MS / SECOND_MS
const MONTH_HOURS = 720
// With the random spread of a fifth, two questions stay two seconds apart.
const LEAST_STEP_SECONDS = 5
const MAX_FIRST_QUESTIONS = 50
const LADDER_FORM =
  'must be ages in seconds with commas between, then UNTIL:EVERY for each period and EVERY for ever, with semicolons between'

/** How live movements are followed until their operator has answered, and when a person hears of them (rails.md 4.1, 4.7). */
export const FOLLOW_SETTINGS = {
  followLadder: setting(
    'FOLLOW_LADDER',
    '5,10,15,20,30,45,60,90,120,180,240,300;900:120;86400:900;604800:3600;86400',
    'ages in seconds at which an operator is asked about a live movement; then UNTIL:EVERY for each period; then EVERY for ever',
    parseLadder,
  ),
  stuckHours: setting(
    'STUCK_HOURS',
    '6',
    'after so many hours without an answer of its operator a live movement is told as stuck',
    wholeNumber(1, MONTH_HOURS),
  ),
  unresolvedHours: setting(
    'UNRESOLVED_HOURS',
    '24',
    'after so many hours without an answer of its operator a live movement is a case for a person',
    wholeNumber(1, MONTH_HOURS),
  ),
}

/** Parses FOLLOW_LADDER. Throws WrongSettings that says what is wrong. */
export function parseLadder(text: string): Ladder {
  const parts = text.split(';').map((part) => part.trim())
  if (parts.length < 2 || !/^[0-9]+(?:,[0-9]+)*$/.test(parts[0] ?? '')) throw new WrongSettings(LADDER_FORM)
  const first = (parts[0] ?? '').split(',').map(Number)
  const steps = first.map((age, index) => age - (first[index - 1] ?? 0))
  if (first.length > MAX_FIRST_QUESTIONS || steps.some((step) => !isStep(step)))
    throw new WrongSettings(
      `must have at most ${MAX_FIRST_QUESTIONS} first ages, each ${LEAST_STEP_SECONDS} to ${LONGEST_STEP_SECONDS} later`,
    )
  const periods = parts.slice(1).map((part, index) => parseLadderPeriod(part, index === parts.length - 2))
  const ends = [first.at(-1) ?? 0, ...periods.map(({ until }) => until)]
  if (ends.some((end, index) => index > 0 && end <= (ends[index - 1] ?? 0)))
    throw new WrongSettings('must have periods that each end later than what stands before them')
  return {
    firstMs: first.map((seconds) => seconds * SECOND_MS),
    periods: periods.map(({ until, every }) => ({ untilAge: until * SECOND_MS, everyMs: every * SECOND_MS })),
  }
}

function parseLadderPeriod(part: string, isLast: boolean): { until: number; every: number } {
  const [, until, everyText] = /^(?:([0-9]+):)?([0-9]+)$/.exec(part) ?? []
  if (everyText === undefined || (until === undefined) !== isLast) throw new WrongSettings(LADDER_FORM)
  const every = Number(everyText)
  if (!isStep(every)) throw new WrongSettings(`must ask every ${LEAST_STEP_SECONDS} to ${LONGEST_STEP_SECONDS} seconds`)
  return { until: until === undefined ? Number.POSITIVE_INFINITY : Number(until), every }
}

const isStep = (seconds: number) => seconds >= LEAST_STEP_SECONDS && seconds <= LONGEST_STEP_SECONDS
