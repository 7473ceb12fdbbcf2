import { ruleOf } from '../../api/access/actions.ts'
import type { MerchantRole } from '../../api/access/actor.ts'
import { oneLine } from '../../platform/text/text.ts'
import { CHARGE_FAILURE_WORDS, PAYOUT_FAILURE_WORDS } from '../words/failures.ts'

/** What a device has not been told yet; with one event, that event. */
export type DeviceNews = {
  paidCount: number
  paidSum: number
  failedCount: number
  payoutsFailed: number
  body: string | null
  event: string | null
  subject: string | null
  /** The phone that was asked to pay. */
  phone: string | null
  business: string
}

/** A message as the script beside the pages shows it. `path`: the page that a tap opens. */
export type PushMessage = { title: string; body: string; path: string }

const MAX_TITLE_CHARACTERS = 60
const UGX = new Intl.NumberFormat('en-US')

/** Words the news for somebody with this role; null where it may see none of it. One event is told as such, several by their sums. */
export function wordMessage(news: DeviceNews, role: MerchantRole): PushMessage | null {
  const seesPayouts = ruleOf('payouts.read').persons?.includes(role) === true
  const payoutsFailed = seesPayouts ? news.payoutsFailed : 0
  const all = news.paidCount + news.failedCount + payoutsFailed
  if (all === 0) return null
  const title = oneLine(news.business).slice(0, MAX_TITLE_CHARACTERS)
  const one = all === 1 && (seesPayouts || news.event !== 'payout.failed') ? wordEvent(news) : null
  if (one !== null) return { title, ...one }
  const parts = [
    ...(news.paidCount === 0 ? [] : [`${count(news.paidCount, 'payment')}, ${formatUgx(news.paidSum)}`]),
    ...(news.failedCount === 0 ? [] : [`${news.failedCount} failed`]),
    ...(payoutsFailed === 0 ? [] : [`${count(payoutsFailed, 'payout')} came back`]),
  ]
  const path = news.paidCount + news.failedCount > 0 ? '/dashboard/charges' : '/dashboard/payouts'
  return { title, body: parts.join('; '), path }
}

const formatUgx = (sum: number) => `UGX ${UGX.format(sum)}`
const count = (many: number, noun: string) => `${UGX.format(many)} ${noun}${many === 1 ? '' : 's'}`

function wordEvent({ event, body, subject, phone }: DeviceNews): Omit<PushMessage, 'title'> | null {
  if (event === null || body === null || subject === null) return null
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const { amount, failure_reason: reason } = data
  const sum = typeof amount === 'number' ? formatUgx(amount) : ''
  const from = phone === null ? '' : ` from ${shortenPhone(phone)}`
  const words: Readonly<Record<string, { brief: string }>> =
    event === 'payout.failed' ? PAYOUT_FAILURE_WORDS : CHARGE_FAILURE_WORDS
  const why = typeof reason === 'string' ? (words[reason]?.brief ?? reason.replaceAll('_', ' ')) : ''
  switch (event) {
    case 'charge.succeeded':
      return { body: `Paid ${sum}${from}`, path: `/dashboard/charges/${subject}` }
    case 'charge.failed':
      return { body: `Not paid: ${sum}${from}${why && `, ${why}`}`, path: `/dashboard/charges/${subject}` }
    case 'payout.failed':
      return { body: `A payout of ${sum} came back${why && `: ${why}`}`, path: `/dashboard/payouts/${subject}` }
    case 'vending.dispense_failed':
      return { body: 'Paid, but the machine did not dispense', path: '/dashboard/orders' }
    default:
      return null
  }
}

/** Enough of a phone to know a customer by, and too little to call: `0772 xxx ..56`. */
function shortenPhone(stored: string): string {
  const written = stored.replace(/^256(?=\d{9}$)/, '0')
  return `${written.slice(0, 4)} xxx ..${written.slice(-2)}`
}
