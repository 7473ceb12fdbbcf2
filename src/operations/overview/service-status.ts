import type { ServiceCount, ServiceKind } from '../../platform/log/service-counts.ts'
import type { Gateway } from '../../program/app.ts'
import { listServiceDays, readServiceDays } from './service-days.ts'

/** A day of Kampala. `few`: too few to tell without telling about one merchant. `no_data`: nothing was counted, also while nothing ran. */
export type StatusDay = { day: string } & ({ state: 'measured'; percent: number } | { state: 'few' | 'no_data' })

/** The share of good ones of one kind. `percent`: of all these days together; null while there are too few. `channel`: of prompts. */
export type StatusMeasure = { kind: ServiceKind; channel: string | null; percent: number | null; days: StatusDay[] }

/** How the service did, from its own traffic. */
export type ServiceStatus = { asOf: Date; measures: StatusMeasure[] }

/** A day with fewer says too much about a single merchant, and too little about the service. */
const LEAST_FOR_A_SHARE = 20
const FRESH_MS = 60_000
const AFTER_FAILURE_MS = 5000
const HUNDREDTHS = 100
const PERCENT = 100

/**
 * Makes the reader of the public status. However many people ask, the database is asked once a minute, for some hundred rows; where it does
 * not answer, what was read before is shown with its time. Throws where nothing was read before.
 */
export function newStatusReader(): (process: Pick<Gateway, 'directory' | 'clock'>) => Promise<ServiceStatus> {
  let last: ServiceStatus | null = null
  let reading: Promise<void> | null = null
  let nextMs = Number.NEGATIVE_INFINITY
  const read = async (process: Pick<Gateway, 'directory' | 'clock'>) => {
    const asOf = process.clock.now()
    // Set before the answer, so that a database that is away is not asked by everybody who waits for it.
    nextMs = asOf.getTime() + AFTER_FAILURE_MS
    last = buildStatus(await readServiceDays(process), asOf)
    nextMs = asOf.getTime() + FRESH_MS
  }
  return async (process) => {
    const nowMs = process.clock.nowMs()
    if (reading === null && (last === null || nowMs >= nextMs))
      reading = read(process).finally(() => {
        reading = null
      })
    if (reading !== null) {
      if (last === null) await reading
      else await reading.catch(() => {})
    }
    return last as ServiceStatus // Read now or before, or the line above has thrown.
  }
}

/** Makes shares of the counts of the days that are shown: those of every kind, prompts by channel. */
function buildStatus(counts: readonly ServiceCount[], asOf: Date): ServiceStatus {
  const channels = [...new Set(counts.filter(({ kind }) => kind === 'prompts').map(({ channel }) => channel))].sort()
  const of = (kind: ServiceKind, channel: string | null): StatusMeasure => {
    const rows = counts.filter((count) => count.kind === kind && count.channel === (channel ?? ''))
    const byDay = new Map(rows.map((row) => [row.day, row]))
    return {
      ...{ kind, channel, percent: toPercent(rows) },
      days: listServiceDays(asOf).map((day) => judgeDay(day, byDay.get(day))),
    }
  }
  return {
    asOf,
    measures: [of('answers', null), ...channels.map((channel) => of('prompts', channel)), of('webhooks', null)],
  }
}

function judgeDay(day: string, count: ServiceCount | undefined): StatusDay {
  if (count === undefined) return { day, state: 'no_data' }
  const percent = toPercent([count])
  return percent === null ? { day, state: 'few' } : { day, state: 'measured', percent }
}

/** The share of good ones with two decimals, rounded down: one bad answer of a million is not 100. Null for too few. */
function toPercent(rows: readonly ServiceCount[]): number | null {
  const good = rows.reduce((sum, row) => sum + row.good, 0)
  const counted = rows.reduce((sum, row) => sum + row.counted, 0)
  return counted < LEAST_FOR_A_SHARE ? null : Math.floor((good / counted) * PERCENT * HUNDREDTHS) / HUNDREDTHS
}
