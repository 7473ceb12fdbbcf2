import { Refusal } from '../refusal.ts'

type Mode = 'test' | 'live'

/** A limit a minute; 0 switches it off (contract.md 2.1a). */
export type Limits = Readonly<Record<string, number>>

const WINDOW_MS = 60_000

/** 429 with the wait in whole seconds, at least one. */
export function tooMany(retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new Refusal(429, 'rate_limited', `rate limit exceeded - retry in ${seconds} seconds`, {
    retryAfterSeconds: seconds,
  })
}

export const windowKey = (merchantId: number, mode: Mode, what: string) => `${merchantId} ${mode} ${what}`

/** Of the times given (ms, oldest first) those inside the window that ends now, a minute unless said. */
export function withinWindow(
  acceptedMs: readonly number[],
  nowMs: number,
  windowMs: number = WINDOW_MS,
): number[] {
  const from = acceptedMs.findIndex((ms) => ms > nowMs - windowMs)
  return from === -1 ? [] : acceptedMs.slice(from)
}

/** How long until one more fits, in ms; 0 when it fits now. */
export function waitForPlace(acceptedMs: readonly number[], limit: number, nowMs: number): number {
  if (limit === 0 || acceptedMs.length < limit) return 0
  const leaving = acceptedMs[acceptedMs.length - limit] as number
  return Math.max(0, leaving + WINDOW_MS - nowMs)
}
