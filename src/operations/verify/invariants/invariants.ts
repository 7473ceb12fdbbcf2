import type { Invariant } from './invariant.ts'
import { ACCESS_INVARIANTS } from './merchants/access-invariants.ts'
import { CLOSING_INVARIANTS, TERM_INVARIANTS, VERIFICATION_INVARIANTS } from './merchants/account-invariants.ts'
import { APPROVAL_INVARIANTS } from './merchants/approval-invariants.ts'
import { DECISION_INVARIANTS } from './merchants/decision-invariants.ts'
import { EVENT_INVARIANTS } from './merchants/event-invariants.ts'
import { KEY_INVARIANTS } from './merchants/key-invariants.ts'
import { OPERATOR_INVARIANTS } from './merchants/operator-invariants.ts'
import { OWNER_INVARIANTS } from './merchants/owner-invariants.ts'
import { REQUEST_INVARIANTS } from './merchants/request-invariants.ts'
import { SEQUENCE_INVARIANTS } from './merchants/sequence-invariants.ts'
import { TIME_INVARIANTS } from './merchants/time-invariants.ts'
import { TRIGGER_INVARIANTS } from './merchants/trigger-invariants.ts'
import { BULK_INVARIANTS } from './payments/bulk-invariants.ts'
import { CHARGE_INVARIANTS, REFUND_INVARIANTS } from './payments/charge-invariants.ts'
import { GIFT_CARD_INVARIANTS } from './payments/gift-card-invariants.ts'
import { LEDGER_INVARIANTS } from './payments/ledger-invariants.ts'
import { OVERDUE_INVARIANTS } from './payments/overdue-invariants.ts'
import { PAYOUT_INVARIANTS, PREPARED_INVARIANTS, TOP_UP_INVARIANTS } from './payments/payout-invariants.ts'
import { RAIL_INVARIANTS } from './payments/rail-invariants.ts'
import { RECIPIENT_INVARIANTS } from './payments/recipient-invariants.ts'
import { SCHEDULE_INVARIANTS } from './payments/schedule-invariants.ts'
import { SETTLEMENT_INVARIANTS } from './payments/settlement-invariants.ts'
import { SPLIT_INVARIANTS } from './payments/split-invariants.ts'
import { STANDING_ORDER_INVARIANTS } from './payments/standing-order-invariants.ts'
import { TALLY_INVARIANTS } from './payments/tally-invariants.ts'
import { DISPUTE_INVARIANTS } from './selling/dispute-invariants.ts'
import { INVOICE_INVARIANTS } from './selling/invoice-invariants.ts'
import { LINK_INVARIANTS, STOREFRONT_INVARIANTS } from './selling/link-invariants.ts'
import { VENDING_INVARIANTS } from './selling/vending-invariants.ts'

/** All invariants of one cell, in the order in which `verify` prints them. */
export const INVARIANTS: readonly Invariant[] = [
  ...LEDGER_INVARIANTS,
  ...CHARGE_INVARIANTS,
  ...SPLIT_INVARIANTS,
  ...LINK_INVARIANTS,
  ...INVOICE_INVARIANTS,
  ...STOREFRONT_INVARIANTS,
  ...GIFT_CARD_INVARIANTS,
  ...VENDING_INVARIANTS,
  ...SETTLEMENT_INVARIANTS,
  ...TOP_UP_INVARIANTS,
  ...TALLY_INVARIANTS,
  ...PAYOUT_INVARIANTS,
  ...PREPARED_INVARIANTS,
  ...APPROVAL_INVARIANTS,
  ...REFUND_INVARIANTS,
  ...BULK_INVARIANTS,
  ...SCHEDULE_INVARIANTS,
  ...STANDING_ORDER_INVARIANTS,
  ...RAIL_INVARIANTS,
  ...KEY_INVARIANTS,
  ...DISPUTE_INVARIANTS,
  ...VERIFICATION_INVARIANTS,
  ...EVENT_INVARIANTS,
  ...SEQUENCE_INVARIANTS,
  ...REQUEST_INVARIANTS,
  ...RECIPIENT_INVARIANTS,
  ...OPERATOR_INVARIANTS,
  ...DECISION_INVARIANTS,
  ...TERM_INVARIANTS,
  ...ACCESS_INVARIANTS,
  ...CLOSING_INVARIANTS,
  ...TIME_INVARIANTS,
  ...OVERDUE_INVARIANTS,
  ...OWNER_INVARIANTS,
  ...TRIGGER_INVARIANTS,
]
