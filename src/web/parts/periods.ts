import { badRequest } from '../../platform/refusal.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { ListFilter } from './table.tsx'
import { PARTS } from './texts.ts'

const DAY_MS = 86_400_000

/** The spans of days that a list is mostly looked at in, by their names in an address. */
export const PERIODS = ['today', 'yesterday', '7d', '30d', 'month'] as const
type Period = (typeof PERIODS)[number]

/** The filter that a page takes them from; days of one's own go before it. */
export const PERIOD_FILTER: ListFilter = {
  name: 'period',
  label: PARTS.periods.label,
  kind: 'select',
  choices: PERIODS.map((value) => ({ value, label: PARTS.periods[value] })),
}

/** The first and the last day of a period in Kampala. Throws 400 for a name that is none. */
export function daysOfPeriod(name: string, now: Date): { from: string; until: string } {
  const period = PERIODS.find((one) => one === name)
  if (period === undefined) throw badRequest(`period must be one of ${PERIODS.join(', ')}`)
  const today = kampalaDay(now)
  const daysAgo = (days: number) => kampalaDay(new Date(now.getTime() - days * DAY_MS))
  const spans: Record<Period, { from: string; until: string }> = {
    today: { from: today, until: today },
    yesterday: { from: daysAgo(1), until: daysAgo(1) },
    '7d': { from: daysAgo(6), until: today },
    '30d': { from: daysAgo(29), until: today },
    month: { from: `${today.slice(0, 7)}-01`, until: today },
  }
  return spans[period]
}
