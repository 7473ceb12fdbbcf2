import { resolve } from 'node:path'
import { MAX_HOLD_HOURS } from '../../merchants/account/max-hold.ts'
import { keepContexts } from '../../platform/log/async-context.ts'
import { armCrashPoint } from '../../platform/processes/crash-point.ts'
import type { Op1Installation } from '../../rails/op1-momo/installation.ts'
import { ALERT_SETTINGS } from './alert-settings.ts'
import { AMOUNT_SETTINGS } from './amount-settings.ts'
import { BACKUP_SETTINGS } from './backup-settings.ts'
import { FOLLOW_SETTINGS } from './follow-settings.ts'
import { readOp1Installations } from './op1-installations.ts'
import { RATE_SETTINGS } from './rate-settings.ts'
import { missingSettings, refusedSettings } from './refused-settings.ts'
import {
  anyText,
  databaseUrl,
  headerName,
  hostPorts,
  masterKey,
  masterKeys,
  oneOf,
  optional,
  retryDelays,
  type SettingSpec,
  setting,
  url,
  WrongSettings,
  wholeNumber,
} from './setting-readers.ts'
import { SUPPLIER_SETTINGS } from './supplier-settings.ts'
import { SUPPORT_SETTINGS } from './support-settings.ts'

const PRODUCTION = 'production'

const SETTINGS = {
  port: setting('PORT', '8080', 'where the API listens', wholeNumber(0, 65_535)),
  host: setting(
    'HOST',
    '127.0.0.1',
    'the address it listens on; a proxy with TLS stands in front in production',
    anyText,
  ),
  baseUrl: setting('BASE_URL', '', 'the address merchants and customers use; empty means http://HOST:PORT', url),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'a PostgreSQL server (15 to 18) of yours, or several with commas between, of which the one that takes writes is used; empty means the embedded one in DATA_DIR',
    databaseUrl,
  ),
  migrateDatabaseUrl: setting(
    'MIGRATE_DATABASE_URL',
    '',
    'the same database as the owner of its schema, for migrations alone; empty means DATABASE_URL, which production refuses to be an owner',
    databaseUrl,
  ),
  cellMerchants: setting(
    'CELL_MERCHANTS',
    '',
    'how many merchants a cell takes: new ones go to the cell with the fewest, of those that have room; empty means the first cell takes all',
    (text) => (text === '' ? null : wholeNumber(1, 1_000_000_000)(text)),
  ),
  dataDir: setting('DATA_DIR', './data', 'where the embedded database and its generated master key live', (text) =>
    resolve(text),
  ),
  masterKey: setting(
    'MASTER_KEY',
    '',
    'base64 of 32 bytes; encrypts stored secrets. Generated into DATA_DIR on the embedded default, required with DATABASE_URL',
    masterKey,
  ),
  masterKeyPrevious: setting(
    'MASTER_KEY_PREVIOUS',
    '',
    'further master keys, with commas between, that stored secrets may still be sealed with; for a change of MASTER_KEY',
    masterKeys,
  ),
  nodeEnv: setting(
    'NODE_ENV',
    'development',
    'development, test or production, which turns warnings of doctor into refusals',
    oneOf('development', 'test', PRODUCTION),
  ),
  sandboxOutcomeSeconds: setting(
    'SANDBOX_OUTCOME_SECONDS',
    '2',
    'how long after its creation a test charge ends (0 to 5)',
    wholeNumber(0, 5),
  ),
  testHoldSeconds: setting(
    'TEST_HOLD_SECONDS',
    '0',
    'hold of test charges; 0 credits available in the commit that succeeds',
    wholeNumber(0, MAX_HOLD_HOURS * 3600),
  ),
  liveHoldHours: setting(
    'LIVE_HOLD_HOURS',
    '24',
    'hold of live charges before they settle (spec 1.8)',
    wholeNumber(0, MAX_HOLD_HOURS),
  ),
  ...AMOUNT_SETTINGS,
  ...FOLLOW_SETTINGS,
  ...RATE_SETTINGS,
  webhookRetryDelays: setting(
    'WEBHOOK_RETRY_DELAYS',
    '0,60,300,1800,7200,21600,43200,86400',
    'seconds before each of the eight attempts (spec 6)',
    retryDelays,
  ),
  webhookSignatureAlias: setting(
    'WEBHOOK_SIGNATURE_ALIAS',
    '',
    'a second header name that carries the value of X-Service-Signature, for receivers that read another name',
    headerName,
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    '',
    'host:port list that the guard of webhook addresses lets through, for tests and local trials',
    hostPorts,
  ),
  ...SUPPLIER_SETTINGS,
  op1Installations: setting(
    'OP1_INSTALLATIONS',
    '',
    'a JSON file with the contracts with the operator of `op1_momo` (see below); without it live payments are refused',
    (text) => text,
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'fatal, error, warn, info, debug, trace or silent',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    'how many proxies of yours stand in front (0 to 10); the client address is that many hops from the right of X-Forwarded-For. Required in production, else 0',
    (text) => (text === '' ? null : wholeNumber(0, 10)(text)),
  ),
  metricsPort: setting(
    'METRICS_PORT',
    '0',
    'a port of its own for /metrics: on HOST behind METRICS_TOKEN, without a token on 127.0.0.1 only; 0 means none',
    wholeNumber(0, 65_535),
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    '',
    'bearer token that opens /metrics on the API port and on METRICS_PORT; empty keeps it shut to other machines',
    optional,
  ),
  ...BACKUP_SETTINGS,
  ...ALERT_SETTINGS,
  ...SUPPORT_SETTINGS,
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    'an address without a path that takes traces by OTLP over HTTP ("Traces"); empty means none',
    url,
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '',
    'how long a stop answers "not ready" before it closes the door; 5 in production, else 0',
    (text) => (text === '' ? null : wholeNumber(0, 60)(text)),
  ),
  testHooks: setting(
    'TEST_HOOKS',
    '',
    '1 allows CRASH_POINT and TEST_CLOCK, and refuses calls inside a transaction on every Node; refused in production',
    (text) => text === '1',
  ),
  crashPoint: setting(
    'CRASH_POINT',
    '',
    'kills the process at a named point, or with `@file` at the one that the file names, for the crash tests',
    optional,
  ),
  testClock: setting('TEST_CLOCK', '', 'a file with an offset in ms that every process follows, for tests', optional),
} satisfies Record<string, SettingSpec<unknown>>

type SettingValues = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['read']> }
export type Config = Omit<SettingValues, 'drainSeconds' | 'trustedProxies' | 'op1Installations'> & {
  op1Installations: readonly Op1Installation[]
  drainSeconds: number
  trustedProxies: number
  production: boolean
}

/** The settings for the table in docs/operating.md and its test: name, default, reason. */
export const settingsTable = Object.values(SETTINGS).map(({ name, byDefault, reason }) => ({
  name,
  byDefault,
  reason,
}))

/** Reads every setting; nothing else sees the environment. Throws WrongSettings that names every wrong one. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const wrong: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, { name, byDefault, read }] of Object.entries(SETTINGS)) {
    try {
      values[key] = read((environment[name] ?? byDefault).trim() || byDefault)
    } catch (error) {
      wrong.push(`${name} ${(error as Error).message}`)
    }
  }
  if (wrong.length > 0) throw new WrongSettings(wrong.join('\n'))
  const read = values as SettingValues
  const production = read.nodeEnv === PRODUCTION
  const config = {
    ...read,
    production,
    op1Installations: [] as readonly Op1Installation[],
    drainSeconds: read.drainSeconds ?? (production ? 5 : 0),
    trustedProxies: read.trustedProxies ?? 0,
  }
  try {
    config.op1Installations = readOp1Installations(read.op1Installations, environment)
  } catch (error) {
    throw new WrongSettings(`OP1_INSTALLATIONS ${(error as Error).message}`)
  }
  const refused = [...refusedSettings(config), ...(production ? missingSettings(read) : [])]
  if (refused.length > 0) throw new WrongSettings(refused.join('\n'))
  if (config.crashPoint !== null) armCrashPoint(config.crashPoint)
  if (config.testHooks) keepContexts()
  return config
}
