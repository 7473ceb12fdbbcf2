/** Stops this piece of work when something we hold for certain is not so. Stays on in production: stop rather than guess. */
export function assert(truth: unknown, sentence: string): asserts truth {
  if (!truth) throw new Error(`assertion failed: ${sentence}`)
}
