import { ACCESS_INVARIANTS } from './access-invariants.ts'
import { APPROVAL_INVARIANTS } from './approval-invariants.ts'
import { BULK_INVARIANTS } from './bulk-invariants.ts'
import { CHARGE_INVARIANTS } from './charge-invariants.ts'
import { CLOSING_INVARIANTS } from './closing-invariants.ts'
import { DECISION_INVARIANTS } from './decision-invariants.ts'
import { DISPUTE_INVARIANTS } from './dispute-invariants.ts'
import { EVENT_INVARIANTS } from './event-invariants.ts'
import { GIFT_CARD_INVARIANTS } from './gift-card-invariants.ts'
import type { Invariant } from './invariant.ts'
import { KEY_INVARIANTS } from './key-invariants.ts'
import { LEDGER_INVARIANTS } from './ledger-invariants.ts'
import { LINK_INVARIANTS } from './link-invariants.ts'
import { OPERATOR_INVARIANTS } from './operator-invariants.ts'
import { OVERDUE_INVARIANTS } from './overdue-invariants.ts'
import { OWNER_INVARIANTS } from './owner-invariants.ts'
import { PAYOUT_INVARIANTS } from './payout-invariants.ts'
import { PREPARED_INVARIANTS } from './prepared-invariants.ts'
import { RAIL_INVARIANTS } from './rail-invariants.ts'
import { RECIPIENT_INVARIANTS } from './recipient-invariants.ts'
import { REFUND_INVARIANTS } from './refund-invariants.ts'
import { REQUEST_INVARIANTS } from './request-invariants.ts'
import { SCHEDULE_INVARIANTS } from './schedule-invariants.ts'
import { SETTLEMENT_INVARIANTS } from './settlement-invariants.ts'
import { SPLIT_INVARIANTS } from './split-invariants.ts'
import { STOREFRONT_INVARIANTS } from './storefront-invariants.ts'
import { TALLY_INVARIANTS } from './tally-invariants.ts'
import { TERM_INVARIANTS } from './term-invariants.ts'
import { TIME_INVARIANTS } from './time-invariants.ts'
import { TOP_UP_INVARIANTS } from './top-up-invariants.ts'
import { TRIGGER_INVARIANTS } from './trigger-invariants.ts'
import { VENDING_INVARIANTS } from './vending-invariants.ts'
import { VERIFICATION_INVARIANTS } from './verification-invariants.ts'

/** All invariants of one cell, in the order in which `verify` prints them. */
export const INVARIANTS: readonly Invariant[] = [
  ...LEDGER_INVARIANTS,
  ...CHARGE_INVARIANTS,
  ...SPLIT_INVARIANTS,
  ...LINK_INVARIANTS,
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
  ...RAIL_INVARIANTS,
  ...KEY_INVARIANTS,
  ...DISPUTE_INVARIANTS,
  ...VERIFICATION_INVARIANTS,
  ...EVENT_INVARIANTS,
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
