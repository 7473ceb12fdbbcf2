import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'

/** What was backed up, or restored for a drill. */
export type BackupRun = {
  kind: 'full' | 'incremental' | 'drill'
  label: string
  place: string
  begunAt: Date
  endedAt: Date
  bytes: number | null
  databaseBytes: number | null
  stopLsn: string | null
  timeline: number | null
}

const STORE = statement(
  'store run of backup',
  `insert into backup_runs (kind, run_by, begun_at, ended_at, label, place, bytes, database_bytes, stop_lsn, timeline)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
const NEWEST = statement<BackupRun>(
  'newest runs of backup',
  `select r.kind, r.label, r.place, r.begun_at as "begunAt", r.ended_at as "endedAt", r.bytes, r.database_bytes as "databaseBytes",
     r.stop_lsn as "stopLsn", r.timeline
   from (values ('full'), ('incremental'), ('drill')) k (kind) cross join lateral (
     select * from backup_runs b where b.kind = k.kind order by b.ended_at desc limit 1) r`,
)

/** Records a backup that has ended, or a drill, in one commit with its row of the audit. Throws 403. */
export async function storeBackupRun(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  actor: Actor,
  run: BackupRun,
): Promise<void> {
  const action = 'backup.record'
  allow(actor, action)
  const { kind, label, place, bytes, databaseBytes, stopLsn, timeline } = run
  const times = [run.begunAt.toISOString(), run.endedAt.toISOString()]
  const values = [kind, actorName(actor), ...times, label, place, bytes, databaseBytes, stopLsn, timeline]
  await directory.transaction(async (tx) => {
    await tx.send(call(STORE, ...values))
    const act = { actor, action, at: clock.now(), merchantId: null, subject: label } as const
    return { value: null, last: [auditRow({ ...act, after: { kind, place, bytes } })] }
  })
}

export type NewestRuns = { full: BackupRun | null; any: BackupRun | null; drill: BackupRun | null }

/** Reads the newest full backup, the newest of any kind, and the newest drill. */
export async function readNewestRuns({ directory }: Pick<Gateway, 'directory'>): Promise<NewestRuns> {
  const rows = await directory.query(NEWEST)
  const of = (kind: BackupRun['kind']) => rows.find((row) => row.kind === kind) ?? null
  const [full, incremental] = [of('full'), of('incremental')]
  const isNewer = incremental !== null && (full === null || incremental.endedAt > full.endedAt)
  return { full, any: isNewer ? incremental : full, drill: of('drill') }
}
