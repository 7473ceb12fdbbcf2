import { isInFlight } from './error-codes.ts'
import { ConnectionError, type GatewayError } from './errors.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 8000
/** Who is told to wait longer than this is told so instead: a caller of ours may itself be waited for. */
const LONGEST_RETRY_AFTER_S = 30
const SPREAD_MS = 1000
const IN_FLIGHT_DELAY_MS = 250
const LONGEST_IN_FLIGHT_DELAY_MS = 2000

// 501 and 505 do not pass.
const PASSING = [429, 500, 502, 503, 504]

/** Whether the same request may be sent again, and will perhaps be answered otherwise. Each request may: see transport.ts. */
export const mayPass = (error: GatewayError): boolean =>
  error instanceof ConnectionError || PASSING.includes(error.status ?? 0)

/** Whether the first request with this key is still under way, so that its answer can be waited for. */
export const isUnderWay = (error: GatewayError): boolean => isInFlight(error.code, error.message)

/**
 * How long to wait before attempt `retries + 2`, in milliseconds: what the service asks for and a little more, so that not all who were
 * refused come back at once, else twice as long each time. Null: longer than anybody should be kept waiting.
 */
export function delayBefore(retries: number, retryAfterSeconds: number | undefined, chance: number): number | null {
  if (retryAfterSeconds === undefined)
    return Math.min(FIRST_DELAY_MS * 2 ** retries, LONGEST_DELAY_MS) * (0.5 + chance / 2)
  if (retryAfterSeconds > LONGEST_RETRY_AFTER_S) return null
  return retryAfterSeconds * 1000 + chance * SPREAD_MS
}

/** How long to wait for the answer of a request that is under way. */
export const delayInFlight = (retries: number, chance: number): number =>
  Math.min(IN_FLIGHT_DELAY_MS * 2 ** retries, LONGEST_IN_FLIGHT_DELAY_MS) * (0.5 + chance / 2)

/** Waits so long. Throws the reason of the signal where that ends it. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
