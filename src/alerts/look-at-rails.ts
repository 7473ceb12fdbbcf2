import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import type { RailSide } from '../rails/rail.ts'
import type { RailAlarm } from '../rails/rail-observer.ts'
import { type StandingTrouble, standingTroubles } from '../rails/rail-troubles.ts'
import type { Alarm, AlertKind } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

/** Who looks: the troubles of rails belong to no cell, and whichever looks first records them. */
const PLACE = 'rails'
const ALERT_OF = {
  breaker: 'rail_silent',
  refused: 'rail_refuses',
  float: 'rail_float',
  'unknown-word': 'rail_words',
} as const satisfies { [kind in RailAlarm['kind']]: AlertKind }

type LowFloat = { installation: string; side: RailSide; operator: string; currency: string; readAt: Date }
type PlatformBreak = { kind: string; subject: string; count: number; since: Date }

// A reading says whether it was low, not since when: the alert keeps the time at which it was first seen.
const LOW = statement<LowFloat>(
  'alert: low floats',
  `select installation, side, operator, currency, read_at as "readAt" from float_readings where low
   order by installation, side`,
)
const BREAKS = statement<PlatformBreak>(
  'alert: critical breaks of the platform',
  `select kind, subject, seen_count as count, opened_at as since from platform_exceptions
   where closed_at is null and severity = 'critical' order by opened_at limit 100`,
)

/**
 * Records as alerts what rails have told, wallets that run low, and breaks that are no merchant's; closes what no longer holds.
 * Answers how many conditions hold.
 */
export async function lookAtRails({ directory }: Pick<App, 'directory'>, at: Date): Promise<number> {
  const standing = standingTroubles(at)
  const [troubles, low, breaks] = await Promise.all([
    directory.query(standing.statement, standing.values),
    directory.query(LOW),
    directory.query(BREAKS),
  ])
  const found = [
    ...troubles.map(alarmFor),
    ...low.map((lowFloat) => lowAlarm(lowFloat, at)),
    ...breaks.map(breakAlarm),
  ]
  await recordLook(directory, {
    place: PLACE,
    kinds: [...Object.values(ALERT_OF), 'critical_break'],
    found,
    at,
  })
  return found.length
}

const lowAlarm = ({ installation, side, operator, currency, readAt }: LowFloat, at: Date): Alarm => ({
  kind: 'rail_float',
  subject: `${installation} ${side} low`,
  says: `${installation} (${side}): the wallet runs low: ${currency} ${operator} at ${readAt.toISOString()}`,
  size: 1,
  since: at,
})

const breakAlarm = ({ kind, subject, count, since }: PlatformBreak): Alarm => ({
  kind: 'critical_break',
  subject: `platform ${kind} ${subject}`,
  says: `a critical exception of the platform is open: ${kind} of ${subject} (seen ${count} times)`,
  size: 1,
  since,
})

const alarmFor = ({ installation, side, kind, says, count, since }: StandingTrouble): Alarm => ({
  kind: ALERT_OF[kind],
  subject: `${installation} ${side} ${says}`,
  says: `${installation} (${side}): ${says} (${count} times since ${since.toISOString()})`,
  size: count,
  since,
})
