import { ACCESS_FAULTS } from './faults/access.ts'
import { APPROVAL_FAULTS } from './faults/approvals.ts'
import { BULK_FAULTS } from './faults/bulk.ts'
import { CHARGE_FAULTS } from './faults/charges.ts'
import { DECISION_FAULTS } from './faults/decisions.ts'
import { EVENT_FAULTS } from './faults/events.ts'
import { KEY_FAULTS } from './faults/keys.ts'
import { LEDGER_FAULTS } from './faults/ledger.ts'
import { OPERATOR_FAULTS } from './faults/operators.ts'
import { OVERDUE_FAULTS } from './faults/overdue.ts'
import { OWNER_FAULTS } from './faults/owners.ts'
import { PAYOUT_FAULTS } from './faults/payouts.ts'
import { PREPARED_FAULTS } from './faults/prepared.ts'
import { RAIL_FAULTS } from './faults/rails.ts'
import { RECIPIENT_FAULTS } from './faults/recipients.ts'
import { REFUND_FAULTS } from './faults/refunds.ts'
import { REQUEST_FAULTS } from './faults/requests.ts'
import { SCHEDULE_FAULTS } from './faults/schedules.ts'
import { DISPUTE_FAULTS } from './faults/selling/disputes.ts'
import { GIFT_CARD_FAULTS } from './faults/selling/gift-cards.ts'
import { INVOICE_FAULTS } from './faults/selling/invoices.ts'
import { LINK_FAULTS } from './faults/selling/links.ts'
import { STOREFRONT_FAULTS } from './faults/selling/storefront.ts'
import { VENDING_FAULTS } from './faults/selling/vending.ts'
import { SEQUENCE_FAULTS } from './faults/sequences.ts'
import { SETTLEMENT_FAULTS } from './faults/settlements.ts'
import { SPLIT_FAULTS } from './faults/splits.ts'
import { STANDING_ORDER_FAULTS } from './faults/standing-orders.ts'
import { TALLY_FAULTS } from './faults/tallies.ts'
import { TERM_FAULTS } from './faults/terms.ts'
import { TIME_FAULTS } from './faults/times.ts'
import { TOP_UP_FAULTS } from './faults/top-ups.ts'
import { TRIGGER_FAULTS } from './faults/triggers.ts'
import { VERIFICATION_FAULTS } from './faults/verification.ts'
import { WITHDRAWAL_FAULTS } from './faults/withdrawals.ts'
import type { Fault } from './names.ts'

/** At least one fault for every invariant, and one for each fact that an invariant checks. */
export const PLANTED_FAULTS: readonly Fault[] = [
  ...LEDGER_FAULTS,
  ...CHARGE_FAULTS,
  ...SPLIT_FAULTS,
  ...LINK_FAULTS,
  ...INVOICE_FAULTS,
  ...STOREFRONT_FAULTS,
  ...GIFT_CARD_FAULTS,
  ...VENDING_FAULTS,
  ...SETTLEMENT_FAULTS,
  ...TOP_UP_FAULTS,
  ...TALLY_FAULTS,
  ...PAYOUT_FAULTS,
  ...WITHDRAWAL_FAULTS,
  ...PREPARED_FAULTS,
  ...APPROVAL_FAULTS,
  ...REFUND_FAULTS,
  ...BULK_FAULTS,
  ...SCHEDULE_FAULTS,
  ...STANDING_ORDER_FAULTS,
  ...RAIL_FAULTS,
  ...KEY_FAULTS,
  ...DISPUTE_FAULTS,
  ...VERIFICATION_FAULTS,
  ...EVENT_FAULTS,
  ...SEQUENCE_FAULTS,
  ...REQUEST_FAULTS,
  ...RECIPIENT_FAULTS,
  ...OPERATOR_FAULTS,
  ...DECISION_FAULTS,
  ...TERM_FAULTS,
  ...ACCESS_FAULTS,
  ...TIME_FAULTS,
  ...OVERDUE_FAULTS,
  ...OWNER_FAULTS,
  ...TRIGGER_FAULTS,
]

/** Those that are planted here: on a cluster what a look at the directory finds. The others use whatever SQL is shortest, for one server. */
export const FAULTS_HERE = PLANTED_FAULTS.filter(({ id }) => !process.env.TEST_CITUS_URL || /^A[CK]/.test(id))

/** Drops every constraint that would refuse a fault, except the primary keys. */
export const WITHOUT_CONSTRAINTS = `
  do $$ declare one record; begin
    for one in select conrelid::regclass as place, conname as name from pg_constraint
      where connamespace = 'cell_0'::regnamespace and contype in ('c', 'u', 'f') order by contype = 'u'
    loop execute format('alter table %s drop constraint %I cascade', one.place, one.name); end loop;
    for one in select indexrelid::regclass as place from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = 'cell_0'::regnamespace and indisunique and not indisprimary
    loop execute format('drop index %s', one.place); end loop;
  end $$`
