import { statSync } from 'node:fs'
import { SLOT } from '../../platform/backups/wal-stream.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { type NewestRuns, readNewestRuns } from './backup-runs.ts'

type BackupApp = Pick<Gateway, 'config' | 'directory'>
/** Something about the backups that a person must know of. */
export type BackupFault = { subject: 'backup' | 'drill' | 'timeline'; says: string; since: Date }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const TIMELINE = statement<{ timeline: string | null }>(
  'timeline of the server',
  `select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
)
const STREAM = statement<{ active: boolean; lost: boolean }>(
  'stream of WAL',
  `select active, coalesce(wal_status = 'lost', false) as lost from pg_replication_slots where slot_name = $1`,
)

/** Whether the settings say how this database is backed up. */
const areBackupsConfigured = ({ backupDir, backupPgbackrest }: BackupApp['config']): boolean =>
  backupDir !== null || backupPgbackrest !== null

/** Finds what is late about backups and drills, where backups are configured. */
export async function findBackupFaults(app: BackupApp, at: Date): Promise<BackupFault[]> {
  if (!areBackupsConfigured(app.config)) return []
  const runs = await readNewestRuns(app)
  return [...findLateBackup(app, runs, at), ...findLateDrill(app, runs, at), ...(await findOtherTimeline(app, runs))]
}

function findLateBackup({ config }: BackupApp, { any, full }: NewestRuns, at: Date): BackupFault[] {
  if (any === null || full === null)
    return [{ subject: 'backup', says: 'backups are configured and no full one was ever taken', since: at }]
  if (at.getTime() - any.endedAt.getTime() <= config.backupLateHours * HOUR_MS) return []
  const says = `the last backup (${any.label}) ended at ${any.endedAt.toISOString()}, over ${config.backupLateHours} hours ago`
  return [{ subject: 'backup', says, since: any.endedAt }]
}

function findLateDrill({ config }: BackupApp, { drill, full }: NewestRuns, at: Date): BackupFault[] {
  // Before the first backup there is nothing to restore.
  if (full === null) return []
  const since = drill?.endedAt ?? full.endedAt
  if (drill !== null && at.getTime() - since.getTime() <= config.drillLateDays * DAY_MS) return []
  const says =
    drill === null
      ? 'nobody has ever restored a backup of this database to see that it can be'
      : `the last restore of a backup was tried at ${since.toISOString()}, over ${config.drillLateDays} days ago`
  return [{ subject: 'drill', says, since }]
}

/** A promoted server writes another WAL, which no backup of before leads to. pgBackRest follows it by itself. */
async function findOtherTimeline({ config, directory }: BackupApp, { full }: NewestRuns): Promise<BackupFault[]> {
  if (config.backupDir === null || full === null || full.timeline === null) return []
  const row = await firstRow(directory.query(TIMELINE))
  const timeline = row?.timeline == null ? full.timeline : Number.parseInt(row.timeline, 16)
  if (timeline === full.timeline) return []
  const says = `the server was promoted since the last full backup (timeline ${timeline}, not ${full.timeline}): what was written since cannot be restored until the next full backup`
  return [{ subject: 'timeline', says, since: full.endedAt }]
}

/** Whether nothing receives the WAL of this server, where it should be streamed; a sentence, or null. */
export async function findSilentStream({ config, directory }: BackupApp): Promise<string | null> {
  if (config.backupDir === null) return null
  const slot = await firstRow(directory.query(STREAM, [SLOT]))
  if (slot === null) return 'the WAL of this server was never streamed to BACKUP_DIR'
  if (slot.lost) return 'the server has removed WAL before it was received: take a full backup once the stream runs'
  return slot.active ? null : 'nothing receives the WAL of this server'
}

/** Finds what would make a lost disk cost more than it should. */
export async function findBackupWarnings(gateway: Pick<Gateway, 'config' | 'directory' | 'clock'>): Promise<string[]> {
  const { config } = gateway
  if (!areBackupsConfigured(config))
    return config.production
      ? ['no backups are configured (BACKUP_DIR or BACKUP_PGBACKREST): what is acknowledged is lost with its disk']
      : []
  const faults = await findBackupFaults(gateway, gateway.clock.now())
  const silence = await findSilentStream(gateway)
  return [...faults.map(({ says }) => says), ...(silence === null ? [] : [silence]), ...findSharedDisk(config)]
}

/** Whether backups lie on the disk of the embedded database, and are lost with it. */
function findSharedDisk({ databaseUrl, backupDir, dataDir }: BackupApp['config']): string[] {
  if (databaseUrl !== null || backupDir === null) return []
  const devices = [backupDir, dataDir].map((folder) => statSync(folder, { throwIfNoEntry: false })?.dev)
  return devices[0] !== undefined && devices[0] === devices[1]
    ? ['BACKUP_DIR is on the same disk as DATA_DIR: what loses one loses both']
    : []
}
