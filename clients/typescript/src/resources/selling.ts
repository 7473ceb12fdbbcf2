import type { Client, RequestOptions } from '../client.ts'
import {
  createPaymentLink,
  createSubaccount,
  getPaymentLink,
  getSubaccount,
  listPaymentLinks,
  listSubaccounts,
} from '../generated/sdk.gen.ts'
import type {
  GetPaymentLinkData,
  ListPaymentLinksData,
  ListSubaccountsData,
  PaymentLinkCreate,
  SubaccountCreate,
} from '../generated/types.gen.ts'
import { List } from '../pages.ts'

/** Pages on which somebody pays. */
export class PaymentLinks {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  create(link: PaymentLinkCreate, options?: RequestOptions) {
    return createPaymentLink({ client: this.#client, body: link, call: options })
  }

  retrieve(id: string, query?: GetPaymentLinkData['query'], options?: RequestOptions) {
    return getPaymentLink({ client: this.#client, path: { id }, query, call: options })
  }

  list(query: NonNullable<ListPaymentLinksData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listPaymentLinks({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }
}

/** Those among whom charges are shared out. */
export class Subaccounts {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  create(subaccount: SubaccountCreate, options?: RequestOptions) {
    return createSubaccount({ client: this.#client, body: subaccount, call: options })
  }

  /** With its balances. */
  retrieve(id: string, options?: RequestOptions) {
    return getSubaccount({ client: this.#client, path: { id }, call: options })
  }

  list(query: NonNullable<ListSubaccountsData['query']> = {}, options?: RequestOptions) {
    const load = (page: typeof query) => listSubaccounts({ client: this.#client, query: page, call: options })
    return new List(load, query)
  }
}
