import type { Client, RequestOptions, WithResponse } from '../client.ts'
import { RefundRefusedError } from '../errors.ts'
import {
  createCharge,
  getCharge,
  getChargeTimeline,
  getPayout,
  listCharges,
  refundCharge,
} from '../generated/sdk.gen.ts'
import type {
  Charge,
  ChargeCreate,
  GetChargeData,
  GetChargeTimelineData,
  ListChargesData,
  Refund,
  RefundCreate,
} from '../generated/types.gen.ts'
import { List } from '../pages.ts'
import { type WaitOptions, waitForEnd } from '../wait.ts'

/** Money from phones. */
export class Charges {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Asks a phone for money. The answer is never final: `waitFor` it, or wait for its event. */
  create(charge: ChargeCreate, options?: RequestOptions) {
    return createCharge({ client: this.#client, body: charge, call: options })
  }

  retrieve(id: string, query?: GetChargeData['query'], options?: RequestOptions) {
    return getCharge({ client: this.#client, path: { id }, query, call: options })
  }

  /** Newest first. */
  list(query: NonNullable<ListChargesData['query']> = {}, options?: RequestOptions) {
    return new List((page: typeof query) => listCharges({ client: this.#client, query: page, call: options }), query)
  }

  /** What happened to a charge, newest first. */
  timeline(id: string, query: NonNullable<GetChargeTimelineData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) =>
      getChargeTimeline({ client: this.#client, path: { id }, query: page, call: options })
    return new List(load, query)
  }

  /**
   * Gives the whole charge back, by a payout: follow `refund.id` of the answer. A charge is given back once, however often that is asked for:
   * where the answer to the first attempt was lost, this is the refund that it made.
   */
  async refund(charge: string, body?: RefundCreate, options?: RequestOptions): Promise<WithResponse<Refund>> {
    try {
      return await refundCharge({ client: this.#client, path: { id: charge }, body, call: options })
    } catch (error) {
      const done = error instanceof RefundRefusedError && error.code === 'already_refunded' && error.mayBeDone
      if (!done) throw error
      return await this.#refundOf(charge, options)
    }
  }

  /** Reads a charge until it has succeeded, failed or was refunded. Throws StillOpenError when the time is over. */
  waitFor(charge: string | Pick<Charge, 'id' | 'status'>, options?: WaitOptions) {
    const call = options?.signal ? { signal: options.signal } : undefined
    return waitForEnd(charge, (id) => this.retrieve(id, undefined, call), options)
  }

  /** The refund of this charge, as the call that made it was answered. */
  async #refundOf(id: string, options: RequestOptions | undefined): Promise<WithResponse<Refund>> {
    const charge = await this.retrieve(id, undefined, options)
    const payout =
      charge.refund_id === null
        ? null
        : await getPayout({ client: this.#client, path: { id: charge.refund_id }, call: options })
    const refund = payout && {
      id: payout.id,
      amount: payout.amount,
      fee: payout.fee,
      currency: payout.currency,
      recipient_phone: payout.recipient_phone ?? '',
      status: payout.status,
      metadata: payout.metadata,
    }
    const answer: Refund = { charge_id: id, status: 'refunded', gift_card_restored: charge.gift_card_amount, refund }
    return Object.defineProperty(answer, 'lastResponse', { value: charge.lastResponse }) as WithResponse<Refund>
  }
}

/** The refunds of charges. */
export class Refunds {
  readonly #charges: Charges

  constructor(charges: Charges) {
    this.#charges = charges
  }

  /** The same as `charges.refund`. */
  create({ charge, ...body }: RefundCreate & { charge: string }, options?: RequestOptions) {
    return this.#charges.refund(charge, body, options)
  }
}
