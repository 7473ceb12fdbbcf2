import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { App } from '../app.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import type { Alarm } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

// The only time of the database besides doctor's: compared with ours, and used for nothing else.
const CLOCK = statement<{ at: Date }>('alert: clock of the database', 'select clock_timestamp() as at')

const MOST_SKEW_MS = 1000
const FULL = [0.85, 0.7] as const
const PERCENT = 100

/** Records as alerts that the disk of an embedded database fills, and that the clocks differ. Answers how many conditions hold. */
export async function lookAtMachine(
  app: Pick<App, 'directory' | 'config' | 'clock'>,
  at: Date,
): Promise<number> {
  const host = hostname()
  const found = [...(await disk(app, at)), ...(await skew(app, at))].map((one) => ({
    ...one,
    subject: `${host} ${one.subject}`,
  }))
  await recordLook(app.directory, {
    place: `machine ${host}`,
    kinds: ['disk_filling', 'clock_skew'],
    found,
    at,
  })
  return found.length
}

/** A server of yours has a disk that only its own monitoring sees. */
async function disk({ config }: Pick<App, 'config'>, at: Date): Promise<Alarm[]> {
  if (config.databaseUrl !== null) return []
  const { blocks, bfree, bavail } = await statfs(config.dataDir)
  const used = blocks === 0 ? 0 : 1 - bavail / (blocks - bfree + bavail)
  const level = FULL.find((one) => used > one)
  if (level === undefined) return []
  return [
    {
      kind: 'disk_filling',
      subject: `above ${level * PERCENT} %`,
      says: `the disk of DATA_DIR is ${Math.round(used * PERCENT)} % full`,
      size: Math.round(used * PERCENT),
      since: at,
    },
  ]
}

/** A clock that tests move differs on purpose. */
async function skew(
  { config, clock, directory }: Pick<App, 'config' | 'clock' | 'directory'>,
  at: Date,
): Promise<Alarm[]> {
  if (config.testHooks) return []
  const asked = clock.nowMs()
  const theirs = await firstRow(directory.query(CLOCK))
  const tookMs = clock.nowMs() - asked
  if (theirs === null) return []
  // The answer was made somewhere between asking and hearing it.
  const apartMs = Math.max(0, Math.abs(theirs.at.getTime() - asked) - tookMs)
  if (apartMs <= MOST_SKEW_MS) return []
  return [
    {
      kind: 'clock_skew',
      subject: 'clock',
      says: `the clock of this machine and that of the database differ by ${(apartMs / 1000).toFixed(1)} s`,
      size: Math.round(apartMs),
      since: at,
    },
  ]
}
