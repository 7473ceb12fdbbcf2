import type { Client, RequestOptions } from '../client.ts'
import {
  cancelScheduledPayout,
  createBulkPayout,
  createPayout,
  createScheduledPayout,
  getPayout,
  getPayoutTimeline,
  getScheduledPayout,
  listPayouts,
  listScheduledPayouts,
  pauseScheduledPayout,
  resolveAccount,
  resumeScheduledPayout,
} from '../generated/sdk.gen.ts'
import type {
  BulkPayoutCreate,
  GetPayoutData,
  GetPayoutTimelineData,
  ListPayoutsData,
  ListScheduledPayoutsData,
  Payout,
  PayoutCreate,
  ScheduledPayoutCreate,
} from '../generated/types.gen.ts'
import { List } from '../pages.ts'
import { type WaitOptions, waitForEnd } from '../wait.ts'

/** Money to phones. */
export class Payouts {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Sends money. Give it an `idempotencyKey` that you keep where your own process may end before the answer. */
  create(payout: PayoutCreate, options?: RequestOptions) {
    return createPayout({ client: this.#client, body: payout, call: options })
  }

  /** Pays up to 1,000 people: a list, or the text of a CSV file. Each `reference` is paid once, whatever the key of the call. */
  createBulk(payouts: BulkPayoutCreate | string, options?: RequestOptions) {
    const headers: Record<string, string> = typeof payouts === 'string' ? { 'Content-Type': 'text/csv' } : {}
    // The description knows a CSV file as one of the bodies, the generator only the first of them.
    return createBulkPayout({ client: this.#client, body: payouts as BulkPayoutCreate, headers, call: options })
  }

  retrieve(id: string, query?: GetPayoutData['query'], options?: RequestOptions) {
    return getPayout({ client: this.#client, path: { id }, query, call: options })
  }

  /** Newest first. */
  list(query: NonNullable<ListPayoutsData['query']> = {}, options?: RequestOptions) {
    return new List((page: typeof query) => listPayouts({ client: this.#client, query: page, call: options }), query)
  }

  /** What happened to a payout, newest first. */
  timeline(id: string, query: NonNullable<GetPayoutTimelineData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) =>
      getPayoutTimeline({ client: this.#client, path: { id }, query: page, call: options })
    return new List(load, query)
  }

  /**
   * Reads a payout until it has succeeded or failed. One whose outcome is unclear (`ambiguous_network_error_pending_reconciliation`) stays
   * open: never send it again. Throws StillOpenError when the time is over.
   */
  waitFor(payout: string | Pick<Payout, 'id' | 'status'>, options?: WaitOptions) {
    const call = options?.signal ? { signal: options.signal } : undefined
    return waitForEnd(payout, (id) => this.retrieve(id, undefined, call), options)
  }

  /** Whether a phone has a wallet, and in whose name. */
  resolveAccount(phone: string, options?: RequestOptions) {
    return resolveAccount({ client: this.#client, query: { phone }, call: options })
  }
}

/** Payouts that repeat. */
export class ScheduledPayouts {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  create(schedule: ScheduledPayoutCreate, options?: RequestOptions) {
    return createScheduledPayout({ client: this.#client, body: schedule, call: options })
  }

  retrieve(id: string, options?: RequestOptions) {
    return getScheduledPayout({ client: this.#client, path: { id }, call: options })
  }

  list(query: NonNullable<ListScheduledPayoutsData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listScheduledPayouts({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }

  pause(id: string, options?: RequestOptions) {
    return pauseScheduledPayout({ client: this.#client, path: { id }, call: options })
  }

  resume(id: string, options?: RequestOptions) {
    return resumeScheduledPayout({ client: this.#client, path: { id }, call: options })
  }

  cancel(id: string, options?: RequestOptions) {
    return cancelScheduledPayout({ client: this.#client, path: { id }, call: options })
  }
}
