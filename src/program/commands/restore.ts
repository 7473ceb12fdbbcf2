import { copyFileSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { freezePlatform, readPlatformFreeze } from '../../merchants/account/payout-freeze.ts'
import { choosePgBackRest, readPgBackRest, restoreWithPgBackRest } from '../../platform/backups/pgbackrest.ts'
import { requireEmptyFolder, restoreInto } from '../../platform/backups/restore-folder.ts'
import { planRestore } from '../../platform/backups/restore-plan.ts'
import { newServerClient } from '../../platform/db/servers/server-client.ts'
import { CannotStart } from '../../platform/processes/cannot-start.ts'
import { fingerprintMasterKey } from '../../platform/secrets.ts'
import { getRepository } from '../backup-server.ts'
import { findMasterKeys } from '../master-key.ts'
import type { Config } from '../settings/config.ts'
import { command, commandAlone, formatFacts } from './frame/command.ts'
import { requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const SHOWN_DIGITS = 12
const MASTER_KEY_FILE = 'master.key'

const restore = commandAlone({
  usage: 'restore --to TIME|latest --into DIR',
  says: 'put a backup into a new folder, as it was at a time; overwrites nothing and starts nothing',
  async run({ config, options }) {
    const to = parseTo(requireText({ options }, 'to'))
    const into = resolve(requireText({ options }, 'into'))
    requireEmptyFolder(into)
    const since = performance.now()
    const label = await (config.backupPgbackrest === null
      ? restoreFromFolder(config, into, to)
      : restoreFromPgBackRest(config, into, { to, stanza: config.backupPgbackrest }))
    const facts = {
      ...{ restored: label, into, to: to?.toISOString() ?? 'latest' },
      seconds: Math.round(performance.now() - since) / 1000,
    }
    return { json: facts, lines: [...formatFacts(facts, 10), '', ...nextSteps(config, into)] }
  },
})

function parseTo(text: string): Date | null {
  if (text === 'latest') return null
  const moment = /[Zz]|[+-][0-9]{2}:?[0-9]{2}$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(moment.getTime()))
    throw new WrongUsage('--to must be latest, or a time with its offset: 2026-11-29T08:30:00Z')
  return moment
}

async function restoreFromFolder(config: Config, into: string, to: Date | null): Promise<string> {
  const repository = getRepository(config)
  const plan = await planRestore(repository, to)
  const file = requireMasterKeys(config, plan.full.masterKeyChecks)
  await restoreInto(clusterIn(config, into), repository, plan)
  // The generated key of the embedded database lies beside its data, and was at hand.
  if (file !== null && config.databaseUrl === null) copyFileSync(file, join(into, MASTER_KEY_FILE))
  return plan.full.label
}

async function restoreFromPgBackRest(
  config: Config,
  into: string,
  { to, stanza }: { to: Date | null; stanza: string },
): Promise<string> {
  const backup = choosePgBackRest(await readPgBackRest(stanza), to)
  requireMasterKeys(config, backup.masterKeyChecks)
  await restoreWithPgBackRest(stanza, { folder: into, backup, to })
  return backup.label
}

/** The embedded database lives in a folder of its data folder. */
function clusterIn({ databaseUrl }: Config, into: string): string {
  if (databaseUrl !== null) return into
  mkdirSync(into, { recursive: true, mode: 0o711 })
  return join(into, 'postgres')
}

/** Refuses a restore whose secrets nobody could open. Returns the file of the key, where it is in one. */
function requireMasterKeys(config: Config, checks: readonly string[]): string | null {
  const { keys, file } = findMasterKeys(config)
  const atHand = keys.map(fingerprintMasterKey)
  const missing = checks.find((check) => !atHand.includes(check))
  if (missing === undefined) return file
  const shown = atHand.map((check) => check.slice(0, SHOWN_DIGITS)).join(', ') || 'none'
  throw new CannotStart(
    `the master key at hand does not open what was backed up: the backup needs the one with the fingerprint ${missing.slice(0, SHOWN_DIGITS)}, at hand is ${shown}. Set MASTER_KEY, and MASTER_KEY_PREVIOUS if it was being changed`,
  )
}

function nextSteps(config: Config, into: string): string[] {
  const embedded = config.databaseUrl === null
  const place = embedded ? `DATA_DIR=${into}` : 'DATABASE_URL=<its address>'
  return [
    'It starts read-only. Next:',
    ...(embedded
      ? []
      : [`  start PostgreSQL on ${into}, as the account that owns it, on a port that nobody else reaches`]),
    `  ${place} gateway verify`,
    `  ${place} gateway audit verify`,
    `  ${place} gateway restore open       (it takes writes from then on; live payouts are frozen)`,
    `  ${place} gateway serve              (then compare with the operator's statement, and end the freeze)`,
    '  gateway backup --full               (what it writes from now on is another history)',
  ]
}

const open = command({
  usage: 'restore open',
  says: 'let a restored database take writes, with live payouts frozen',
  async run({ gateway, opened, actor }) {
    allow(actor, 'backup.record')
    if (opened.readOnly) await promote(opened.ownerUrl)
    const act = { actor, action: 'backup.record', at: gateway.clock.now(), merchantId: null } as const
    const row = auditRow({ ...act, after: { kind: 'opened' } })
    await gateway.directory.query(row.statement, row.values)
    const { reason } = await readPlatformFreeze(gateway.directory)
    if (reason === null) await freezePlatform(gateway, actor, 'restored from a backup')
    return {
      json: { open: true, promoted: opened.readOnly, frozen: true },
      lines: ['it takes writes, and live payouts are frozen: "gateway payouts unfreeze" once all agrees'],
    }
  },
})

const WAIT_SECONDS = 60

async function promote(url: string): Promise<void> {
  const client = newServerClient(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ done: boolean }>(`select pg_promote(true, ${WAIT_SECONDS}) as done`)
    if (!rows[0]?.done) throw new CannotStart(`it was not promoted within ${WAIT_SECONDS} seconds: look at its log`)
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error
    throw new CannotStart(
      'this login may not promote the server: run "select pg_promote()" as its superuser, then "gateway restore open" again',
    )
  } finally {
    await client.end()
  }
}

// The shorter name last: `restore open` begins with it too.
export const restoreCommands = [open, restore]
