import type { Client, RequestOptions } from './client.ts'
import { ConnectionError, GatewayError, RateLimitError, ServiceError } from './errors.ts'
import { asNumbered, type EventName, type EventOf } from './events.ts'
import { pullEvents } from './generated/sdk.gen.ts'
import { delayBefore, pause } from './retry.ts'

export type StreamOptions<Name extends EventName = EventName> = {
  /** Only these events. What `test.sendEvent` has sent counts as `test.ping` here, whatever its name. */
  event?: readonly Name[] | undefined
  /** How long a question waits for something new, 0 to 25 seconds: 25 where it is absent. */
  waitSeconds?: number | undefined
  /** How many events a question brings, 1 to 100: 100 where it is absent. */
  limit?: number | undefined
  /** Ends the stream: the loop throws its reason. */
  signal?: AbortSignal | undefined
}

export type StreamItem<Name extends EventName = EventName> = {
  event: EventOf<Name>
  /** Keep it when you have done what the event asks for, and begin with it the next time. */
  cursor: string
  sequence: number
}

const LONGEST_WAIT_S = 25
const MOST_ROWS = 100
const LONGEST_OUTAGE_EXPONENT = 5
/** As a cursor: what comes from now on. */
const LATEST = 'latest'

/** Events in their order, from behind `cursor` on, and then as they come. It never ends by itself. */
export class EventStream<Name extends EventName = EventName> implements AsyncIterable<StreamItem<Name>> {
  readonly #client: Client
  readonly #options: StreamOptions<Name>
  readonly #timeoutMs: number
  #cursor: string | undefined

  constructor(client: Client, cursor: string | undefined, options: StreamOptions<Name>, timeoutMs: number) {
    this.#client = client
    this.#cursor = cursor
    this.#options = options
    this.#timeoutMs = timeoutMs
  }

  /** Where the stream stands: behind the event that was given last, and behind others that you have not asked for. */
  get cursor(): string | undefined {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamItem<Name>, void, undefined> {
    let failures = 0
    let heard = false
    for (;;) {
      try {
        const page = await this.#ask()
        heard = true
        failures = 0
        for (const row of page.data) {
          const { sequence, envelope } = asNumbered(row)
          this.#cursor = String(sequence)
          yield { event: envelope as EventOf<Name>, cursor: this.#cursor, sequence: sequence as number } // A list numbers every row.
        }
        this.#cursor = page.next_cursor
      } catch (error) {
        // A wrong address or key shows at once. Later the stream outlives what passes.
        if (!heard || !isPassing(error)) throw error
        await pause(
          delayBefore(Math.min(failures, LONGEST_OUTAGE_EXPONENT), undefined, Math.random()) ?? 0,
          this.#options.signal,
        )
        failures += 1
      }
    }
  }

  #ask() {
    const { event, limit = MOST_ROWS, signal } = this.#options
    // A question that waits and is asked again would begin anew, behind what has come meanwhile: the first answer gives the number.
    const waitSeconds = this.#cursor === LATEST ? 0 : (this.#options.waitSeconds ?? LONGEST_WAIT_S)
    const call: RequestOptions = { timeoutMs: waitSeconds * 1000 + this.#timeoutMs, ...(signal ? { signal } : {}) }
    const query = {
      limit,
      wait: waitSeconds,
      ...(this.#cursor === undefined ? {} : { starting_after: this.#cursor }),
      ...(event === undefined ? {} : { event: [...event] }),
    }
    return pullEvents({ client: this.#client, query, call })
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof GatewayError &&
  (error instanceof ConnectionError || error instanceof ServiceError || error instanceof RateLimitError)
