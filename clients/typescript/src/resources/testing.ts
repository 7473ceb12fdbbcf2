import type { Client, RequestOptions } from '../client.ts'
import {
  addTestFunds,
  createTestAccount,
  getTestAccount,
  listTestAccounts,
  moveTestClock,
  removeTestAccount,
  sendTestEvent,
  setNextEnds,
} from '../generated/sdk.gen.ts'
import type {
  ListTestAccountsData,
  TestAccountCreate,
  TestClockMove,
  TestEventCreate,
  TestFundsAdd,
  TestNextCreate,
} from '../generated/types.gen.ts'
import { List } from '../pages.ts'

/** Fresh businesses for tests, each with keys and books of its own for 24 hours. */
export class TestAccounts {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** Makes one; its keys are in this answer alone, and in that of the same call again. */
  create(account: TestAccountCreate = {}, options?: RequestOptions) {
    return createTestAccount({ client: this.#client, body: account, call: options })
  }

  retrieve(id: string, options?: RequestOptions) {
    return getTestAccount({ client: this.#client, path: { id }, call: options })
  }

  /** Newest first. */
  list(query: NonNullable<ListTestAccountsData['query']> = {}, options?: RequestOptions) {
    return new List(
      (page: typeof query) => listTestAccounts({ client: this.#client, query: page, call: options }),
      query,
    )
  }

  /** Ends its keys at once. */
  remove(id: string, options?: RequestOptions) {
    return removeTestAccount({ client: this.#client, path: { id }, call: options })
  }
}

/** Steers test mode: with a full test key only. */
export class Testing {
  readonly #client: Client
  readonly accounts: TestAccounts

  constructor(client: Client) {
    this.#client = client
    this.accounts = new TestAccounts(client)
  }

  /** Moves the test clock forward. */
  moveClock(move: TestClockMove, options?: RequestOptions) {
    return moveTestClock({ client: this.#client, body: move, call: options })
  }

  addFunds(funds: TestFundsAdd, options?: RequestOptions) {
    return addTestFunds({ client: this.#client, body: funds, call: options })
  }

  /** Says how the next charges or payouts end. */
  setNext(next: TestNextCreate, options?: RequestOptions) {
    return setNextEnds({ client: this.#client, body: next, call: options })
  }

  sendEvent(event: TestEventCreate, options?: RequestOptions) {
    return sendTestEvent({ client: this.#client, body: event, call: options })
  }
}
