import { type BackupRun, storeBackupRun } from '../../operations/backups/backup-runs.ts'
import { takeFullBackup } from '../../platform/backups/base-backup.ts'
import { backUpWithPgBackRest, readPgBackRest } from '../../platform/backups/pgbackrest.ts'
import { listFulls, removeOldBackups } from '../../platform/backups/repository.ts'
import { readReach } from '../../platform/backups/restore-plan.ts'
import { readSealed } from '../../platform/backups/sealed-file.ts'
import { streamWal } from '../../platform/backups/wal-stream.ts'
import { getRepository, openBackupServer } from '../backup-server.ts'
import { fingerprintKeysInUse } from '../master-key.ts'
import type { Config } from '../settings/config.ts'
import { answerRows, command, commandAlone, formatFacts } from './frame/command.ts'
import { type CommandInput, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

type Taken = BackupRun & { removed: readonly string[] }

const backup = command({
  usage: 'backup [--full|--incremental]',
  says: 'back up the database while it serves, by BACKUP_DIR or by pgBackRest',
  async run(input) {
    const { full, incremental } = input.options
    if (full === true && incremental === true) throw new WrongUsage('say --full or --incremental, not both')
    const { backupPgbackrest: stanza } = input.config
    const taken = await (stanza === null
      ? takeInFolder(input, incremental === true)
      : takeWithPgBackRest(input, { stanza, type: full === true ? 'full' : 'incr' }))
    await storeBackupRun(input.gateway, input.actor, taken)
    const facts = presentRun(taken)
    return { json: facts, lines: formatFacts(facts, 16) }
  },
})

async function takeInFolder({ config, gateway, say }: CommandInput, incremental: boolean): Promise<Taken> {
  if (incremental)
    throw new WrongUsage(
      'BACKUP_DIR holds full backups and the streamed WAL behind them, which is every change since: an incremental backup is one of pgBackRest (BACKUP_PGBACKREST)',
    )
  const repository = getRepository(config)
  const server = await openBackupServer(config, say)
  try {
    const masterKeyChecks = await fingerprintKeysInUse(config, gateway.directory)
    const full = await takeFullBackup({ url: server.url(), repository, masterKeyChecks, clock: gateway.clock })
    const removed = removeOldBackups(repository, config.backupKeep)
    const times = { begunAt: new Date(full.begunAt), endedAt: new Date(full.endedAt) }
    const { label, bytes, databaseBytes, stopLsn, timeline } = full
    const sizes = { bytes, databaseBytes, stopLsn, timeline }
    return { kind: 'full', label, place: repository.folder, ...times, ...sizes, removed }
  } finally {
    await server.leave()
  }
}

async function takeWithPgBackRest(
  { config, gateway }: CommandInput,
  { stanza, type }: { stanza: string; type: 'full' | 'incr' },
): Promise<Taken> {
  const begunAt = gateway.clock.now()
  const masterKeyChecks = await fingerprintKeysInUse(config, gateway.directory)
  const made = await backUpWithPgBackRest(stanza, { type, keep: config.backupKeep, masterKeyChecks })
  return {
    kind: made.type === 'full' ? 'full' : 'incremental',
    ...{ label: made.label, place: `pgBackRest ${stanza}`, begunAt, endedAt: gateway.clock.now() },
    ...{ bytes: made.bytes, databaseBytes: made.databaseBytes, stopLsn: null, timeline: null, removed: [] },
  }
}

const presentRun = ({ kind, label, place, begunAt, endedAt, bytes, databaseBytes, stopLsn, removed }: Taken) => ({
  ...{ kind, label, place, bytes, database_bytes: databaseBytes },
  seconds: (endedAt.getTime() - begunAt.getTime()) / 1000,
  ended_at: endedAt.toISOString(),
  until_lsn: stopLsn,
  removed: removed.join(', ') || null,
})

type ListedBackup = { kind: string; label: string; endedAt: Date; bytes: number; until: Date | null; says: string }

const list = commandAlone({
  usage: 'backup list',
  says: 'which backups there are, and up to when each can be restored',
  async run({ config }) {
    return answerRows(await listBackups(config), {
      none: 'there is no backup',
      present: ({ kind, label, endedAt, bytes, until, says }) => ({
        ...{ kind, label, ended_at: endedAt.toISOString(), bytes, until: until?.toISOString() ?? null, says },
      }),
      lines: ({ kind, label, bytes, until, says }) =>
        `${label} ${kind} ${bytes} bytes${until === null ? '' : `, can be restored up to ${until.toISOString()}`}${says}`,
    })
  },
})

async function listBackups(config: Config): Promise<ListedBackup[]> {
  if (config.backupPgbackrest !== null) {
    const { backups } = await readPgBackRest(config.backupPgbackrest)
    return backups.map(({ type, label, endedAt, bytes }) => ({
      ...{ kind: type === 'full' ? 'full' : 'incremental', label, endedAt, bytes },
      ...{ until: null, says: '' },
    }))
  }
  const repository = getRepository(config)
  const listed: ListedBackup[] = []
  for (const full of listFulls(repository)) {
    const { until, missing } = await readReach(repository, full)
    const says = missing === null ? '' : ` (the WAL segment ${missing} behind it is missing)`
    const { label, bytes } = full
    listed.push({ kind: 'full', label, endedAt: new Date(full.endedAt), bytes, until, says })
  }
  return listed
}

const verify = commandAlone({
  usage: 'backup verify',
  says: 'read every file of BACKUP_DIR and check that it is as it was written; names the first that is not',
  async run({ config }) {
    const repository = getRepository(config)
    let [files, bytes] = [0, 0]
    for (const full of listFulls(repository)) {
      const { segments } = await readReach(repository, full)
      for (const { path, whole } of [
        { path: `${repository.folder}/full/${full.label}/base.tar.sealed`, whole: true },
        ...segments,
      ]) {
        for await (const { data } of readSealed(path, repository.key, { unfinished: !whole })) bytes += data.length
        files += 1
      }
    }
    return { json: { files, bytes }, lines: [`${files} files (${bytes} bytes of data) are as they were written`] }
  },
})

const stream = commandAlone({
  usage: 'backup stream',
  says: 'store the WAL of the database in BACKUP_DIR as it is written, until it is stopped',
  async run({ config, say, stopping }) {
    const repository = getRepository(config)
    const server = await openBackupServer(config, say)
    try {
      await streamWal({ url: server.url, repository, say, stopping })
    } finally {
      await server.leave()
    }
    return { json: { stopped: true }, lines: ['stopped'] }
  },
})

const drilled = command({
  usage: 'backup drilled --restored LABEL',
  says: 'record that a backup was restored and that "verify" held there',
  async run({ gateway, actor, options }) {
    const label = requireText({ options }, 'restored')
    const at = gateway.clock.now()
    const sizes = { bytes: null, databaseBytes: null, stopLsn: null, timeline: null }
    await storeBackupRun(gateway, actor, {
      ...{ kind: 'drill' as const, label, place: 'restored elsewhere', begunAt: at, endedAt: at },
      ...sizes,
    })
    return { json: { restored: label, at: at.toISOString() }, lines: [`recorded: ${label} was restored`] }
  },
})

// The shortest name last: `backup list` begins with it too.
export const backupCommands = [list, verify, stream, drilled, backup]
