import { resolve } from 'node:path'
import { armCrashPoint } from './platform/crash-point.ts'

/** One setting of the program: where it is read, what it is when absent, and why. The README's table is checked against this list. */
type Setting<T> = { name: string; byDefault: string; reason: string; read(text: string): T }

/** A value that cannot be used, in words a person can act on. All of them are named in one go, and the start stops. */
export class WrongSettings extends Error {}

const LARGEST = Number.MAX_SAFE_INTEGER
const PRODUCTION = 'production'

const wholeNumber = (low: number, high: number) => (text: string) => {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value < low || value > high)
    throw new WrongSettings(`must be a whole number from ${low} to ${high}`)
  return value
}
const oneOf =
  <const T extends string>(...choices: T[]) =>
  (text: string): T => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new WrongSettings(`must be one of ${choices.join(', ')}`)
    return found
  }
const anyText = (text: string) => text
const optional = (text: string) => (text === '' ? null : text)
const url = (text: string) => {
  if (text === '') return null
  if (!/^https?:\/\/[^/?#]+$/.test(text.replace(/\/+$/, '')) || !URL.canParse(text))
    throw new WrongSettings('must be an http or https address without a path')
  return text.replace(/\/+$/, '')
}
const databaseUrl = (text: string) => {
  if (text !== '' && !/^postgres(ql)?:\/\//.test(text))
    throw new WrongSettings('must start with postgres:// or postgresql://')
  return optional(text)
}
const masterKey = (text: string) => {
  if (text === '') return null
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new WrongSettings('must be base64 of 32 bytes (make one with: openssl rand -base64 32)')
  return key
}
const retryDelays = (text: string) => {
  const delays = text.split(',').map((part) => Number(part.trim()))
  if (delays.length !== 8 || delays.some((delay) => !(delay >= 0 && delay <= 604_800)))
    throw new WrongSettings('must be eight numbers of seconds (0 to 604800) with commas between')
  return delays
}
const hostPorts = (text: string) => {
  const entries = text === '' ? [] : text.split(',').map((part) => part.trim())
  if (entries.some((entry) => !/^[^\s:]+:[0-9]{1,5}$|^\[[0-9a-f:]+\]:[0-9]{1,5}$/i.test(entry)))
    throw new WrongSettings('must be host:port entries with commas between')
  return entries
}
const perMinute = wholeNumber(0, 1_000_000)

const setting = <T>(
  name: string,
  byDefault: string,
  reason: string,
  read: (text: string) => T,
): Setting<T> => ({
  name,
  byDefault,
  reason,
  read,
})

const SETTINGS = {
  port: setting('PORT', '8080', 'where the API listens', wholeNumber(0, 65_535)),
  host: setting(
    'HOST',
    '127.0.0.1',
    'the address it listens on; a proxy with TLS stands in front in production',
    anyText,
  ),
  baseUrl: setting(
    'BASE_URL',
    '',
    'the address merchants and customers use; empty means http://HOST:PORT',
    url,
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'a PostgreSQL server (15 to 18) of yours; empty means the embedded one in DATA_DIR',
    databaseUrl,
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    'where the embedded database and its generated master key live',
    (text) => resolve(text),
  ),
  masterKey: setting(
    'MASTER_KEY',
    '',
    'base64 of 32 bytes; encrypts stored secrets. Generated into DATA_DIR on the embedded default, required with DATABASE_URL',
    masterKey,
  ),
  nodeEnv: setting('NODE_ENV', 'development', 'production turns warnings of doctor into refusals', anyText),
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
    wholeNumber(0, 2_592_000),
  ),
  liveHoldHours: setting(
    'LIVE_HOLD_HOURS',
    '24',
    'hold of live charges before they settle (spec 1.8)',
    wholeNumber(0, 720),
  ),
  amountMax: setting(
    'AMOUNT_MAX',
    '1000000000',
    'the largest amount of one transaction, whole UGX',
    wholeNumber(1, LARGEST),
  ),
  rateCharges: setting(
    'RATE_LIMIT_CHARGES',
    '120',
    'POST /v1/charges a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  ratePayouts: setting(
    'RATE_LIMIT_PAYOUTS',
    '30',
    'payouts a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateRefunds: setting(
    'RATE_LIMIT_REFUNDS',
    '10',
    'refunds a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateWebhookResend: setting(
    'RATE_LIMIT_WEBHOOK_RESEND',
    '30',
    'webhook resends a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateReads: setting(
    'RATE_LIMIT_READS',
    '600',
    'GETs a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateAll: setting(
    'RATE_LIMIT_ALL',
    '1200',
    'requests of all kinds a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateFailedAuth: setting(
    'RATE_LIMIT_FAILED_AUTH',
    '60',
    'failed authentications a minute for each client address; 0 switches it off',
    perMinute,
  ),
  ratePublicPages: setting(
    'RATE_LIMIT_PUBLIC_PAGES',
    '300',
    'public pages and documents a minute for each client address; 0 switches it off',
    perMinute,
  ),
  webhookRetryDelays: setting(
    'WEBHOOK_RETRY_DELAYS',
    '0,60,300,1800,7200,21600,43200,86400',
    'seconds before each of the eight attempts (spec 6)',
    retryDelays,
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    '',
    'host:port list that the guard of webhook addresses lets through, for tests and local trials',
    hostPorts,
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    'fatal, error, warn, info, debug, trace or silent',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '0',
    'how many proxies of yours stand in front; the client address is that many hops from the right of X-Forwarded-For',
    wholeNumber(0, 10),
  ),
  metricsPort: setting(
    'METRICS_PORT',
    '0',
    'a port of its own for /metrics on HOST; 0 means none',
    wholeNumber(0, 65_535),
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    '',
    'bearer token that opens /metrics on the API port; empty keeps it shut there',
    optional,
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
    '1 allows CRASH_POINT and TEST_CLOCK; refused in production',
    (text) => text === '1',
  ),
  crashPoint: setting('CRASH_POINT', '', 'kills the process at a named point, for the crash tests', optional),
  testClock: setting(
    'TEST_CLOCK',
    '',
    'a file with an offset in ms that every process follows, for tests',
    optional,
  ),
} satisfies Record<string, Setting<unknown>>

type Values = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['read']> }
export type Config = Omit<Values, 'drainSeconds'> & { drainSeconds: number; production: boolean }

/** The list for the README and its test: name, default, reason. */
export const settingsTable = Object.values(SETTINGS).map(({ name, byDefault, reason }) => ({
  name,
  byDefault,
  reason,
}))

/** Reads every setting, the only place that sees the environment. Throws WrongSettings naming every wrong one. */
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
  const read = values as Values
  const production = read.nodeEnv === PRODUCTION
  const config = { ...read, production, drainSeconds: read.drainSeconds ?? (production ? 5 : 0) }
  const refused = refusals(config)
  if (refused.length > 0) throw new WrongSettings(refused.join('\n'))
  if (config.crashPoint !== null) armCrashPoint(config.crashPoint)
  return config
}

function refusals(config: Config): string[] {
  const rules: [boolean, string][] = [
    [config.testHooks && config.production, 'TEST_HOOKS is refused with NODE_ENV=production'],
    [config.crashPoint !== null && !config.testHooks, 'CRASH_POINT needs TEST_HOOKS=1'],
    [config.testClock !== null && !config.testHooks, 'TEST_CLOCK needs TEST_HOOKS=1'],
    [
      config.databaseUrl !== null && config.masterKey === null,
      'MASTER_KEY is required with DATABASE_URL (make one with: openssl rand -base64 32)',
    ],
    [
      config.production && config.webhookAllowPrivate.length > 0,
      'WEBHOOK_ALLOW_PRIVATE is refused with NODE_ENV=production',
    ],
    [
      config.production && config.databaseUrl !== null && config.baseUrl === null,
      'BASE_URL is required with NODE_ENV=production',
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, sentence]) => sentence)
}
