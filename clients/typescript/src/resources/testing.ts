import type { Client, RequestOptions } from '../client.ts'
import { addTestFunds, moveTestClock, sendTestEvent, setNextEnds } from '../generated/sdk.gen.ts'
import type { TestClockMove, TestEventCreate, TestFundsAdd, TestNextCreate } from '../generated/types.gen.ts'

/** Steers test mode: with a full test key only. */
export class Testing {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
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
