import type { Client, RequestOptions, WithResponse } from '../client.ts'
import { EventStream, type StreamOptions } from '../event-stream.ts'
import { asNumbered, type EventName, type NumberedEvent } from '../events.ts'
import { getEvent, listWebhookDeliveries, pullEvents, resendWebhook } from '../generated/sdk.gen.ts'
import type { ListWebhookDeliveriesData, PullEventsData, StreamedEventList } from '../generated/types.gen.ts'
import { List } from '../pages.ts'
import { verifyWebhook } from '../webhooks-verify.ts'

type EventPage = Omit<StreamedEventList, 'data'> & { data: NumberedEvent[] }

/** What has happened, oldest first. */
export class Events {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** What there is now; `webhooks.events` goes on with what comes. */
  list(query: NonNullable<PullEventsData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => {
      const pulled: unknown = pullEvents({ client: this.#client, query: page, call: options })
      return pulled as Promise<WithResponse<EventPage>> // See asNumbered.
    }
    return new List(load, query)
  }

  async retrieve(id: string, options?: RequestOptions) {
    return asNumbered(await getEvent({ client: this.#client, path: { id }, call: options }))
  }
}

/** What was posted to your address. */
export class Deliveries {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  list(query: NonNullable<ListWebhookDeliveriesData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listWebhookDeliveries({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }

  /** Posts an event once more, to the address of today. */
  resend(event: string, options?: RequestOptions) {
    return resendWebhook({ client: this.#client, path: { event_id: event }, call: options })
  }
}

/** Events, as they are posted to you or as you fetch them. */
export class Webhooks {
  readonly #client: Client
  readonly #timeoutMs: number
  /** Checks a webhook and returns its event. Needs no key: `verifyWebhook` is the same. */
  readonly verify = verifyWebhook

  constructor(client: Client, timeoutMs: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  /**
   * Events in their order from behind `cursor` on, and then as they come. It begins with the first that is kept where there is none, and with
   * what comes from now on where it is `latest`.
   */
  events<Name extends EventName = EventName>(
    cursor?: string | null,
    options: StreamOptions<Name> = {},
  ): EventStream<Name> {
    return new EventStream<Name>(this.#client, cursor ?? undefined, options, this.#timeoutMs)
  }
}
