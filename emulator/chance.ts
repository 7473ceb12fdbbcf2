/** Random numbers from 0 to 1 that a seed repeats. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A waiting time with this median, of which one in a hundred is as long as `p99`. */
export const spread = (chance: () => number, median: number, p99: number): number => {
  const tail = Math.log(p99 / median) / Math.log(50)
  return Math.round(median * (1 / (2 * Math.max(1 - chance(), 0.01))) ** Math.max(tail, 0.01))
}
