import { assert } from '../../platform/assert.ts'
import { oncePerCell } from '../../platform/batches/lane.ts'
import { mapValues } from '../../platform/map-values.ts'
import type { App } from '../../program/app.ts'
import type { TravellingNoun } from '../lock-movements.ts'

/** The places of questions under way about one noun. A place is free again when its operator has answered. */
export type QuestionPlaces = {
  free(): number
  freeFor(installation: string): number
  /** The installations that have used all their places. */
  full(): string[]
  /** Wakes the follower of the noun as soon as there are places for another claim. */
  wakeWhenFree(): void
  /** Calls the listener whenever a place may be free again: when an operator has answered, and when its answer is written. */
  onFree(listener: () => void): void
  /** `begin` calls `onAnswer` when the operator has answered, and resolves when the answer is written. */
  take(installation: string, begin: (onAnswer: () => void) => Promise<unknown>): void
  /** Resolves when the questions under way now are answered and written. */
  empty(): Promise<unknown>
}

const MAX_QUESTIONS_UNDER_WAY = 96
// Fewer than all places, so that an installation that does not answer leaves places for the others. As many as posts are under way by
// default: with fewer the ends fall behind the posts.
const MAX_QUESTIONS_PER_INSTALLATION = 64
const MAX_ROWS_PER_CLAIM = 8
// Answers that are being written hold no place, but their number is limited, so that a slow database slows the questions down.
const MAX_ANSWERS_BEING_WRITTEN = 200

/** The task that asks about the movements of each noun. Payouts are not here: their sender has calls of other kinds to count as well. */
const FOLLOWERS = { charge: 'follow-charges', 'top-up': 'follow-top-ups' } as const satisfies {
  [noun in TravellingNoun]?: Parameters<App['nudge']>[0]
}
const placesOfCell = oncePerCell((app) => mapValues(FOLLOWERS, (sweep) => openPlaces(() => app.nudge(sweep))))

/** Returns the places for questions about this noun, which its follower and the callbacks that this process hears share. */
export function questionPlaces(app: App, noun: TravellingNoun): QuestionPlaces {
  assert(noun !== 'payout', 'the sender of payouts counts its own questions')
  return placesOfCell(app)[noun]
}

function openPlaces(wake: () => void): QuestionPlaces {
  const asking = new Map<Promise<unknown>, string>()
  const working = new Set<Promise<unknown>>()
  const listeners: (() => void)[] = []
  let isAwaited = false

  const usedBy = (installation: string) => [...asking.values()].filter((id) => id === installation).length
  const free = () => {
    if (working.size - asking.size >= MAX_ANSWERS_BEING_WRITTEN) return 0
    return Math.max(0, Math.min(MAX_ROWS_PER_CLAIM, MAX_QUESTIONS_UNDER_WAY - asking.size))
  }
  return {
    free,
    freeFor: (installation) => Math.min(free(), MAX_QUESTIONS_PER_INSTALLATION - usedBy(installation)),
    full: () =>
      [...new Set(asking.values())].filter((id) => usedBy(id) > MAX_QUESTIONS_PER_INSTALLATION - MAX_ROWS_PER_CLAIM),
    wakeWhenFree: () => {
      isAwaited = true
    },
    onFree: (listener) => {
      listeners.push(listener)
    },
    take(installation, begin) {
      const onAnswer = () => {
        asking.delete(work)
        for (const listener of listeners) listener()
        if (!isAwaited || free() < MAX_ROWS_PER_CLAIM) return
        isAwaited = false
        wake()
      }
      const work = begin(onAnswer).finally(() => {
        working.delete(work)
        onAnswer()
      })
      asking.set(work, installation)
      working.add(work)
    },
    empty: () => Promise.all(working),
  }
}
