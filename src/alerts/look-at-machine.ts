import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { App } from '../app.ts'
import type { Alarm } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

const MOST_SKEW_MS = 1000
const FULL = [0.85, 0.7] as const
const PERCENT = 100

/** Records as alerts that the disk of an embedded database fills, and that the clocks differ. Answers how many conditions hold. */
export async function lookAtMachine(
  app: Pick<App, 'directory' | 'config' | 'witness'>,
  at: Date,
): Promise<number> {
  const host = hostname()
  const found = [...(await disk(app, at)), ...skew(app, at)].map((alarm) => ({
    ...alarm,
    subject: `${host} ${alarm.subject}`,
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

/** Told before it is too much; then the process rests until somebody mends it. */
function skew({ witness }: Pick<App, 'witness'>, at: Date): Alarm[] {
  const apartMs = Math.abs(witness.apartMs() ?? 0)
  if (apartMs <= MOST_SKEW_MS) return []
  const rests = witness.doubt() === null ? '' : ': it is not ready and its background tasks rest'
  return [
    {
      kind: 'clock_skew',
      subject: 'clock',
      says: `the clock of this machine and that of the database differ by ${(apartMs / 1000).toFixed(1)} s${rests}`,
      size: Math.round(apartMs),
      since: at,
    },
  ]
}
