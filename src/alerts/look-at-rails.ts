import type { App } from '../app.ts'
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

/** Records as alerts what rails have told, and closes what they no longer tell. Answers how many conditions hold. */
export async function lookAtRails({ directory }: Pick<App, 'directory'>, at: Date): Promise<number> {
  const standing = standingTroubles(at)
  const found = (await directory.query(standing.statement, standing.values)).map(alarmFor)
  await recordLook(directory, { place: PLACE, kinds: Object.values(ALERT_OF), found, at })
  return found.length
}

const alarmFor = ({ installation, side, kind, says, count, since }: StandingTrouble): Alarm => ({
  kind: ALERT_OF[kind],
  subject: `${installation} ${side} ${says}`,
  says: `${installation} (${side}): ${says} (${count} times since ${since.toISOString()})`,
  size: count,
  since,
})
