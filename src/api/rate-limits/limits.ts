import { Refusal } from '../../platform/refusal.ts'

/** Limits in requests a minute, by name; 0 switches one off (contract.md 2.1a). */
export type RateLimits = Readonly<Record<string, number>>

export const MINUTE_MS = 60_000

/**
 * What this process knows of a window, without asking anybody: the limit, how many requests more it takes (null before the process has seen
 * the window), and after how many ms it takes one more than that (null where nothing is counted, or not known when).
 */
export type WindowState = { limit: number; remaining: number | null; moreInMs: number | null }

/** A 429 that names the wait in whole seconds, at least one. */
export function tooManyRequests(retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new Refusal(429, 'rate_limited', `rate limit exceeded - retry in ${seconds} seconds`, {
    retryAfterSeconds: seconds,
  })
}
