import { isFileMailDue, isMailDue } from '../../merchants/mails/send-mails.ts'
import { WAITING_AT_ADDRESSES } from '../../merchants/webhooks/addresses/tend-addresses.ts'
import { UNSEALED_EVENTS } from '../../merchants/webhooks/stream/seal-events.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { SweepName } from './sweep-name.ts'

/** `frozen`: why payouts are frozen, by the directory or by the copy of a cell; such a row has no task. */
type DueRow = { sweep: SweepName | null; frozen: string | null }

/** The SQL of the tasks for which such a row exists now. Each row of the answer is one step into an index. */
const dueSql = (rows: Partial<Record<SweepName, readonly string[]>>) =>
  Object.entries(rows)
    .map(
      ([sweep, tables]) =>
        `select '${sweep}' as sweep, null as frozen where ${tables.map((table) => `exists (select 1 from ${table})`).join(' or ')}`,
    )
    .join(' union all ')

// Include those of requests that are under way, which exist for milliseconds.
const RUNNING_KEYS = 'idempotency_keys where status is null'
const HIDDEN_CHARGES = `charges where mode = 'live' and not published and follow_at is not null`

const CELL_ROWS = {
  // Both modes by name: the index of due times begins with the mode.
  'follow-charges': [
    `charges where mode = 'test' and follow_at <= $1`,
    `charges where mode = 'live' and follow_at <= $1`,
  ],
  'follow-top-ups': ['top_ups where follow_at <= $1'],
  'send-payouts': ['payouts where follow_at <= $1'],
  dispense: [
    'vending_orders where watched',
    `dispense_claims where state in ('claimed', 'commanding') and lease_until is not null`,
    'dispense_claims where reports_at <= $1',
  ],
  'refund-jams': ['vending_orders where refund_due_at <= $1'],
  'send-deliveries': ['deliveries where next_attempt_at <= $1', 'address_deliveries where next_attempt_at <= $1'],
  'mail-invoices': ['invoice_mails where ended_at is null and due_at <= $1'],
  'follow-freeze': ['ledger_heads where payouts_frozen_until <= $1'],
  'tend-addresses': ['merchants where webhook_changed_at is not null', WAITING_AT_ADDRESSES],
  'finish-keys': [RUNNING_KEYS, HIDDEN_CHARGES],
  'finish-bulks': ['bulk_batches where lease_until is not null', RUNNING_KEYS],
  'seal-audit': ['audit_to_seal'],
  'seal-events': UNSEALED_EVENTS,
} satisfies Partial<Record<SweepName, readonly string[]>>
const DIRECTORY_ROWS = {
  'finish-keys': ['api_keys where revoked_at is not null and not closed_in_cell'],
  'send-mails': [`mails where ${isMailDue('$1')}`],
  'send-files': [`mails where ${isFileMailDue('$1')}`],
  'seal-audit': ['audit_to_seal'],
} satisfies Partial<Record<SweepName, readonly string[]>>

const DUE_IN_CELL = statement<DueRow>(
  'what is due in a cell',
  `${dueSql(CELL_ROWS)} union all select null, frozen_for from payout_stops`,
)
const DUE_IN_DIRECTORY = statement<DueRow>(
  'what is due in the directory',
  `${dueSql(DIRECTORY_ROWS)} union all select null, case when frozen then reason end from payout_freeze`,
)

/** The tasks that `findDueSweeps` can find. */
export const POLLED_SWEEPS = [
  ...new Set([...Object.keys(CELL_ROWS), ...Object.keys(DIRECTORY_ROWS)]),
] as readonly SweepName[]

/**
 * Finds the tasks that may have something to do, in two statements for all of them. It never misses a row whose time has come; a task
 * that it names may find that its rows wait for something else.
 */
export async function findDueSweeps({ db, directory, clock }: App): Promise<SweepName[]> {
  const now = [clock.now().toISOString()]
  const [cell, platform] = await Promise.all([db.query(DUE_IN_CELL, now), directory.query(DUE_IN_DIRECTORY, now)])
  const due = [...cell, ...platform].flatMap(({ sweep }) => (sweep === null ? [] : [sweep]))
  const agree = freezeReason(cell) === freezeReason(platform)
  return [...new Set(agree ? due : [...due, 'follow-freeze' as const])]
}

const freezeReason = (rows: readonly DueRow[]) => rows.find(({ sweep }) => sweep === null)?.frozen ?? null
