import { kampalaTime } from '../platform/kampala.ts'
import { minus, type Sum, sumOf } from '../platform/sums.ts'
import type { Need } from '../reports/needs-you.ts'
import type { Figures } from '../reports/statement/figures.ts'

const UGX = new Intl.NumberFormat('en-US')

/** Formats a sum of any size, `UGX 1,234`. */
export const ugx = (sum: Sum): string => `UGX ${UGX.format(sum)}`

/** Formats the totals of a day, with the figures of the statement. */
export function linesOfDay(figures: Figures): string[] {
  const { opening, closing, countIn, collectedNet, chargeFees, countOut, paidOut, paidOutTotal } = figures
  const payoutFees = sumOf(paidOutTotal, minus(paidOut))
  return [
    `Collected: ${countIn} charges, ${ugx(collectedNet)} after fees of ${ugx(chargeFees)}.`,
    `Paid out: ${countOut} payouts, ${ugx(paidOut)} and fees of ${ugx(payoutFees)}.`,
    `Other movements: ${figures.countAdjustments}, ${ugx(figures.adjustmentsNet)} in all.`,
    `Balance when the day began: ${ugx(opening)}; when it ended: ${ugx(closing)}.`,
  ]
}

/** Formats what waits for the people of the merchant, with the link to the dashboard. */
export const linesOfNeeds = (needs: readonly Need[], baseUrl: string): string[] =>
  needs.length === 0
    ? ['Nothing waits for you.']
    : ['What waits for you:', ...needs.map((need) => `- ${textOf(need)}`), `${baseUrl}/dashboard`]

function textOf(need: Need): string {
  switch (need.kind) {
    case 'disputes':
      return `${need.more ? `more than ${need.count}` : need.count} open disputes: answer within 72 hours`
    case 'webhooks':
      return `webhooks have failed for good, the last one of ${kampalaTime(need.at)}`
    case 'webhooks-failing':
      return `your server has not taken ${need.failing.count} events since ${kampalaTime(need.failing.since)}`
    case 'schedule':
      return `the payroll ${need.subject} is paused`
    case 'payroll-short':
      return `the payroll ${need.subject} of ${kampalaTime(need.at)} lacks ${ugx(need.missing)}`
    case 'prepared':
      return `${need.more ? `more than ${need.count}` : need.count} prepared payouts wait for a second person`
    case 'rejected':
      return 'the verification was rejected: read the notes and send it again'
    case 'payouts-stopped':
      return `payouts are stopped: ${need.says}`
  }
}
