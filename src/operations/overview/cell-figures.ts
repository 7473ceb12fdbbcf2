import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'

/** The live movements under way of one kind, within one range of ages. */
export type UnderWayBand = { noun: MovementNoun; band: number; count: number; amount: number; oldest: Date }
export type MovementNoun = 'charges' | 'payouts' | 'top-ups'
/** The upper bounds of the age ranges in seconds; older movements are in one last range. */
export const BANDS_SECONDS = [60, 300, 900, 21_600] as const
/** At most so many movements of a kind are counted, the oldest first. */
const MAX_COUNTED_UNDER_WAY = 5000

// Indexes: *_under_way, oldest first, so that the movements that need attention are always counted.
const bandsSql = (noun: MovementNoun, from: string) => `
  select '${noun}' as noun, band, count(*)::int as count, sum(amount)::bigint as amount, min(created_at) as oldest
  from (select amount, created_at, ${BANDS_SECONDS.length} - (${BANDS_SECONDS.map(
    (seconds) => `(created_at > $1::timestamptz - interval '${seconds} seconds')::int`,
  ).join(' + ')}) as band
    from (${from} order by created_at limit ${MAX_COUNTED_UNDER_WAY}) x) y group by band`
const UNDER_WAY = statement<UnderWayBand>(
  'live money under way by age',
  [
    bandsSql('charges', `select amount, created_at from charges where follow_at is not null and mode = 'live'`),
    bandsSql('payouts', `select amount, created_at from payouts where follow_at is not null and mode = 'live'`),
    bandsSql('top-ups', 'select amount, created_at from top_ups where follow_at is not null'),
  ].join(' union all '),
)

export type BreakCount = { severity: 'critical' | 'major'; count: number; oldest: Date }
// Index: exceptions_open_by_severity.
const BREAKS = statement<BreakCount>(
  'open exceptions by severity',
  `select severity, count(*)::int as count, min(opened_at) as oldest from (
     select severity, opened_at from exceptions where closed_at is null order by severity, opened_at limit 5000) x group by severity`,
)

type WebhookBacklog = { pending: number; oldestDueAt: Date | null; failing: number }
// Indexes: deliveries_due, and one look-up in deliveries_due_of for each receiver that fails.
const WEBHOOKS = statement<WebhookBacklog>(
  'health of webhooks',
  `select (select count(*)::int from (select 1 from deliveries where next_attempt_at is not null limit 5000) x) as pending,
     (select next_attempt_at from deliveries where next_attempt_at is not null order by next_attempt_at limit 1) as "oldestDueAt",
     (select count(*)::int from (select 1 from receivers r where r.good_in_a_row = 0 and exists (
        select 1 from deliveries d where d.merchant_id = r.merchant_id and d.next_attempt_at is not null and d.attempts > 0) limit 1000) x) as failing`,
)

/** How many further webhook addresses of a mode take nothing, by why. */
export type SilentAddresses = { mode: Mode; state: (typeof SILENT_STATES)[number]; count: number }
/** `failing`: active, and it has answered nothing but errors for a day. */
export const SILENT_STATES = ['failing', 'paused', 'switched_off'] as const
const OF_ACTIVE = 'webhook_addresses a join merchants m on m.id = a.merchant_id and m.active where a.removed_at is null'
// Indexes: webhook_addresses_failing and webhook_addresses_stopped.
const SILENT = statement<SilentAddresses>(
  'webhook addresses that take nothing',
  `select mode, state, count(*)::int as count from (
     (select a.mode, 'failing' as state from ${OF_ACTIVE} and a.state = 'active' and a.failing_since <= $1 limit 1000)
     union all (select a.mode, a.state from ${OF_ACTIVE} and a.state = 'paused' limit 1000)
     union all (select a.mode, a.state from ${OF_ACTIVE} and a.state = 'switched_off' limit 1000)) x group by mode, state`,
)

type OldestWork = { key: Date | null; dispense: Date | null }
// Indexes: idempotency_keys_running, charges_hidden and dispense_claims_commanded. The key of a live charge counts as running while the
// charge is hidden.
const OLDEST = statement<OldestWork>(
  'oldest keys and dispenses under way',
  `select least((select created_at from idempotency_keys where status is null order by created_at limit 1),
       (select created_at from charges where mode = 'live' and not published and follow_at is not null order by created_at limit 1)) as key,
     (select commanded_at from dispense_claims where state in ('commanding', 'accepted', 'ambiguous') and commanded_at > $1
      order by commanded_at limit 1) as dispense`,
)
// One index look-up for each head: read once a minute only.
const OLDEST_DUE_HOLD = statement<{ since: Date | null }>(
  'oldest money that is due',
  `select min(held.hold_until) as since from ledger_heads h cross join lateral (
     select c.hold_until from charges c where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null
       and c.hold_until is not null order by c.hold_until limit 1) held
   where h.mode = 'live' and held.hold_until <= $1`,
)

/** The figures of what one cell is doing now. */
export type CellFigures = {
  cell: string
  underWay: UnderWayBand[]
  breaks: BreakCount[]
  webhooks: WebhookBacklog
  addresses: SilentAddresses[]
  oldest: OldestWork
}

const DAY_MS = 86_400_000

export async function readCellFigures({ cell, db, clock }: App): Promise<CellFigures> {
  const now = clock.now()
  const dayAgo = addMs(now, -DAY_MS).toISOString()
  const [underWay, breaks, webhooks, addresses, oldest] = await Promise.all([
    db.query(UNDER_WAY, [now.toISOString()]),
    db.query(BREAKS),
    firstRow(db.query(WEBHOOKS)),
    db.query(SILENT, [dayAgo]),
    firstRow(db.query(OLDEST, [dayAgo])),
  ])
  return {
    ...{ cell, underWay, breaks, addresses },
    webhooks: webhooks ?? { pending: 0, oldestDueAt: null, failing: 0 },
    oldest: oldest ?? { key: null, dispense: null },
  }
}

/** Reads since when held money of this cell has been due; null where none is. */
export const readDueSince = async ({ db, clock }: App): Promise<Date | null> =>
  (await firstRow(db.query(OLDEST_DUE_HOLD, [clock.now().toISOString()])))?.since ?? null
