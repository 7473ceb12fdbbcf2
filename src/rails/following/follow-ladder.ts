/** At which ages a movement is asked about (rails.md 4.1): first at these ages, then in periods, the last of which never ends. */
export type Ladder = {
  firstMs: readonly number[]
  periods: readonly { untilAge: number; everyMs: number }[]
}

// Each step is shorter or longer by up to this share, so that a thousand movements of one moment are not asked about all at once.
const SPREAD_SHARE = 0.2

/** The longest step that a ladder may have, and the longest wait for a question that follows from it, in ms. */
export const MAX_STEP_MS = 86_400_000
export const MAX_WAIT_MS = MAX_STEP_MS * (1 + SPREAD_SHARE)

/**
 * Computes when to ask again about a movement whose submit ended at `fromMs`, in ms of the same clock. There is always a next
 * question: only the rail's own answer finishes a movement. `chance` spreads the steps by up to 20 % either way; a question that the
 * spread brought forward is not asked again at its own time.
 */
export function nextQuestionMs(
  { firstMs, periods }: Ladder,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
  chance: () => number = Math.random,
): number {
  // The clocks of two machines may disagree, but a submit does not end in the future.
  const endedMs = Math.min(fromMs, nowMs)
  const age = nowMs - endedMs
  const spread = SPREAD_SHARE * (2 * chance() - 1)
  for (const [index, questionAge] of firstMs.entries()) {
    const step = questionAge - (firstMs[index - 1] ?? 0)
    if (questionAge - SPREAD_SHARE * step > age) return endedMs + questionAge + spread * step
  }
  const period = periods.find(({ untilAge }) => age < untilAge) ?? periods.at(-1)
  return nowMs + (period?.everyMs ?? 0) * (1 + spread)
}

const THINNED_FIRST_MS = [30_000, 60_000, 120_000, 300_000]

/** Makes a ladder with fewer questions about young movements, for an installation whose callbacks come reliably. */
export const thinLadder = (ladder: Ladder): Ladder => ({ ...ladder, firstMs: THINNED_FIRST_MS })

/** From each age on, how far ahead the next question may be at most; everything else that sets it only brings it forward. */
export type LongestSteps = { agesMs: readonly number[]; stepsMs: readonly number[] }

// A question that the spread brought forward is not asked again at its own time, so a step may be half as long again; and a claim
// holds a movement for half a minute.
const SKIPPED_STEP_FACTOR = 1.5
const CLAIM_MARGIN_MS = 120_000

/** Computes the longest steps of a ladder and its thinner form together, with a margin. */
export function longestSteps(ladder: Ladder): LongestSteps {
  const ofFirst = [ladder.firstMs, THINNED_FIRST_MS].flatMap((ages) =>
    ages.map((age, index) => [ages[index - 1] ?? 0, age - (ages[index - 1] ?? 0)] as const),
  )
  const ofPeriods = ladder.periods.map(
    ({ everyMs }, index) => [ladder.periods[index - 1]?.untilAge ?? 0, everyMs] as const,
  )
  const steps = [...ofFirst, ...ofPeriods]
  return {
    agesMs: steps.map(([age]) => age),
    stepsMs: steps.map(([, step]) => step * SKIPPED_STEP_FACTOR + CLAIM_MARGIN_MS),
  }
}
