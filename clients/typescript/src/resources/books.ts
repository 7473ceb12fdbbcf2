import type { Client, RequestOptions, WithResponse } from '../client.ts'
import {
  getAccount,
  getBalance,
  getHealth,
  getStatement,
  getStatementPdf,
  listSettlements,
} from '../generated/sdk.gen.ts'
import type { ListSettlementsData } from '../generated/types.gen.ts'
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
