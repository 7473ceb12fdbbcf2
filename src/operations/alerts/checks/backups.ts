import type { Database } from '../../../platform/db/database.ts'
import type { App } from '../../../program/app.ts'
import { findBackupFaults, findSilentStream } from '../../backups/backup-faults.ts'
import type { Check, Finding } from '../check.ts'

// A stream that comes back within this time was interrupted by a restart.
const SILENT_AFTER_MS = 2 * 60_000
const HOUR_MS = 3_600_000
/** Since when this process has seen nobody receive the WAL of a server, which says it only from PostgreSQL 17 on. */
const SILENT_SINCE = new WeakMap<Database, Date>()

const source = () => 'backups'

/** Checks whether what a lost disk would cost is as small as it should be, where backups are configured. */
export const BACKUP_CHECKS: readonly Check[] = [
  { kinds: ['backup_late'], source, find: findLateBackups },
  { kinds: ['wal_stream_silent'], source, find: findSilence },
]

async function findLateBackups(app: App, at: Date): Promise<Finding[]> {
  const faults = await findBackupFaults(app, at)
  return faults.map(({ subject, says, since }) => ({
    kind: 'backup_late',
    subject,
    message: says,
    size: Math.max(1, Math.floor((at.getTime() - since.getTime()) / HOUR_MS)),
    since,
  }))
}

async function findSilence(app: App, at: Date): Promise<Finding[]> {
  const says = await findSilentStream(app)
  if (says === null) {
    SILENT_SINCE.delete(app.directory)
    return []
  }
  const since = SILENT_SINCE.get(app.directory) ?? at
  SILENT_SINCE.set(app.directory, since)
  const ms = at.getTime() - since.getTime()
  if (ms < SILENT_AFTER_MS) return []
  const message = `${says} since ${since.toISOString()}: what is acknowledged from then on is lost with its disk`
  return [{ kind: 'wal_stream_silent', subject: 'stream', message, size: Math.round(ms / 60_000), since }]
}
