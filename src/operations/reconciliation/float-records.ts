import type { Actor } from '../../api/access/actor.ts'
import { actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { liveInstallations } from '../../rails/live-rails.ts'
import type { RailSide } from '../../rails/rail.ts'

/**
 * What staff know of an operator's wallet: the balance at a moment (`opening`), money taken out of it (`sweep`) and what the
 * operator charged (`charge`). Amounts are positive whole UGX.
 */
export const FLOAT_KINDS = ['opening', 'sweep', 'charge'] as const
type FloatRecord = {
  installation: string
  side: RailSide
  kind: (typeof FLOAT_KINDS)[number]
  amount: number
  note: string
}

/** The figures from which a wallet's expected balance is computed. */
export type FloatBase = { openingAt: Date; opening: number; lowered: number }
/** A stored record, with who made it and when. */
export type StoredFloatRecord = FloatRecord & { recordedBy: string; recordedAt: Date }
export type FloatReading = {
  installation: string
  side: RailSide
  operator: number
  currency: string
  low: boolean
  readAt: Date
}

const ADD = statement(
  'record float',
  `insert into float_records (installation, side, kind, amount, note, recorded_by, recorded_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)
const BASE = statement<{ openingAt: Date; opening: string; lowered: string }>(
  'float base',
  `select o.recorded_at as "openingAt", o.amount as opening, coalesce((select sum(r.amount) from float_records r
     where r.installation = $1 and r.side = $2 and r.kind in ('sweep', 'charge') and r.id > o.id), 0) as lowered
   from float_records o where o.installation = $1 and o.side = $2 and o.kind = 'opening'
   order by o.id desc limit 1`,
)
const STORE_READING = statement<{ outside: number }>(
  'float read',
  `insert into float_readings (installation, side, operator, currency, low, outside, read_at)
   values ($1, $2, $3, $4, $5, $6::int, $7)
   on conflict (installation, side) do update set operator = excluded.operator, currency = excluded.currency,
     low = excluded.low, read_at = excluded.read_at,
     outside = case when excluded.outside = 0 then 0 else float_readings.outside + 1 end
   returning outside`,
)
const RECORDS = statement<Omit<StoredFloatRecord, 'amount'> & { amount: string }>(
  'float records',
  `select installation, side, kind, amount::text as amount, note, recorded_by as "recordedBy", recorded_at as "recordedAt"
   from float_records order by id desc limit 50`,
)
const READINGS = statement<Omit<FloatReading, 'operator'> & { operator: string }>(
  'float readings',
  `select installation, side, operator, currency, low, read_at as "readAt" from float_readings order by installation, side`,
)

type FloatRecordApp = Pick<App, 'directory' | 'clock' | 'rails'>

/** Stores what staff know of a wallet, with an audit row. Throws 400 for an unknown installation, 403. */
export async function recordFloat(
  { directory, clock, rails }: FloatRecordApp,
  actor: Actor,
  record: FloatRecord,
): Promise<void> {
  allow(actor, 'float.record')
  const { installation, side, kind, amount, note } = record
  if (!liveInstallations({ rails }).some(({ id }) => id === installation))
    throw invalidRequest(`installation: there is no contract called ${installation}`, 'installation')
  const at = clock.now()
  const act = { actor, action: 'float.record', at, merchantId: null } as const
  await writeInTransaction(directory, [
    call(ADD, installation, side, kind, amount, note, actorName(actor), at.toISOString()),
    auditRow({ ...act, subject: `${installation} ${side}`, after: { kind, amount, note } }),
  ])
}

/** The last opening figure of a wallet and what has lowered it since; null before the first one. */
export async function readFloatBase(
  directory: Database,
  { installation, side }: { installation: string; side: RailSide },
): Promise<FloatBase | null> {
  const [row] = await directory.query(BASE, [installation, side])
  return row ? { openingAt: row.openingAt, opening: Number(row.opening), lowered: Number(row.lowered) } : null
}

/** Stores a reading. Returns how many readings in a row were outside of the expected range. */
export async function storeReading(directory: Database, reading: FloatReading, isOutside: boolean): Promise<number> {
  const { installation, side, operator, currency, low, readAt } = reading
  const values = [installation, side, operator, currency, low, isOutside ? 1 : 0, readAt.toISOString()]
  const [row] = await directory.query(STORE_READING, values)
  return row?.outside ?? 0
}

/** The latest records of staff, newest first; at most 50. */
export const listFloatRecords = async (directory: Database): Promise<StoredFloatRecord[]> =>
  (await directory.query(RECORDS)).map((row) => ({ ...row, amount: Number(row.amount) }))

/** The last reading of every wallet. */
export const listFloatReadings = async (directory: Database): Promise<FloatReading[]> =>
  (await directory.query(READINGS)).map((row) => ({ ...row, operator: Number(row.operator) }))
