import type { Repository } from '../platform/backups/repository.ts'
import { startWalThread } from '../platform/backups/wal-stream.ts'
import { joinEmbeddedPostgres } from '../platform/embedded-postgres.ts'
import { DATABASE_NAME, type OpenedGateway, type OpenOptions } from './open-gateway.ts'
import type { Config } from './settings/config.ts'
import { WrongSettings } from './settings/setting-readers.ts'

/** The server that is backed up, with the right to ask it for backups and its WAL. */
export type BackupServer = { url(): string; leave(): Promise<void> }

/** The folder of the backups and its key. Throws WrongSettings. */
export function getRepository({ backupDir, backupKey }: Config): Repository {
  if (backupDir === null)
    throw new WrongSettings('no backups are configured: set BACKUP_DIR and BACKUP_KEY, or BACKUP_PGBACKREST')
  if (backupKey === null)
    throw new WrongSettings('BACKUP_KEY is required with BACKUP_DIR (make one with: openssl rand -base64 32)')
  return { folder: backupDir, key: backupKey }
}

/** Joins the embedded server, or takes the address of the one that is given. Throws WrongSettings. */
export async function openBackupServer(config: Config, say: (line: string) => void): Promise<BackupServer> {
  if (config.databaseUrl === null) {
    const server = await joinEmbeddedPostgres({ dataDir: config.dataDir, say })
    return { url: () => server.url(DATABASE_NAME), leave: () => server.leave() }
  }
  const url = config.backupDatabaseUrl
  if (url === null)
    throw new WrongSettings(
      'BACKUP_DATABASE_URL is required with DATABASE_URL and BACKUP_DIR: the same server as a login with the right REPLICATION',
    )
  return { url: () => url, leave: async () => {} }
}

/**
 * Streams the WAL of the embedded database, where BACKUP_DIR is set. That of a server of the operator's own is streamed by "gateway backup
 * stream". Returns the function that stops it. Throws WrongSettings.
 */
export function startStream(
  { replicationUrl }: OpenedGateway,
  { config, log, say }: Pick<OpenOptions, 'config' | 'log' | 'say'>,
): () => Promise<void> {
  const url = replicationUrl()
  if (config.backupDir === null || url === null) return async () => {}
  return startWalThread({
    url,
    repository: getRepository(config),
    tell: ({ says, ended }) => {
      if (!ended) return log.info({ says }, 'backup')
      // The alert wal_stream_silent wakes a person; payments go on.
      log.error({ says }, 'the WAL is not streamed any more')
      say(says)
    },
  })
}
