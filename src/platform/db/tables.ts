/**
 * Every table: the folder of `src` that writes it, and facts about its rows. The rights of the service, the digests, the owners that
 * `verify` checks and the rules of the tests come from here.
 */
type TableFacts = {
  writer: string
  /** Rows are only ever added (L7): triggers refuse changes, and the service has no right to make them. */
  appendOnly?: true
  /** Holds money or its records; used to prove that nothing was written. */
  money?: true
  /**
   * Rows name their merchant without a foreign key, because that would lock one shared row for each stored row; `verify` checks it
   * instead.
   */
  ofMerchant?: true
}

const money = (writer: string): TableFacts => ({ writer, money: true, ofMerchant: true })
const record = (writer: string): TableFacts => ({ writer, money: true, ofMerchant: true, appendOnly: true })
const ofMerchant = (writer: string): TableFacts => ({ writer, ofMerchant: true })
const other = (writer: string): TableFacts => ({ writer })

const TABLES = {
  transfers: record('ledger'),
  settlements: record('ledger'),
  ledger_checkpoints: record('ledger'),
  adjustments: record('ledger'),
  ledger_heads: money('ledger'),
  subaccount_heads: money('ledger'),
  charges: money('charges'),
  top_ups: money('top-ups'),
  charge_shares: money('subaccounts'),
  subaccounts: money('subaccounts'),
  gift_cards: money('gift-cards'),
  gift_card_uses: money('gift-cards'),
  voucher_misses: other('gift-cards'),
  payment_links: money('payment-links'),
  invoices: money('invoices'),
  invoice_numbers: ofMerchant('invoices'),
  invoice_mails: ofMerchant('invoices'),
  invoice_mail_stops: ofMerchant('invoices'),
  storefront_items: ofMerchant('storefront'),
  day_tallies: ofMerchant('reports'),
  tally_marks: ofMerchant('reports'),
  disputes: money('disputes'),
  payment_marks: other('investigation'),
  support_cases: other('cases'),
  support_case_messages: { ...other('cases'), appendOnly: true },
  search_segments: other('investigation'),
  search_payments: other('investigation'),
  search_postings: other('investigation'),
  search_mark: other('investigation'),
  dispute_answers: { ...other('disputes'), appendOnly: true },
  payouts: money('payouts'),
  bulk_batches: money('payouts'),
  bulk_items: money('payouts'),
  bulk_references: money('payouts'),
  prepared_payouts: money('payouts'),
  checker_rules: other('payouts'),
  bulk_drafts: ofMerchant('payouts'),
  list_columns: ofMerchant('payouts'),
  schedules: money('scheduled-payouts'),
  withdrawals: money('withdrawals'),
  withdrawal_numbers: ofMerchant('withdrawals'),
  standing_orders: money('withdrawals'),
  standing_order_runs: record('withdrawals'),
  payout_stops: other('account'),
  rail_attempts: money('rails'),
  rail_evidence: record('rails'),
  status_budgets: other('rails'),
  next_ends: ofMerchant('rails'),
  chosen_ends: ofMerchant('rails'),
  rail_statements: other('reconciliation'),
  rail_statement_lines: other('reconciliation'),
  rail_statement_staged: other('reconciliation'),
  // Both schemas have it.
  statement_findings: other('reconciliation'),
  reconciliation_runs: other('reconciliation'),
  reconciliation_log: other('reconciliation'),
  statement_files: other('reconciliation'),
  float_records: other('reconciliation'),
  float_readings: other('reconciliation'),
  platform_exceptions: other('exceptions'),
  // Both schemas have these two.
  exception_notes: { writer: 'exceptions', appendOnly: true },
  approvals: { writer: 'approvals', money: true, ofMerchant: true },
  rail_troubles: other('rails'),
  events: record('webhooks'),
  event_seals: { ...ofMerchant('webhooks'), appendOnly: true },
  event_seal_mark: other('webhooks'),
  deliveries: money('webhooks'),
  webhook_addresses: ofMerchant('webhooks'),
  address_deliveries: ofMerchant('webhooks'),
  delivery_attempts: other('webhooks'),
  receivers: other('webhooks'),
  exceptions: money('exceptions'),
  vending_orders: money('vending'),
  dispense_claims: money('vending'),
  vendor_callbacks: ofMerchant('vending'),
  machines: ofMerchant('vending'),
  vending_suppliers: other('vending'),
  vending_profiles: other('vending'),
  dispense_secrets: other('vending'),
  statement_headers: other('reports'),
  // Both schemas have merchants and api_keys.
  merchants: other('account'),
  merchant_secrets: other('account'),
  api_keys: other('account'),
  key_limits: { writer: 'account', money: true },
  revision: other('account'),
  payout_freeze: other('account'),
  command_keys: other('account'),
  former_handles: other('account'),
  merchant_notes: { writer: 'account', appendOnly: true },
  support_views: other('account'),
  request_log: other('request-log'),
  brandings: other('branding'),
  verifications: other('verification'),
  verification_answers: other('verification'),
  verification_digests: other('verification'),
  name_checks: other('verification'),
  verification_documents: other('verification'),
  verification_document_parts: other('verification'),
  idempotency_keys: ofMerchant('idempotency'),
  rate_windows: other('rate-limits'),
  rate_counts: other('rate-limits'),
  address_windows: other('rate-limits'),
  audit: { writer: 'access', appendOnly: true },
  audit_seals: { writer: 'access', appendOnly: true },
  audit_to_seal: other('access'),
  saved_views: other('saved-views'),
  customers: ofMerchant('customers'),
  form_results: other('parts'),
  form_steps: other('parts'),
  mails: other('mails'),
  notices: other('notices'),
  daily_closes: other('notices'),
  month_close_readers: other('notices'),
  push_devices: other('push'),
  push_told: other('push'),
  people: other('people'),
  memberships: other('people'),
  merchant_rules: other('people'),
  sessions: other('people'),
  factors: other('people'),
  passkey_challenges: other('people'),
  recovery_codes: other('people'),
  one_time_links: other('people'),
  sign_in_misses: other('people'),
  known_browsers: other('people'),
  service_days: other('overview'),
  processes: other('jobs'),
  sweep_runs: other('jobs'),
  sweep_requests: other('jobs'),
  verify_runs: other('verify'),
  backup_runs: other('backups'),
  rail_checks: other('investigation'),
  audit_checks: other('alerts'),
  alerts: other('alerts'),
  alert_test: other('alerts'),
  cells: other('cells'),
  migration_checksums: other('platform'),
  master_key_check: other('program'),
  lasting_keys: other('program'),
} satisfies Record<string, TableFacts>

type TableName = keyof typeof TABLES
const TABLE_ENTRIES = Object.entries(TABLES) as [TableName, TableFacts][]
const tablesWhere = (is: (table: TableFacts) => true | undefined): TableName[] =>
  TABLE_ENTRIES.flatMap(([name, table]) => (is(table) ? [name] : []))

export const APPEND_ONLY_TABLES = tablesWhere(({ appendOnly }) => appendOnly)
/** The tables that hold money or its records, without the stored answers of keys. */
export const MONEY_TABLES = tablesWhere(({ money }) => money)
export const MERCHANT_TABLES = tablesWhere(({ ofMerchant }) => ofMerchant)
/** The folder whose statements write each table. */
export const TABLE_WRITERS: Readonly<Record<string, string>> = Object.fromEntries(
  TABLE_ENTRIES.map(([name, { writer }]) => [name, writer]),
)
