import type { Mode } from '../../src/platform/mode.ts'
import { type Paying, payOrders, type Visit, visit } from './customers.ts'
import type { Merchant } from './installation.ts'
import { type Load, startLoad } from './load.ts'
import { bulkOf, chargeOf, dispenseOf, payoutOf, refundOf, scheduleOf } from './requests.ts'
import { ask, type Parts, repeatUnanswered, type State, type Tally } from './sending.ts'

export type Clients = {
  tally: Tally
  /** Each method sends one new request; if there is no answer, its key stays open. */
  charge(merchant: Merchant, mode?: Mode): Promise<void>
  /** To a random recipient, unless a phone is given. */
  payout(merchant: Merchant, mode?: Mode, phone?: string): Promise<void>
  bulk(merchant: Merchant, items: number, mode?: Mode): Promise<void>
  refund(merchant: Merchant, chargeId: string): Promise<void>
  schedule(merchant: Merchant, startAt: Date): Promise<void>
  /** Spends a charge on one command to a machine. */
  dispense(merchant: Merchant, mode: Mode, chargeId: string): Promise<void>
  /** Customers pay at the page of a new link. */
  visit(visit: Visit): Promise<void>
  /** Customers pay these vending orders, one each. */
  payOrders(paying: Paying): Promise<void>
  /** From now on live customers of this merchant have gift cards with these codes. */
  haveCards(codes: readonly string[]): void
  /**
   * Payments in, payments out and reads at a steady rate, whether or not they succeed (an open loop). `live`: the merchant whose
   * pages are also paid with live money; set only while a service with a live rail runs.
   */
  load(perSecond: number, live?: Merchant): Load
  /** Repeats every key without an answer until it has one. Throws when that takes longer than `withinMs`. */
  repeatUnanswered(withinMs: number): Promise<void>
}

/** Clients that know only the answers they received. */
export function makeClients(parts: Parts): Clients {
  const sentOf = { charge: 0, payout: 0, bulk: 0, refund: 0, schedule: 0, form: 0, dispense: 0 }
  const tally: Tally = {
    sent: 0,
    sentOf,
    acknowledged: 0,
    refused: 0,
    unansweredThenResolved: 0,
    unexpected: [],
  }
  const state: State = {
    ...parts,
    tally,
    open: new Map(),
    missedOnce: new Set(),
    acknowledged: [],
    lines: new Map(),
    paidOnLinks: [],
    cards: [],
    goodListeners: new Set(),
  }
  const drawn = (mode: Mode) => ({ chance: state.chance, key: `${state.name}-${tally.sent + 1}`, mode })
  return {
    tally,
    charge: (merchant, mode = 'test') => ask(state, { merchant, mode }, chargeOf(drawn(mode))),
    payout: (merchant, mode = 'test', phone) => ask(state, { merchant, mode }, payoutOf(drawn(mode), phone)),
    bulk: (merchant, items, mode = 'test') => ask(state, { merchant, mode }, bulkOf(drawn(mode), items)),
    refund: (merchant, chargeId) => ask(state, { merchant, mode: 'test' }, refundOf(chargeId)),
    schedule: (merchant, startAt) => ask(state, { merchant, mode: 'test' }, scheduleOf(drawn('test'), startAt)),
    dispense: (merchant, mode, chargeId) => ask(state, { merchant, mode }, dispenseOf(drawn(mode), chargeId)),
    visit: (wanted) => visit(state, wanted),
    payOrders: (paying) => payOrders(state, paying),
    haveCards: (codes) => {
      state.cards = codes
    },
    load: (perSecond, live) => startLoad(state, { perSecond, live: live ?? null }),
    repeatUnanswered: (withinMs) => repeatUnanswered(state, withinMs),
  }
}
