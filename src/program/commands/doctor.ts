import { listContacts } from '../../merchants/mails/contacts.ts'
import { listAlertRecipients } from '../../operations/alerts/send-message.ts'
import { isAlertAddressConfirmed } from '../../operations/alerts/test-alert.ts'
import { findBackupWarnings } from '../../operations/backups/backup-faults.ts'
import { describeAway } from '../../platform/db/cell-watch.ts'
import { findGuardFaults, findNodeRoleFaults } from '../../platform/db/ledger-guard.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../app.ts'
import type { Config } from '../settings/config.ts'
import { type DatabaseServer, groupByServer } from './database-servers.ts'
import { readDurability } from './durability.ts'
import {
  findChoiceWarnings,
  findEmulatorFaults,
  findInstallationWarnings,
  findLostInstallations,
} from './examine-installations.ts'
import { findColumnsBehind } from './secrets.ts'

/** A problem of this deployment. */
type DoctorFinding = { level: 'refused' | 'warning'; says: string }

const SERVER_SETTINGS = statement<{ name: string; value: string }>(
  'server settings',
  `select name, setting as value from pg_settings where name = any($1::text[])`,
)
// A unix socket has no address, and loopback traffic stays on the machine.
const SERVER_WIRE = statement<{ open: boolean }>(
  'wire to the server',
  `select not ssl and coalesce(not (inet_server_addr() <<= inet '127.0.0.0/8' or inet_server_addr() = inet '::1'), false) as open
   from pg_stat_ssl where pid = pg_backend_pid()`,
)
const CONNECTION_ROOM = statement<{ connections: number }>(
  'room for connections',
  `select (select setting::int from pg_settings where name = 'max_connections')
     - (select setting::int from pg_settings where name = 'superuser_reserved_connections') as connections`,
)
const ANY_ADMIN = statement(
  'any admin',
  `select 1 from people where realm = 'operator' and operator_role = 'admin' and closed_at is null limit 1`,
)
const ACTIVE_DEMO = statement('demo merchant', `select 1 from merchants where handle = 'demo' and active`)

const MAX_CONNECTION_SHARE = 0.8
const SPEC_DELAYS = '0,60,300,1800,7200,21600,43200,86400'

/**
 * Examines settings and server (reliability.md 8.4). Outside production every line is a warning. `processes`: how many there are like this
 * one, under one parent.
 */
export async function examineInstallation({
  config,
  gateway: whole,
  processes = 1,
}: {
  config: Config
  gateway: Gateway
  processes?: number
}): Promise<DoctorFinding[]> {
  const level = config.production ? 'refused' : 'warning'
  const { gateway, away } = await leaveOutAway(whole)
  const sentences = [
    ...findSettingsFaults(config),
    ...findEmulatorFaults(config),
    ...(await findServerFaults(gateway, processes)),
    ...(await findAlertFaults(gateway)),
  ]
  const behind = await findColumnsBehind(gateway)
  const lost = await findLostInstallations(config, gateway)
  const admins = await gateway.directory.query(ANY_ADMIN)
  const warnings = [
    ...away,
    ...(await findAlertWarnings(gateway)),
    ...(await findBackupWarnings(gateway)),
    ...(await readDurability(gateway)).warnings,
    ...findInstallationWarnings(config),
    ...(await findChoiceWarnings(gateway)),
    ...(admins.length === 0 ? ['the console has no admin: make one with "gateway admin create --email E"'] : []),
    ...(config.databaseUrl === null ? ['DATABASE_URL is unset: the embedded database is in use'] : []),
    ...(config.production && config.mailUrl === null
      ? [
          'MAIL_URL is unset: mails are files in DATA_DIR/mail, and nobody gets a link to confirm or to choose a new password',
        ]
      : []),
    ...(config.production && listContacts(config, '').length === 0
      ? ['SUPPORT_EMAIL, SUPPORT_PHONE and SUPPORT_WHATSAPP are unset: set one, so that merchants can reach a person']
      : []),
    ...(behind.length === 0
      ? []
      : [`${behind.join(', ')} hold secrets sealed with an older key: run "gateway secrets rewrap"`]),
    ...(behind.length === 0 && config.masterKeyPrevious.length > 0
      ? ['MASTER_KEY_PREVIOUS is set and nothing is sealed with it any more: remove it']
      : []),
  ]
  return [
    // Only the installation through which it was posted knows such a payment.
    ...lost.map((says) => ({ level: 'refused', says }) as const),
    ...sentences.map((says) => ({ level, says }) as const),
    ...warnings.map((says) => ({ level: 'warning', says }) as const),
  ]
}

/** A node that is away must not stop the others from starting: what it holds is not examined. */
async function leaveOutAway(gateway: Gateway): Promise<{ gateway: Gateway; away: string[] }> {
  if (gateway.nodes === null) return { gateway, away: [] }
  const away = await gateway.cellWatch.look()
  const cells = gateway.cellWatch.reached(gateway.cells)
  return { gateway: { ...gateway, cells }, away: away.map((cell) => `${describeAway(cell)}: it was not examined`) }
}

function findSettingsFaults(config: Config): string[] {
  const rules: [boolean, string][] = [
    [
      config.masterKey === null,
      'MASTER_KEY is the one generated beside the embedded data; set your own and keep it elsewhere',
    ],
    [
      config.baseUrl === null || !config.baseUrl.startsWith('https://'),
      'BASE_URL is not https: links, QR codes and webhooks would carry an address that customers cannot trust',
    ],
    [config.testHooks, 'TEST_HOOKS is on: it lets CRASH_POINT kill the process and TEST_CLOCK move its time'],
    [config.webhookAllowPrivate.length > 0, 'WEBHOOK_ALLOW_PRIVATE lets webhooks reach private addresses'],
    [
      config.supplierAllowPrivate.length > 0,
      'SUPPLIER_ALLOW_PRIVATE lets machine suppliers be private addresses, without TLS',
    ],
    [config.webhookRetryDelays.join(',') !== SPEC_DELAYS, "WEBHOOK_RETRY_DELAYS differs from the spec's ladder"],
    [
      config.liveHoldHours < 24,
      `LIVE_HOLD_HOURS is ${config.liveHoldHours}, shorter than the 24 that merchants are told`,
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, says]) => says)
}

async function findServerFaults(gateway: Gateway, processes: number): Promise<string[]> {
  const faults: string[] = []
  for (const server of groupByServer(gateway)) {
    faults.push(...(await findSettingFaults(server)))
    faults.push(...(await findConnectionFaults(server, processes)))
  }
  await gateway.witness.askServer()
  const doubt = gateway.witness.doubt()
  if (doubt !== null) faults.push(doubt)
  const schemas = ['directory', ...gateway.cells.map(({ cell }) => cell)]
  faults.push(...(await findGuardFaults(gateway.directory, schemas)))
  if (gateway.nodes !== null) faults.push(...(await findNodeRoleFaults(gateway.directory)))
  const active = await Promise.all(gateway.cells.map((app) => app.db.query(ACTIVE_DEMO)))
  if (active.some((rows) => rows.length > 0))
    faults.push('the demo merchant is active; deactivate it: gateway merchants set demo --active false')
  return faults
}

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  ...{ fsync: ['on'], synchronous_commit: ['on', 'remote_apply'] },
  ...{ full_page_writes: ['on'], server_encoding: ['UTF8'] },
}

async function findSettingFaults({ name: server, databases: [db] }: DatabaseServer): Promise<string[]> {
  const settings = (await db?.query(SERVER_SETTINGS, [Object.keys(EXPECTED)])) ?? []
  return settings
    .filter(({ name, value }) => !EXPECTED[name]?.includes(value))
    .map(({ name, value }) => `${server} has ${name} = ${value}; it must be ${EXPECTED[name]?.[0]}`)
}

async function findConnectionFaults({ name, databases }: DatabaseServer, processes: number): Promise<string[]> {
  const [db] = databases
  if (db === undefined) return []
  const faults: string[] = []
  const [wire] = await db.query(SERVER_WIRE)
  if (wire?.open)
    faults.push(
      `DATABASE_URL reaches ${name} over a network without TLS: add ?sslmode=verify-full, or use a unix socket`,
    )
  const [room] = await db.query(CONNECTION_ROOM)
  const opened = processes * databases.reduce((sum, { maxConnections }) => sum + maxConnections, 0)
  const limit = Math.floor((room?.connections ?? 0) * MAX_CONNECTION_SHARE)
  const who =
    processes === 1
      ? 'this process'
      : `${processes} processes (those of --processes, and one more while they are replaced)`
  const cure = processes === 1 ? 'raise max_connections' : 'raise max_connections, or start fewer'
  if (room && opened > limit)
    faults.push(
      `${who} may open ${opened} connections, and ${name} has room for ${room.connections}: at most ${limit} are to be used, over all processes (${cure})`,
    )
  return faults
}

async function findAlertFaults(gateway: Gateway): Promise<string[]> {
  const { alertWebhook } = gateway.config
  const mailed = await listAlertRecipients(gateway)
  if (alertWebhook === null && mailed.length === 0)
    return ['ALERT_WEBHOOK is not set, and no mail either: nobody hears when money is stuck or the ledger is wrong']
  if (await isAlertAddressConfirmed(gateway)) return []
  return ['nobody has confirmed an alert: run "gateway alerts test"']
}

/** Finds what makes alerts less certain to arrive. */
async function findAlertWarnings(gateway: Gateway): Promise<string[]> {
  const { alertWebhook, alertMail, mailUrl, heartbeatUrl } = gateway.config
  const mailed = await listAlertRecipients(gateway)
  return [
    ...(alertWebhook !== null && mailed.length === 0
      ? ['alerts leave by one way only: set ALERT_MAIL too, so that a failure of one goes out by the other']
      : []),
    ...(alertWebhook === null && mailed.length > 0
      ? ['alerts leave by mail only: set ALERT_WEBHOOK too, so that a failure of one goes out by the other']
      : []),
    ...(alertMail.length > 0 && mailUrl === null
      ? ['ALERT_MAIL is set and MAIL_URL is not: alerts are files in DATA_DIR/mail']
      : []),
    ...(heartbeatUrl === null ? ['HEARTBEAT_URL is not set: nobody hears when the whole service is down'] : []),
  ]
}
