import type { Chance } from '../crash/chance.ts'
import type { Role } from './fleet.ts'

/** How often each kind of trouble comes. */
export type TroubleCounts = {
  kills: number
  /** A process sleeps past its leases and the deadlines of its posts. */
  sleeps: number
  /** The clock of one process is wrong for a while. */
  clocks: number
  /** Somebody imports the operator's own list of one wallet. */
  statements: number
}
export const TROUBLE_KINDS = ['kills', 'sleeps', 'clocks', 'statements'] as const satisfies (keyof TroubleCounts)[]
export type Trouble =
  | { kind: 'kill'; role: Role }
  /** `at`: the point at which it falls asleep; null: wherever it is. */
  | { kind: 'sleep'; role: Role; at: string | null; forMs: number }
  | { kind: 'wrong clock'; role: Role; byMs: number }
  | { kind: 'statement'; contract: 0 | 1; side: Side }
  | { kind: 'switch' }
export type Side = 'collection' | 'disbursement'
export const SIDES = ['collection', 'disbursement'] as const
/** A trouble, and how many requests are left to be answered when it comes. */
export type Planned = { trouble: Trouble; left: number }

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
// The web process falls asleep between the commit that marks a post and the post; the worker wherever it is.
const SLEEPS = [35 * SECOND, 2 * MINUTE, HOUR].flatMap((forMs): Trouble[] => [
  { kind: 'sleep', role: 'web', at: 'charge.stored', forMs },
  { kind: 'sleep', role: 'worker', at: null, forMs },
  { kind: 'sleep', role: 'web', at: 'payout.reserved', forMs },
  { kind: 'sleep', role: 'web', at: null, forMs },
])
const WRONG_CLOCKS = [5 * SECOND, MINUTE, HOUR, 24 * HOUR].flatMap((byMs) =>
  (['worker', 'web'] as const).flatMap((role): Trouble[] => [
    { kind: 'wrong clock', role, byMs },
    { kind: 'wrong clock', role, byMs: -byMs },
  ]),
)
const STATEMENTS = ([0, 1] as const).flatMap((contract) =>
  SIDES.map((side): Trouble => ({ kind: 'statement', contract, side })),
)
const KILLS = (['web', 'worker'] as const).map((role): Trouble => ({ kind: 'kill', role }))

/** All troubles of a run of so many requests, in their order; the same chance draws the same. The contract is switched in the middle. */
export function drawTroubles(requests: number, counts: TroubleCounts, chance: Chance): Planned[] {
  const drawn = mixed(
    [
      ...someOf(KILLS, counts.kills, chance),
      ...someOf(SLEEPS, counts.sleeps, chance),
      ...someOf(WRONG_CLOCKS, counts.clocks, chance),
      ...someOf(STATEMENTS, counts.statements, chance),
    ],
    chance,
  )
  // One in each part of the run, so that there are requests under way at every one.
  const spread = drawn.map((trouble, nth) => {
    const gone = (nth + chance.next()) / drawn.length
    return { trouble, left: Math.floor(requests * (1 - gone)) }
  })
  const middle: Planned = { trouble: { kind: 'switch' }, left: Math.floor(requests / 2) }
  return [...spread, middle].sort((a, b) => b.left - a.left)
}

/** Every kind comes once before one comes again. */
function someOf(kinds: readonly Trouble[], count: number, chance: Chance): Trouble[] {
  const some: Trouble[] = []
  while (some.length < count) some.push(...mixed(kinds, chance))
  return some.slice(0, count)
}

const mixed = (troubles: readonly Trouble[], chance: Chance): Trouble[] =>
  troubles
    .map((trouble) => ({ trouble, at: chance.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ trouble }) => trouble)

/** A trouble in words, for the log of a run. */
export function wordsFor(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'kill':
      return `kill -9 of the ${trouble.role}`
    case 'sleep':
      return `the ${trouble.role} sleeps ${trouble.forMs / SECOND} s ${trouble.at === null ? '' : `at ${trouble.at}`}`
    case 'wrong clock':
      return `the clock of the ${trouble.role} is wrong by ${trouble.byMs / SECOND} s`
    case 'statement':
      return `the list of contract-${trouble.contract} ${trouble.side} is imported`
    case 'switch':
      return 'the other contract takes new payments'
  }
}
