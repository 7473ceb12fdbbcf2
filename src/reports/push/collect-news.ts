import { ALL_INDEX_CONDITIONS } from '../../merchants/webhooks/delivery-indexes.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { paceSql } from './claim-devices.ts'

// Merchants with devices are looked at in turn, at most so many in one run.
const MERCHANTS_PER_PAGE = 500
const MAX_PAGES_PER_RUN = 10
// After an outage devices hear of the last ten minutes; the dashboard has the rest.
const LONGEST_LOOK_BACK_MS = 10 * 60_000
// An event carries the time at which its transaction began. One that commits later than this after the latest that was told is missed.
const OVERLAP = `interval '15 seconds'`
const MAX_EVENTS_AT_ONCE = 2000
const TOLD_KEPT_MS = 2 * LONGEST_LOOK_BACK_MS
const MAX_PRUNED = 10_000

type MerchantNews = { merchantId: number; since: Date; hasNews: boolean }

const EVENTS = ['charge.succeeded', 'charge.failed', 'payout.failed', 'vending.dispense_failed']

const SINCE = `greatest($2::timestamptz, (select t.at from push_told t where t.merchant_id = m.merchant_id order by t.at desc limit 1)
  - ${OVERLAP})`
/** Live events of the merchant `m`, since then, that no device was told of. */
const untold = (since: string) =>
  ALL_INDEX_CONDITIONS.map(
    (
      condition,
    ) => `(select d.event_id, d.created_at from deliveries d where d.merchant_id = m.merchant_id and d.mode = 'live'
       and d.event = any($1::text[]) and d.created_at > ${since} and ${condition}
       and not exists (select 1 from push_told t where t.merchant_id = d.merchant_id and t.event_id = d.event_id)
     limit ${MAX_EVENTS_AT_ONCE})`,
  ).join(' union all ')

const FIND = statement<MerchantNews>(
  'merchants with news for devices',
  `select m.merchant_id as "merchantId", m.since, exists (${untold('m.since')}) as "hasNews"
   from (select m.merchant_id, ${SINCE} as since from (
     select distinct merchant_id from push_devices where merchant_id > $3 order by merchant_id limit ${MERCHANTS_PER_PAGE}) m) m
   order by m.merchant_id`,
)
// The amount is the first field of a charge's data: the body of an event is our canonical JSON.
const COLLECT = statement<{ id: string }>(
  'collect news for devices',
  `with told as (
     insert into push_told (merchant_id, event_id, at)
     select m.merchant_id, u.event_id, u.created_at from (select $3::bigint as merchant_id) m cross join lateral (${untold('$2::timestamptz')}) u
     order by u.created_at limit ${MAX_EVENTS_AT_ONCE} on conflict do nothing returning event_id, at),
   news as (
     select e.id, e.type, t.at, coalesce(substring(e.body from '^\\{"data":\\{"amount":([0-9]{1,15})')::bigint, 0) as amount
     from told t join events e on e.merchant_id = $3 and e.id = t.event_id),
   sums as (
     select p.id, count(*) filter (where n.type = 'charge.succeeded') as paid,
       coalesce(sum(n.amount) filter (where n.type = 'charge.succeeded'), 0) as sum,
       count(*) filter (where n.type in ('charge.failed', 'vending.dispense_failed')) as failed,
       count(*) filter (where n.type = 'payout.failed') as payouts,
       (array_agg(n.id order by n.at desc, n.id))[1] as last
     from push_devices p join news n on n.at > p.created_at and case when n.type = 'charge.succeeded' then p.payments else p.failures end
     where p.merchant_id = $3 group by p.id)
   update push_devices p set paid_count = p.paid_count + s.paid, paid_sum = p.paid_sum + s.sum, failed_count = p.failed_count + s.failed,
     payouts_failed = p.payouts_failed + s.payouts, last_event = s.last, due_at = coalesce(p.due_at, ${paceSql('p', '$4')})
   from sums s where p.merchant_id = $3 and p.id = s.id returning p.id`,
)
const PRUNE = statement(
  'prune events that devices were told of',
  `delete from push_told where (merchant_id, event_id) in (
     select merchant_id, event_id from push_told where at < $1 order by at limit ${MAX_PRUNED}) returning event_id`,
)

/**
 * Makes a look for events of merchants with devices. A run counts each event once for every device that hears of it, whichever process
 * finds it, and returns the number of devices that are due by it. The next run goes on where one has stopped.
 */
export function newNewsCollector(app: App): () => Promise<number> {
  let after = 0
  return async () => {
    const now = app.clock.now()
    const since = addMs(now, -LONGEST_LOOK_BACK_MS).toISOString()
    let devices = 0
    for (let page = 0; page < MAX_PAGES_PER_RUN; page += 1) {
      const merchants = await app.db.query(FIND, [EVENTS, since, after])
      for (const merchant of merchants.filter(({ hasNews }) => hasNews))
        devices += await collectNews(app, merchant, now).catch((error) => {
          app.log.error({ err: error, merchantId: merchant.merchantId }, 'the news for devices could not be collected')
          return 0
        })
      after = merchants.at(-1)?.merchantId ?? 0
      if (merchants.length < MERCHANTS_PER_PAGE) {
        after = 0
        break
      }
    }
    return devices
  }
}

const collectNews = async ({ db }: App, { merchantId, since }: MerchantNews, now: Date) =>
  (await db.query(COLLECT, [EVENTS, since.toISOString(), merchantId, now.toISOString()])).length

/** Forgets events that are no longer looked for. Returns how many. */
export const pruneTold = async ({ db, witness }: Pick<App, 'db' | 'witness'>): Promise<number> =>
  (await db.query(PRUNE, [new Date(witness.earlierMs() - TOLD_KEPT_MS).toISOString()])).length
