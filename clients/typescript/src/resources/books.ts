import type { Client, RequestOptions, WithResponse } from '../client.ts'
import {
  getAccount,
  getBalance,
  getHealth,
  getRequest,
  getStatement,
  getStatementPdf,
  listRequests,
  listSettlements,
} from '../generated/sdk.gen.ts'
import type { ListRequestsData, ListSettlementsData } from '../generated/types.gen.ts'
import { List } from '../pages.ts'

export class BalanceResource {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  retrieve(options?: RequestOptions) {
    return getBalance({ client: this.#client, call: options })
  }
}

/** What became available, and when. */
export class Settlements {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  list(query: NonNullable<ListSettlementsData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listSettlements({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }
}

/** Months, as `2026-07`. */
export class Statements {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  retrieve(period: string, options?: RequestOptions) {
    return getStatement({ client: this.#client, path: { period }, call: options })
  }

  /** The bytes of the document. */
  async pdf(period: string, options?: RequestOptions): Promise<WithResponse<Uint8Array>> {
    const answer: unknown = await getStatementPdf({ client: this.#client, path: { period }, call: options })
    return answer as WithResponse<Uint8Array> // As answer.ts reads a PDF.
  }
}

/** Whose key it is, and what it may do. */
export class AccountResource {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  retrieve(options?: RequestOptions) {
    return getAccount({ client: this.#client, call: options })
  }
}

/** What was asked with your keys in this mode, and how it was answered. */
export class Requests {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  list(query: NonNullable<ListRequestsData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listRequests({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }

  /** By the `id` of its row; by its `X-Request-ID` it is found with `list({ request_id })`. */
  retrieve(id: string, options?: RequestOptions) {
    return getRequest({ client: this.#client, path: { id }, call: options })
  }
}

/** Whether the service answers. */
export class HealthResource {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  retrieve(options?: RequestOptions) {
    return getHealth({ client: this.#client, call: options })
  }
}
