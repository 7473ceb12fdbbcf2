import type { Config } from './config.ts'
import { CRASH_POINTS } from './crash-points.ts'
import { isLoopback } from './op1-installations.ts'

/** `name` or `name:n`, or the file that will name it. */
const isCrashPoint = (setting: string | null) =>
  setting === null || setting.startsWith('@') || CRASH_POINTS.some((point) => point === setting.split(':')[0])

/** Settings without a safe default in production: behind an unconfigured proxy all customers would share one address. */
export function missingSettings({ trustedProxies }: { trustedProxies: number | null }): string[] {
  if (trustedProxies !== null) return []
  return ['TRUSTED_PROXIES is required with NODE_ENV=production: how many proxies of yours stand in front (0 for none)']
}

/** Finds settings that are right one by one and wrong together; a sentence each. */
export function refusedSettings(config: Config): string[] {
  const rules: [boolean, string][] = [
    [
      config.railCollectMin > config.railCollectMax,
      'RAIL_COLLECT_MIN is more than RAIL_COLLECT_MAX: no live charge could be paid',
    ],
    [
      config.railPayoutMin > config.railPayoutMax,
      'RAIL_PAYOUT_MIN is more than RAIL_PAYOUT_MAX: no live payout could be sent',
    ],
    [
      config.backupDir !== null && config.backupPgbackrest !== null,
      'BACKUP_DIR and BACKUP_PGBACKREST are two ways to back up: set one of them',
    ],
    [
      config.backupKey !== null && config.masterKey?.equals(config.backupKey) === true,
      'BACKUP_KEY is the same as MASTER_KEY: whoever holds the backups and their key must not be able to open the secrets in them',
    ],
    [config.testHooks && config.production, 'TEST_HOOKS is refused with NODE_ENV=production'],
    [config.crashPoint !== null && !config.testHooks, 'CRASH_POINT needs TEST_HOOKS=1'],
    [!isCrashPoint(config.crashPoint), `CRASH_POINT: there is no point called ${config.crashPoint}`],
    [config.testClock !== null && !config.testHooks, 'TEST_CLOCK needs TEST_HOOKS=1'],
    [
      config.databaseUrl !== null && config.masterKey === null,
      'MASTER_KEY is required with DATABASE_URL (make one with: openssl rand -base64 32)',
    ],
    [
      config.migrateDatabaseUrl !== null && config.databaseUrl === null,
      'MIGRATE_DATABASE_URL needs DATABASE_URL: the embedded database has an owner of its own',
    ],
    [
      !config.production && config.op1Installations.some(({ baseUrl }) => !isLoopback(baseUrl)),
      'OP1_INSTALLATIONS names a real operator: NODE_ENV=production is required, so that nobody is live by accident',
    ],
    [
      config.production && config.webhookAllowPrivate.length > 0,
      'WEBHOOK_ALLOW_PRIVATE is refused with NODE_ENV=production',
    ],
    [
      config.production && config.supplierAllowPrivate.length > 0,
      'SUPPLIER_ALLOW_PRIVATE is refused with NODE_ENV=production',
    ],
    [
      config.production && config.databaseUrl !== null && config.baseUrl === null,
      'BASE_URL is required with NODE_ENV=production',
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, sentence]) => sentence)
}
