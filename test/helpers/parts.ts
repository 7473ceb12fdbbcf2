import { test as run } from 'node:test'

// What this process runs: the tests of `npm test` (short), those of `npm run test:long` (long), or, where files are named, all.
// `scripts/long-tests.mjs` says which files have both kinds, and why some tests are long.
const part = process.env.TEST_PART ?? 'all'
const left = (() => {}) as unknown as typeof run

/** A test of `npm test`, in a file that has long ones too. */
export const test = part === 'long' ? left : run

/** A test of `npm run test:long`. */
export const longTest = part === 'short' ? left : run

/** One of many cases: those for which `short` holds stay in `npm test`. */
export const testFor = (short: boolean): typeof run => (short ? test : longTest)

/** How many runs, lines or rounds a test has that is in both. */
export const sized = (short: number, long: number): number => (part === 'short' ? short : long)

/** Of a walk over many things, those that this run looks at: the first ones in `npm test`, the others in `npm run test:long`. */
export function inThisRun<Thing>(
  things: readonly Thing[],
  isShort: (thing: Thing, nth: number) => boolean,
): Thing[] {
  if (part === 'all') return [...things]
  return things.filter((thing, nth) => isShort(thing, nth) === (part === 'short'))
}
