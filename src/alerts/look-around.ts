import type { App, Gateway } from '../app.ts'
import type { Statement } from '../platform/db/statement.ts'
import type { Config } from '../settings/config.ts'
import type { Alarm, AlertKind } from './alert.ts'
import { lookAtMails } from './look-at-mails.ts'
import { lookAtRails } from './look-at-rails.ts'
import { LOOKS } from './looks.ts'
import { recordLook } from './raise-alerts.ts'
import { sendAlerts } from './send-alerts.ts'

/** A check for a condition that a person must know, as a query on one cell. No row means that all is well. */
export type Look = {
  kind: AlertKind
  /** $1 is now, $2 are the `hours`. */
  rows: Statement<Seen>
  /** After how long it counts, where a setting says so. */
  hours?(config: Config): number
  says(seen: Seen, hours: number): string
}
export type Seen = {
  subject: string
  count: number
  amount: number
  since: Date
  /** Some of the ids it is about. */
  examples: string
}

/**
 * Runs all checks on this cell, records the alerts and sends them. A check that fails is logged; its alerts stay open, and
 * the other checks run. Answers how many conditions hold.
 */
export async function raiseAlerts(app: App): Promise<number> {
  const at = app.clock.now()
  let holding = 0
  for (const kind of new Set(LOOKS.map((look) => look.kind))) {
    try {
      const found = await lookFor(app, kind, at)
      holding += found.length
      await recordLook(app.directory, { place: app.cell, kinds: [kind], found, at })
    } catch (error) {
      app.log.error({ err: error, alert: kind }, 'a look for alerts failed')
    }
  }
  try {
    holding += await lookAtRails(app, at)
  } catch (error) {
    app.log.error({ err: error }, 'a look at the rails failed')
  }
  try {
    holding += await lookAtMails(app, at)
  } catch (error) {
    app.log.error({ err: error }, 'a look at the mails failed')
  }
  try {
    await sendAlerts(app)
  } catch (error) {
    app.log.error({ err: error }, 'alerts could not be told')
  }
  return holding
}

/** The same for all cells, right after a command that somebody must know about. */
export async function raiseAlertsNow(gateway: Gateway): Promise<void> {
  for (const app of gateway.cells) await raiseAlerts(app)
}

async function lookFor(app: App, kind: AlertKind, at: Date): Promise<Alarm[]> {
  const looks = LOOKS.filter((look) => look.kind === kind)
  const found = await Promise.all(
    looks.map(async (look) => {
      const hours = look.hours?.(app.config)
      const rows = await app.db.query(look.rows, [at.toISOString(), ...(hours === undefined ? [] : [hours])])
      return rows.map((seen) => ({
        kind,
        subject: `${app.cell} ${seen.subject}`,
        says: `${look.says(seen, hours ?? 0)} (${app.cell}, since ${seen.since.toISOString()})`,
        size: seen.count,
        since: seen.since,
      }))
    }),
  )
  return found.flat()
}
