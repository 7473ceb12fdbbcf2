/**
 * Throws when something that must be true is not. It stays on in production: stopping this piece of work is better than
 * guessing.
 */
export function assert(truth: unknown, sentence: string): asserts truth {
  if (!truth) throw new Error(`assertion failed: ${sentence}`)
}
