import { spawn } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { findAccount, runsAsRoot } from '../embedded-postgres/run-as.ts'
import { CannotStart } from '../processes/cannot-start.ts'
import { formatTarget, requireEmptyFolder } from './restore-folder.ts'

/** A backup in a repository of pgBackRest. */
export type PgBackRestBackup = {
  label: string
  type: 'full' | 'diff' | 'incr'
  endedAt: Date
  /** The size of the database, and what this backup added to the repository. */
  databaseBytes: number
  bytes: number
  /** Fingerprints of the master keys that its secrets are sealed with; none where it was not taken by "gateway backup". */
  masterKeyChecks: string[]
}
export type PgBackRestState = { backups: PgBackRestBackup[]; encrypted: boolean }

type StanzaInfo = {
  name: string
  cipher: string
  status: { code: number; message: string }
  backup: {
    label: string
    type: PgBackRestBackup['type']
    timestamp: { stop: number }
    info: { size: number; repository: { delta: number } }
    annotation?: Record<string, string>
  }[]
}
type BackupOptions = { type: 'full' | 'incr'; keep: number; masterKeyChecks: readonly string[] }

const ANNOTATION = 'master-key'
const NO_BACKUPS_YET = 2

/** Takes a backup with pgBackRest, whose own configuration says where to, with which cipher and how WAL is archived. Throws CannotStart. */
export async function backUpWithPgBackRest(
  stanza: string,
  { type, keep, masterKeyChecks }: BackupOptions,
): Promise<PgBackRestBackup> {
  const { encrypted } = await readPgBackRest(stanza)
  if (!encrypted)
    throw new CannotStart(
      `the repository of stanza ${stanza} is not encrypted: set repo1-cipher-type and repo1-cipher-pass in the configuration of pgBackRest and make the stanza anew`,
    )
  await runPgBackRest(stanza, [
    ...['backup', `--type=${type}`, '--start-fast', `--repo1-retention-full=${keep}`],
    `--annotation=${ANNOTATION}=${masterKeyChecks.join('.')}`,
  ])
  const newest = (await readPgBackRest(stanza)).backups.at(-1)
  if (newest === undefined) throw new CannotStart(`pgBackRest took a backup and lists none for the stanza ${stanza}`)
  return newest
}

/** Reads which backups there are, the oldest first. Throws CannotStart. */
export async function readPgBackRest(stanza: string): Promise<PgBackRestState> {
  const list = JSON.parse(await runPgBackRest(stanza, ['info', '--output=json'])) as StanzaInfo[]
  const info = list.find(({ name }) => name === stanza)
  if (info === undefined || ![0, NO_BACKUPS_YET].includes(info.status.code))
    throw new CannotStart(
      `pgBackRest says of the stanza ${stanza}: ${info?.status.message ?? 'there is none'} (make it with "pgbackrest --stanza=${stanza} stanza-create")`,
    )
  const backups = info.backup.map(
    ({ label, type, timestamp, info: { size, repository }, annotation }): PgBackRestBackup => ({
      ...{ label, type, endedAt: new Date(timestamp.stop * 1000) },
      ...{ databaseBytes: size, bytes: repository.delta },
      masterKeyChecks: annotation?.[ANNOTATION]?.split('.') ?? [],
    }),
  )
  return { backups, encrypted: info.cipher !== 'none' }
}

/** The newest backup that had ended by then. Throws CannotStart where there is none. */
export function choosePgBackRest({ backups }: PgBackRestState, to: Date | null): PgBackRestBackup {
  const chosen = backups.filter(({ endedAt }) => to === null || endedAt <= to).at(-1)
  if (chosen !== undefined) return chosen
  const oldest = backups[0]
  throw new CannotStart(
    oldest === undefined
      ? 'pgBackRest has no backup of this stanza: nothing can be restored from it'
      : `the oldest backup of pgBackRest ended at ${oldest.endedAt.toISOString()}: nothing can be restored to ${to?.toISOString()}`,
  )
}

type RestoreOptions = { folder: string; backup: PgBackRestBackup; to: Date | null }

/** Restores into an empty folder, which starts read-only and replays WAL out of the repository. Throws CannotStart. */
export async function restoreWithPgBackRest(stanza: string, { folder, backup, to }: RestoreOptions): Promise<void> {
  requireEmptyFolder(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const account = runsAsRoot() ? findAccount() : null
  if (account !== null) chownSync(folder, account.uid, account.gid)
  await runPgBackRest(stanza, [
    ...['restore', `--pg1-path=${folder}`, `--set=${backup.label}`, '--type=standby', '--archive-mode=off'],
    ...['recovery_target_action=pause', 'recovery_target_timeline=current', 'synchronous_standby_names='].map(
      (option) => `--recovery-option=${option}`,
    ),
    ...(to === null ? [] : [`--recovery-option=recovery_target_time=${formatTarget(to)}`]),
  ])
}

/** Runs as the account `postgres` where this program runs as root: archived WAL and backups must have one owner. */
async function runPgBackRest(stanza: string, words: readonly string[]): Promise<string> {
  const account = runsAsRoot() ? findAccount() : null
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid }
  const args = [`--stanza=${stanza}`, '--log-level-console=off', '--log-level-stderr=error', ...words]
  const child = spawn('pgbackrest', args, { ...identity, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, complaint] = ['', '']
  child.stdout.on('data', (part) => {
    output += part
  })
  child.stderr.on('data', (part) => {
    complaint += part
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CannotStart(
          error.code === 'ENOENT'
            ? 'BACKUP_PGBACKREST is set and pgbackrest is not installed here (apt-get install pgbackrest)'
            : `pgbackrest could not be run: ${error.message}`,
        ),
      ),
    )
    child.on('close', resolve)
  })
  if (code === 0) return output
  throw new CannotStart(`pgbackrest ${words[0]} failed (${code}): ${complaint.trim() || output.trim()}`)
}
