/** Random numbers from a seed, so that a run can be repeated. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  one<T>(choices: readonly T[]): T
}

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  // Mulberry32: 32 bits of state are enough to choose moments of kills.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    one: (choices) => choices[Math.floor(next() * choices.length)] as (typeof choices)[number],
  }
}
