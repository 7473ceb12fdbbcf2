import { addSums, type ExactSum, negate } from '../../platform/sums.ts'
import { oneLine } from '../../platform/text/text.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import type { Need } from '../read-needs.ts'
import type { StatementFigures } from '../statement/figures.ts'

const UGX = new Intl.NumberFormat('en-US')

/** Formats a sum of any size, `UGX 1,234`. */
export const formatUgx = (sum: ExactSum): string => `UGX ${UGX.format(sum)}`

/** Formats the totals of a day or a month, with the figures of the statement. */
export function formatFigures(figures: StatementFigures, span: 'day' | 'month'): string[] {
  const { opening, closing, countIn, collectedNet, chargeFees, countOut, paidOut, paidOutTotal } = figures
  const payoutFees = addSums(paidOutTotal, negate(paidOut))
  return [
    `Collected: ${countIn} charges, ${formatUgx(collectedNet)} after fees of ${formatUgx(chargeFees)}.`,
    `Paid out: ${countOut} payouts, ${formatUgx(paidOut)} and fees of ${formatUgx(payoutFees)}.`,
    `Other movements: ${figures.countAdjustments}, ${formatUgx(figures.adjustmentsNet)} in all.`,
    `Balance when the ${span} began: ${formatUgx(opening)}; when it ended: ${formatUgx(closing)}.`,
  ]
}

/** Formats what waits for the people of the merchant, with the link to the dashboard. */
export const formatNeedLines = (needs: readonly Need[], baseUrl: string): string[] =>
  needs.length === 0
    ? ['Nothing waits for you.']
    : ['What waits for you:', ...needs.map((need) => `- ${formatNeed(need)}`), `${baseUrl}/dashboard`]

function formatNeed(need: Need): string {
  switch (need.kind) {
    case 'disputes':
      return `${need.more ? `more than ${need.count}` : need.count} open disputes: answer within 72 hours`
    case 'webhooks':
      return `webhooks have failed for good, the last one of ${kampalaTime(need.at)}`
    case 'webhooks-failing':
      return `your server has not taken ${need.failing.count} events since ${kampalaTime(need.failing.since)}`
    case 'address-silent':
      return `your webhook address ${oneLine(need.address.url)} takes nothing since ${kampalaTime(need.address.since)}`
    case 'schedule':
      return `the payroll ${need.subject} is paused`
    case 'payroll-short':
      return `the payroll ${need.subject} of ${kampalaTime(need.at)} lacks ${formatUgx(need.missing)}`
    case 'prepared':
      return `${need.more ? `more than ${need.count}` : need.count} prepared payouts wait for a second person`
    case 'rejected':
      return 'the verification was rejected: read the notes and send it again'
    case 'standing-order':
      return need.says === null
        ? 'the standing order was not approved'
        : `the standing order stands still: ${need.says}`
    case 'payouts-stopped':
      return `payouts are stopped: ${need.says}`
  }
}
