import { test as run } from 'node:test'

// What this process runs: the tests of `npm test` (short), those of `npm run test:long` (long), or, where files are named, all.
// `scripts/long-tests.mjs` says which files have both kinds, and why some tests are long.
const part = process.env.TEST_PART ?? 'all'
const left = (() => {}) as unknown as typeof run

/** A test of `npm test`, in a file that has long ones too. */
export const test = part === 'long' ? left : run

/** A test of `npm run test:long`. */
export const longTest = part === 'short' ? left : run

/** Leaves a test out on a cluster, which reports it with this reason (scripts/cluster-tests.mjs). */
export const notOnCluster = (why: string) => ({ skip: process.env.TEST_CITUS_URL ? why : false })

/** One of many cases: those for which `short` holds stay in `npm test`. */
export const testFor = (short: boolean): typeof run => (short ? test : longTest)

/** How many runs, lines or rounds a test has that is in both. */
export const sized = (short: number, long: number): number => (part === 'short' ? short : long)

/** Of the ways in which each thing of a walk is tried, those for its nth thing: so many, in turn, in `npm test`, and the others in the long run. */
export const inTurn = <Way>(ways: readonly Way[], nth: number, count = 1): Way[] =>
  inThisRun(ways, (_, way) => (way - nth * count + ways.length * (nth + 1) * count) % ways.length < count)

/** Of a walk over many things, those that this run looks at: the first ones in `npm test`, the others in `npm run test:long`. */
export function inThisRun<Thing>(things: readonly Thing[], isShort: (thing: Thing, nth: number) => boolean): Thing[] {
  if (part === 'all') return [...things]
  return things.filter((thing, nth) => isShort(thing, nth) === (part === 'short'))
}
