import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { RailSide } from '../../../rails/rail.ts'
import type { RailAlarm } from '../../../rails/rail-observer.ts'
import { type StandingTrouble, standingTroubles } from '../../../rails/rail-troubles.ts'
import type { Check, Finding } from '../check.ts'
import type { AlertKind } from '../kinds.ts'

const KIND_OF_TROUBLE = {
  breaker: 'rail_silent',
  refused: 'rail_refuses',
  float: 'rail_float',
  'unknown-word': 'rail_words',
} as const satisfies { [kind in RailAlarm['kind']]: AlertKind }

type LowFloat = { installation: string; side: RailSide; operator: string; currency: string; readAt: Date }
type OpenPlatformException = { kind: string; subject: string; count: number; since: Date }

// A reading says whether it was low, not since when: the alert keeps the time at which it was first seen.
const LOW_FLOATS = statement<LowFloat>(
  'alert: low floats',
  `select installation, side, operator, currency, read_at as "readAt" from float_readings where low
   order by installation, side`,
)
const CRITICAL_EXCEPTIONS = statement<OpenPlatformException>(
  'alert: critical breaks of the platform',
  `select kind, subject, seen_count as count, opened_at as since from platform_exceptions
   where closed_at is null and severity = 'critical' order by opened_at limit 100`,
)

/** Finds the troubles that rails have recorded, wallets of ours that run low, and critical exceptions that belong to no merchant. */
export const RAIL_CHECKS: readonly Check[] = [
  {
    kinds: [...Object.values(KIND_OF_TROUBLE), 'critical_break'],
    source: () => 'rails',
    find: findRailTroubles,
  },
]

async function findRailTroubles({ directory }: Pick<App, 'directory'>, at: Date): Promise<Finding[]> {
  const standing = standingTroubles(at)
  const [troubles, lowFloats, exceptions] = await Promise.all([
    directory.query(standing.statement, standing.values),
    directory.query(LOW_FLOATS),
    directory.query(CRITICAL_EXCEPTIONS),
  ])
  return [
    ...troubles.map(describeTrouble),
    ...lowFloats.map((lowFloat) => describeLowFloat(lowFloat, at)),
    ...exceptions.map(describeException),
  ]
}

const describeLowFloat = ({ installation, side, operator, currency, readAt }: LowFloat, at: Date): Finding => ({
  kind: 'rail_float',
  subject: `${installation} ${side} low`,
  message: `${installation} (${side}): the wallet runs low: ${currency} ${operator} at ${readAt.toISOString()}`,
  size: 1,
  since: at,
})

const describeException = ({ kind, subject, count, since }: OpenPlatformException): Finding => ({
  kind: 'critical_break',
  subject: `platform ${kind} ${subject}`,
  message: `a critical exception of the platform is open: ${kind} of ${subject} (seen ${count} times)`,
  size: 1,
  since,
})

const describeTrouble = ({ installation, side, kind, says, count, since }: StandingTrouble): Finding => ({
  kind: KIND_OF_TROUBLE[kind],
  subject: `${installation} ${side} ${says}`,
  message: `${installation} (${side}): ${says} (${count} times since ${since.toISOString()})`,
  size: count,
  since,
})
