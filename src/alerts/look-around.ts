import type { App, Gateway } from '../app.ts'
import { listProcesses, SILENT_AFTER_MS, workerAgeMs } from '../jobs/process.ts'
import type { Statement } from '../platform/db/statement.ts'
import type { Alarm, AlertKind } from './alert.ts'
import { lookAtMachine } from './look-at-machine.ts'
import { lookAtMails } from './look-at-mails.ts'
import { lookAtRails } from './look-at-rails.ts'
import { lookAtReleases } from './look-at-releases.ts'
import { lookAtService } from './look-at-service.ts'
import { lookAtWork } from './look-at-work.ts'
import { LOOKS } from './looks.ts'
import { recordLook } from './raise-alerts.ts'
import { sendAlerts } from './send-alerts.ts'

/** A check for a condition that a person must know, as a query on one cell. No row means that all is well. */
export type Look = {
  kind: AlertKind
  /** $1 is now, $2 is the `value`. */
  rows: Statement<Seen>
  /** What it is compared with, where a setting or another count says so. */
  value?(app: App): Promise<number>
  says(seen: Seen, value: number): string
}
export type Seen = {
  subject: string
  count: number
  amount: number
  since: Date
  /** Some of the ids it is about. */
  examples: string
}

/** Checks that are more than one query on a cell. Each records what it found and answers how many conditions hold. */
const OTHER_LOOKS = {
  rails: lookAtRails,
  mails: lookAtMails,
  service: lookAtService,
  releases: lookAtReleases,
  work: lookAtWork,
  machine: lookAtMachine,
}

/**
 * Runs all checks on this cell, records the alerts and sends them. A check that fails is logged; its alerts stay open, and
 * the other checks run. While the clock is in doubt only that is told: by a wrong clock everything is late, or nothing.
 * Answers how many conditions hold.
 */
export async function raiseAlerts(app: App): Promise<number> {
  const believed = app.witness.doubt() === null
  const at = app.witness.earlier()
  let holding = believed ? await lookInCell(app, at) : 0
  for (const [name, look] of Object.entries(believed ? OTHER_LOOKS : { machine: lookAtMachine }))
    try {
      holding += await look(app, at)
    } catch (error) {
      app.log.error({ err: error, look: name }, 'a look for alerts failed')
    }
  try {
    await sendAlerts(app)
  } catch (error) {
    app.log.error({ err: error }, 'alerts could not be told')
  }
  return holding
}

/** All checks that are queries on the cell, recorded together. */
async function lookInCell(app: App, at: Date): Promise<number> {
  const looked: AlertKind[] = []
  const found: Alarm[] = []
  for (const kind of new Set(LOOKS.map((look) => look.kind)))
    try {
      found.push(...(await lookFor(app, kind, at)))
      looked.push(kind)
    } catch (error) {
      app.log.error({ err: error, alert: kind }, 'a look for alerts failed')
    }
  try {
    await recordLook(app.directory, { place: app.cell, kinds: looked, found, at })
  } catch (error) {
    app.log.error({ err: error, look: 'cell' }, 'a look for alerts failed')
  }
  return found.length
}

/** The same from a web process, which checks only where no worker is heard. */
export async function raiseAlertsForWorkers(gateway: Gateway): Promise<void> {
  const age = workerAgeMs(await listProcesses(gateway), gateway.clock.nowMs())
  if (age === null || age > SILENT_AFTER_MS) await raiseAlertsNow(gateway)
}

/** The same for all cells, right after a command that somebody must know about. */
export async function raiseAlertsNow(gateway: Gateway): Promise<void> {
  for (const app of gateway.cells) await raiseAlerts(app)
}

async function lookFor(app: App, kind: AlertKind, at: Date): Promise<Alarm[]> {
  const looks = LOOKS.filter((look) => look.kind === kind)
  const found = await Promise.all(
    looks.map(async (look) => {
      const value = await look.value?.(app)
      const rows = await app.db.query(look.rows, [at.toISOString(), ...(value === undefined ? [] : [value])])
      return rows.map((seen) => ({
        kind,
        subject: `${app.cell} ${seen.subject}`,
        says: `${look.says(seen, value ?? 0)} (${app.cell}, since ${seen.since.toISOString()})`,
        size: seen.count,
        since: seen.since,
      }))
    }),
  )
  return found.flat()
}
