import { ALL_INDEX_CONDITIONS } from '../../merchants/webhooks/delivery-indexes.ts'
import { statement } from '../../platform/db/statement.ts'
import { oneLine } from '../../platform/text/text.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { failureWords } from '../words/failures.ts'
import { STATE_WORDS } from '../words/states.ts'
import type { DueNotice } from './send-notices.ts'

/** An event for a mail; `all` counts every event that matches. */
type NoticeEvent = { event: string; subject: string; body: string; at: Date; all: number }

const MAX_EVENTS_PER_MAIL = 20
// Of an hour of a very busy merchant only this many events are read.
const MAX_EVENTS_READ = 20_000

// The amount is the first field of a charge's data, because the body of an event is our canonical JSON. Parsing the whole body would cost
// more than the rest of the statement, and fail on texts that PostgreSQL's JSON does not take.
const NEWS = statement<NoticeEvent>(
  'news for notice',
  `select d.event, e.subject, e.body, d.created_at as at, count(*) over ()::int as all
   from (${ALL_INDEX_CONDITIONS.map(
     (
       condition,
     ) => `(select * from deliveries d where merchant_id = $1 and mode = 'live' and created_at > $2 and created_at <= $3
       and event = any($4::text[]) and ${condition} order by created_at, event_id limit ${MAX_EVENTS_READ})`,
   ).join(' union all ')} order by created_at, event_id limit ${MAX_EVENTS_READ}) d
     join events e on e.merchant_id = d.merchant_id and e.id = d.event_id
   where d.event <> 'charge.succeeded' or substring(e.body from '^\\{"data":\\{"amount":([0-9]{1,15})')::bigint >= $5
   order by d.created_at, d.event_id limit ${MAX_EVENTS_PER_MAIL}`,
)
const PAID_EVENTS = ['charge.succeeded']
const FAILED_EVENTS = ['charge.failed', 'payout.failed', 'vending.dispense_failed']

/** Reads the first events for this address in the planned span of time. */
export function readNews(
  app: App,
  { merchantId, paymentsAbove, failures, toldUntil, tellingUntil }: DueNotice,
): Promise<NoticeEvent[]> {
  const events = [...(paymentsAbove === null ? [] : PAID_EVENTS), ...(failures ? FAILED_EVENTS : [])]
  const bounds = [toldUntil.toISOString(), tellingUntil.toISOString()]
  return app.db.query(NEWS, [merchantId, ...bounds, events, paymentsAbove])
}

const EVENT_TEXTS: Readonly<Record<string, string>> = {
  'charge.succeeded': STATE_WORDS.charge.succeeded.says,
  'charge.failed': STATE_WORDS.charge.failed.says,
  'payout.failed': `payout ${STATE_WORDS.payout.failed.says}`,
  'vending.dispense_failed': 'paid, but the machine did not dispense',
}
const UGX = new Intl.NumberFormat('en-US')

/** Formats a line for each event, and how many more there are. */
export function formatNews(news: readonly NoticeEvent[]): string {
  const rest = (news[0]?.all ?? 0) - news.length
  return [...news.map(formatNewsLine), ...(rest > 0 ? [`And ${rest} more: see the dashboard.`] : [])].join('\n')
}

function formatNewsLine({ event, subject, body, at }: NoticeEvent): string {
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const { amount, failure_reason: reason, merchant_reference: reference } = data
  const words = failureWords(
    event.startsWith('payout.') ? 'payout' : 'charge',
    typeof reason === 'string' ? reason : null,
  )
  const why = words === null ? '' : `: ${words.brief}`
  const about =
    typeof reference === 'string' && reference !== '' ? `, reference ${oneLine(reference).slice(0, 60)}` : ''
  const sum = typeof amount === 'number' ? `UGX ${UGX.format(amount)} ` : ''
  return `${sum}${EVENT_TEXTS[event] ?? event}${why}, ${kampalaTime(at)}${about}: ${subject}`
}
