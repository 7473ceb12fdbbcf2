import { ConnectionError, GatewayError, ownFacts, StillOpenError } from './errors.ts'
import { pause } from './retry.ts'

export type WaitOptions = {
  /** How long to wait for the end, in milliseconds: two minutes where it is absent. */
  timeoutMs?: number | undefined
  /** Ends the waiting. */
  signal?: AbortSignal | undefined
}

type Payment = { id: string; status: string }

const PATIENCE_MS = 120_000
const FIRST_LOOK_MS = 500
const LONGEST_PAUSE_MS = 5000
// A state of a later day is no end: only these are.
const FINAL = ['succeeded', 'failed', 'refunded']

/**
 * Reads a payment until it has ended. One whose outcome is unclear stays open, however long that takes: only the operator's own word ends
 * it. Throws StillOpenError with the payment as it was read last when the time is over.
 */
export async function waitForEnd<Read extends Payment>(
  payment: string | Payment,
  read: (id: string) => Promise<Read>,
  { timeoutMs = PATIENCE_MS, signal }: WaitOptions = {},
): Promise<Read> {
  const id = typeof payment === 'string' ? payment : payment.id
  const until = Date.now() + timeoutMs
  let last: Read | Payment | undefined = typeof payment === 'string' ? undefined : payment
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 1.5, LONGEST_PAUSE_MS)) {
    try {
      const seen = await read(id)
      if (FINAL.includes(seen.status)) return seen
      last = seen
    } catch (error) {
      if (!isPassing(error) || Date.now() >= until) throw error
    }
    const left = until - Date.now()
    if (left <= 0) throw stillOpen(id, last, timeoutMs)
    await pause(Math.min(wait, left), signal)
  }
}

/** A service that is away for a moment says nothing about the payment. */
const isPassing = (error: unknown) =>
  error instanceof ConnectionError ||
  (error instanceof GatewayError && error.retry === 'same_key' && (error.status ?? 0) >= 429)

const stillOpen = (id: string, last: Payment | undefined, timeoutMs: number) =>
  new StillOpenError(
    `${id} is ${last?.status ?? 'not read'} after ${timeoutMs} ms; that is no failure: wait for its event, or read it later`,
    ownFacts('still_open'),
    last,
  )
