import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { App } from '../../../program/app.ts'
import type { Check, Finding } from '../check.ts'

const MAX_SKEW_MS = 1000
/** How full a disk is when the alert opens, and when it is sent again. */
const DISK_LEVELS = [0.85, 0.7] as const
const PERCENT = 100

/** Checks of the machine that this process runs on. */
export const MACHINE_CHECKS: readonly Check[] = [
  {
    kinds: ['disk_filling'],
    source: () => `machine ${hostname()}`,
    trustsNoClock: true,
    find: findFullDisk,
  },
  {
    kinds: ['clock_skew'],
    source: () => `machine ${hostname()}`,
    trustsNoClock: true,
    find: async (app, at) => findSkew(app, at),
  },
]

/** The disk of an embedded database. That of a server of the operator's own is seen by its own monitoring alone. */
async function findFullDisk({ config }: Pick<App, 'config'>, at: Date): Promise<Finding[]> {
  if (config.databaseUrl !== null) return []
  const { blocks, bfree, bavail } = await statfs(config.dataDir)
  const used = blocks === 0 ? 0 : 1 - bavail / (blocks - bfree + bavail)
  const level = DISK_LEVELS.find((share) => used > share)
  if (level === undefined) return []
  return [
    {
      kind: 'disk_filling',
      subject: `${hostname()} above ${level * PERCENT} %`,
      message: `the disk of DATA_DIR is ${Math.round(used * PERCENT)} % full`,
      size: Math.round(used * PERCENT),
      since: at,
    },
  ]
}

/** Found before the difference is too large; then the process rests until the clock is set right. */
function findSkew({ witness }: Pick<App, 'witness'>, at: Date): Finding[] {
  const apartMs = Math.abs(witness.apartMs() ?? 0)
  if (apartMs <= MAX_SKEW_MS) return []
  const rests = witness.doubt() === null ? '' : ': it is not ready and its background tasks rest'
  return [
    {
      kind: 'clock_skew',
      subject: `${hostname()} clock`,
      message: `the clock of this machine and that of the database differ by ${(apartMs / 1000).toFixed(1)} s${rests}`,
      size: Math.round(apartMs),
      since: at,
    },
  ]
}
