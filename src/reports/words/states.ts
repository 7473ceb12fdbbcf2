import type { KycStatus } from '../../merchants/account/merchant.ts'
import type { ChargeStatus } from '../../payments/charges/charge.ts'
import type { CardState } from '../../payments/gift-cards/gift-card.ts'
import type { PayoutStatus } from '../../payments/payouts/payout.ts'
import type { PreparedStatus } from '../../payments/payouts/prepared/prepared-payout.ts'
import type { ScheduleStatus } from '../../payments/scheduled-payouts/schedule.ts'
import type { SubaccountStatus } from '../../payments/subaccounts/subaccount.ts'
import type { TopUpStatus } from '../../payments/top-ups/top-up.ts'
import type { Withdrawal } from '../../payments/withdrawals/find-withdrawals.ts'
import type { StandingOrderState } from '../../payments/withdrawals/standing-orders/standing-order.ts'
import type { InvoiceStatus } from '../../selling/invoices/invoice.ts'
import type { LinkStatus } from '../../selling/payment-links/payment-link.ts'
import type { PaymentStatus, VendingStatus } from '../../selling/vending/orders/order.ts'

/** How a state looks: done, failed, under way, over, or something to look at. */
export type Tone = 'good' | 'bad' | 'open' | 'quiet' | 'warn'
type StateWords = { says: string; tone: Tone }
type WordsOf<State extends string> = Readonly<Record<State, StateWords>>

const waiting = (says: string): StateWords => ({ says, tone: 'open' })
const done = (says: string): StateWords => ({ says, tone: 'good' })
const failed = (says: string): StateWords => ({ says, tone: 'bad' })
const over = (says: string): StateWords => ({ says, tone: 'quiet' })
const look = (says: string): StateWords => ({ says, tone: 'warn' })

/**
 * What people call the states of things: on every page for merchants, in mails and in files for people. The API, the files for programs and
 * the developers' pages keep the words of the specification. A new state does not compile until it has its words.
 */
export const STATE_WORDS = {
  charge: {
    pending: waiting('asking the operator'),
    authorized: waiting('waiting for the PIN'),
    succeeded: done('paid'),
    failed: failed('not paid'),
    refunded: look('given back'),
  } satisfies WordsOf<ChargeStatus>,
  payout: {
    pending: waiting('waiting to be sent'),
    authorized: waiting('on its way'),
    succeeded: done('sent'),
    failed: failed('came back'),
  } satisfies WordsOf<PayoutStatus>,
  prepared: {
    prepared: waiting('waits for a second person'),
    approved: done('approved'),
    rejected: failed('rejected'),
    expired: over('expired'),
    withdrawn: over('taken back'),
  } satisfies WordsOf<PreparedStatus>,
  topUp: {
    pending: waiting('asking the operator'),
    authorized: waiting('waiting for the PIN'),
    succeeded: done('paid in'),
    failed: failed('not paid'),
  } satisfies WordsOf<TopUpStatus>,
  withdrawal: {
    requested: waiting('waiting for our approval'),
    approved: done('approved'),
    rejected: failed('rejected'),
    cancelled: over('cancelled'),
  } satisfies WordsOf<Withdrawal['state']>,
  standingOrder: {
    waiting: waiting('waiting for our approval'),
    approved: done('runs'),
    refused: failed('not approved'),
    stopped: over('stopped'),
  } satisfies WordsOf<StandingOrderState>,
  schedule: {
    active: done('runs'),
    paused: look('paused'),
    cancelled: over('ended'),
  } satisfies WordsOf<ScheduleStatus>,
  link: {
    active: done('can be paid'),
    inactive: over('switched off'),
    pending: waiting('being paid'),
    authorized: waiting('waiting for the PIN'),
    succeeded: done('paid'),
    refunded: look('given back'),
    failed: failed('not paid'),
  } satisfies WordsOf<LinkStatus>,
  invoice: {
    not_sent: over('not sent'),
    sent: waiting('sent'),
    seen: waiting('seen'),
    waiting: waiting('payment on its way'),
    paid: done('paid'),
    refunded: look('given back'),
    late: failed('late'),
    cancelled: over('cancelled'),
  } satisfies WordsOf<InvoiceStatus>,
  orderPayment: {
    unpaid: over('not paid yet'),
    pending: waiting('waiting for the PIN'),
    succeeded: done('paid'),
    failed: failed('not paid'),
  } satisfies WordsOf<PaymentStatus>,
  dispense: {
    pending: over('not dispensed yet'),
    dispensing: waiting('dispensing'),
    dispensed: done('dispensed'),
    failed: failed('not dispensed'),
  } satisfies WordsOf<VendingStatus>,
  card: {
    active: done('can be used'),
    spent: over('used up'),
    expired: over('expired'),
    deactivated: over('switched off'),
  } satisfies WordsOf<CardState>,
  subaccount: {
    active: done('active'),
    inactive: over('switched off'),
  } satisfies WordsOf<SubaccountStatus>,
  verification: {
    pending: waiting('not verified yet'),
    verified: done('verified'),
    rejected: failed('rejected'),
  } satisfies WordsOf<KycStatus>,
} as const

export type StateNoun = keyof typeof STATE_WORDS

/** Returns what people call a state of such a thing. */
export const stateWords = (noun: StateNoun, state: string): StateWords =>
  (STATE_WORDS[noun] as Readonly<Record<string, StateWords>>)[state] ?? { says: state, tone: 'quiet' }

/** The states of such a thing as choices of a filter, each with people's words. */
export const stateChoices = (noun: StateNoun, states: readonly string[]): readonly { value: string; label: string }[] =>
  states.map((value) => ({ value, label: stateWords(noun, value).says }))
