const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// Ages of the questions of the first five minutes; after that a period for each age (rails.md 4.1).
const FIRST_QUESTIONS = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300].map((seconds) => seconds * SECOND)
const PERIODS = [
  { untilAge: 15 * MINUTE, everyMs: 2 * MINUTE },
  { untilAge: DAY, everyMs: 15 * MINUTE },
  { untilAge: 7 * DAY, everyMs: HOUR },
  { untilAge: Number.POSITIVE_INFINITY, everyMs: DAY },
]
// So that a thousand movements of the same moment are not asked about all at once.
const SPREAD = 0.2

/**
 * When to ask again about a movement whose submit ended at `fromMs`, in ms of the same clock. It never stops asking: only
 * the rail's own answer ends a movement. `chance` spreads the steps by up to 20 % either way; a question that the spread
 * brought forward is not asked again at its own time.
 */
export function nextQuestionMs(fromMs: number, nowMs: number, chance: () => number = Math.random): number {
  // Clocks of two machines may disagree: a submit does not end in the future.
  const endedMs = Math.min(fromMs, nowMs)
  const age = nowMs - endedMs
  const spread = SPREAD * (2 * chance() - 1)
  for (const [index, questionAge] of FIRST_QUESTIONS.entries()) {
    const step = questionAge - (FIRST_QUESTIONS[index - 1] ?? 0)
    if (questionAge - SPREAD * step > age) return endedMs + questionAge + spread * step
  }
  return nowMs + periodAt(age) * (1 + spread)
}

const periodAt = (age: number) => PERIODS.find(({ untilAge }) => age < untilAge)?.everyMs ?? DAY
