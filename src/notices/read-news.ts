import type { App } from '../app.ts'
import { shown } from '../pages/wording.ts'
import { statement } from '../platform/db/statement.ts'
import { kampalaTime } from '../platform/kampala.ts'
import { EVERYWHERE } from '../webhooks/where-deliveries-are.ts'
import type { DueNotice } from './send-notices.ts'

/** An event for a mail; `all` counts every event that matches. */
type News = { event: string; subject: string; body: string; at: Date; all: number }

const MOST_TOLD = 20
// Of an hour of a very busy merchant only this many events are read.
const MOST_READ = 20_000

// The amount is the first field of a charge's data, because the body of an event is our canonical JSON. Parsing the whole body would cost
// more than the rest of the statement, and fail on texts that PostgreSQL's JSON does not take.
const NEWS = statement<News>(
  'news for notice',
  `select d.event, e.subject, e.body, d.created_at as at, count(*) over ()::int as all
   from (${EVERYWHERE.map(
     (
       condition,
     ) => `(select * from deliveries d where merchant_id = $1 and mode = 'live' and created_at > $2 and created_at <= $3
       and event = any($4::text[]) and ${condition} order by created_at, event_id limit ${MOST_READ})`,
   ).join(' union all ')} order by created_at, event_id limit ${MOST_READ}) d
     join events e on e.merchant_id = d.merchant_id and e.id = d.event_id
   where d.event <> 'charge.succeeded' or substring(e.body from '^\\{"data":\\{"amount":([0-9]{1,15})')::bigint >= $5
   order by d.created_at, d.event_id limit ${MOST_TOLD}`,
)
const PAID = ['charge.succeeded']
const FAILED = ['charge.failed', 'payout.failed', 'vending.dispense_failed']

/** Reads the first events for this address in the planned span of time. */
export function readNews(
  app: App,
  { merchantId, paymentsAbove, failures, toldUntil, tellingUntil }: DueNotice,
): Promise<News[]> {
  const events = [...(paymentsAbove === null ? [] : PAID), ...(failures ? FAILED : [])]
  const bounds = [toldUntil.toISOString(), tellingUntil.toISOString()]
  return app.db.query(NEWS, [merchantId, ...bounds, events, paymentsAbove])
}

const SAYS: Readonly<Record<string, string>> = {
  'charge.succeeded': 'paid',
  'charge.failed': 'charge failed',
  'payout.failed': 'payout failed',
  'vending.dispense_failed': 'paid, but the machine did not dispense',
}
const UGX = new Intl.NumberFormat('en-US')

/** Formats a line for each event, and how many more there are. */
export function textOf(news: readonly News[]): string {
  const rest = (news[0]?.all ?? 0) - news.length
  return [...news.map(lineOf), ...(rest > 0 ? [`And ${rest} more: see the dashboard.`] : [])].join('\n')
}

function lineOf({ event, subject, body, at }: News): string {
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  const { amount, failure_reason: reason, merchant_reference: reference } = data
  const why = typeof reason === 'string' ? ` (${reason.replaceAll('_', ' ')})` : ''
  const about =
    typeof reference === 'string' && reference !== '' ? `, reference ${shown(reference).slice(0, 60)}` : ''
  const sum = typeof amount === 'number' ? `UGX ${UGX.format(amount)} ` : ''
  return `${sum}${SAYS[event] ?? event}${why}, ${kampalaTime(at)}${about}: ${subject}`
}
