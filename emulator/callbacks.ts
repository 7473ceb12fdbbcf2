import { Agent, request } from 'undici'
import type { Transaction } from './book.ts'
import type { Clock } from './clock.ts'
import { presentCallback } from './present.ts'
import type { Calls } from './rules.ts'

/** One callback that was sent: its answer, or 0 when there was none. */
export type Sent = { reference: string; url: string; method: string; at: number; status: number }

const TIMEOUT_MS = 2000
const MOST_AT_ONCE = 64
const MOST_SENT = 20_000
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export type Retries = 'none' | 'short' | 'long'
const SHORT = Array.from({ length: 20 }, () => SECOND)
const LADDERS: Record<Retries, readonly number[]> = {
  none: [],
  short: SHORT,
  long: [...SHORT, ...Array.from({ length: 30 }, () => 2 * MINUTE), ...Array.from({ length: 48 }, () => HOUR)],
}

/** Calls back, at most so many at once; the others wait their turn. */
export class Callbacks {
  /** The latest of them, and how many there were in all. */
  readonly sent: Sent[] = []
  total = 0
  readonly #retries: Retries
  readonly #clock: Clock
  readonly #agent = new Agent({
    connections: MOST_AT_ONCE,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  readonly #running = new Set<Promise<void>>()
  #active = 0
  readonly #waiting: (() => void)[] = []

  constructor(clock: Clock, retries: Retries) {
    this.#retries = retries
    this.#clock = clock
  }

  /** As a rule says, counted from now. Resolves when those without a delay were answered. */
  plan(transaction: Transaction, calls: Calls): Promise<void> {
    const { callbackUrl } = transaction
    if (callbackUrl === null) return Promise.resolve()
    const { afterMs = 0, times = 1, gapMs = 0 } = calls
    const now: Promise<void>[] = []
    for (let nth = 0; nth < times; nth += 1) {
      const wait = afterMs + nth * gapMs
      const call = () => this.send(transaction, calls)
      if (wait === 0) now.push(call())
      else this.#clock.after(wait, call)
    }
    return Promise.all(now).then(() => {})
  }

  send(transaction: Transaction, calls: Calls, tried = 0): Promise<void> {
    const work = this.#send(transaction, calls, tried).finally(() => this.#running.delete(work))
    this.#running.add(work)
    return work
  }

  async #send(transaction: Transaction, calls: Calls, tried: number): Promise<void> {
    const url = urlFor(transaction, calls)
    if (url === null) return
    await this.#enter()
    const { method = 'POST' } = calls
    const body = JSON.stringify(presentCallback(transaction, calls))
    const headers = { 'content-type': 'application/json', 'user-agent': 'LWAC Http Client 1.0' }
    const status = await request(url, { method, headers, body, dispatcher: this.#agent })
      .then(async (answer) => {
        await answer.body.dump()
        return answer.statusCode
      })
      .catch(() => 0)
      .finally(() => this.#leave())
    if (this.sent.length >= MOST_SENT) this.sent.splice(0, MOST_SENT / 2)
    this.total += 1
    this.sent.push({ reference: transaction.reference, url, method, at: this.#clock.nowMs(), status })
    const wait = LADDERS[this.#retries][tried]
    if (status !== 200 && wait !== undefined) this.#clock.after(wait, () => this.send(transaction, calls, tried + 1))
  }

  async #enter(): Promise<void> {
    if (this.#active >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#active += 1
  }

  #leave(): void {
    this.#active -= 1
    this.#waiting.shift()?.()
  }

  clear(): void {
    this.sent.length = 0
    this.total = 0
  }

  /** Until none is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

/** A stranger's callback goes to the same address with a token of its own. */
function urlFor({ callbackUrl }: Transaction, { stranger }: Calls): string | null {
  if (callbackUrl === null || stranger !== true) return callbackUrl
  const at = callbackUrl.lastIndexOf('/')
  return `${callbackUrl.slice(0, at + 1)}${'x'.repeat(callbackUrl.length - at - 1)}`
}
