import { toColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'

/** Receivers that answer are sent to fast; those that time out, and later attempts, slow. */
export type DeliverySpeed = 'fast' | 'slow'

/** A merchant with due deliveries, and how its receiver behaves. */
export type DueMerchant = {
  merchantId: number
  oldest: Date
  lane: DeliverySpeed
  goodInARow: number
  lastSuccessAt: Date | null
  looked: number
}

/** How many deliveries of one merchant may be claimed at one speed. `retries`: later attempts only. */
export type SocketQuota = {
  merchantId: number
  lane: DeliverySpeed
  take: number
  which: 'first' | 'retries' | 'any'
}

/** A delivery that this process has claimed: until the lease ends only this process may record the attempt. */
export type ClaimedDelivery = {
  merchantId: number
  eventId: string
  /** The further address to which it goes; absent: the first one. */
  addressId?: string
  body: string
  attempts: number
  url: string
  lane: DeliverySpeed
  which: SocketQuota['which']
  createdAt: Date
  mode: Mode
  /** Since when it has been due; null while its address was set anew: what had waited for it is not late. */
  dueAt: Date | null
  /** The number of the event; null or absent: not known when the delivery was claimed. */
  sequence?: number | null
}

export const DELIVERY_LEASE_MS = 15_000
/** How many due rows the cheap statement reads at most; if it finds that many, the thorough one is used. */
export const MAX_DUE_ROWS_READ = 5000

const BEHAVIOUR = `coalesce(r.lane, 'fast') as lane, coalesce(r.good_in_a_row, 0) as "goodInARow",
  r.last_success_at as "lastSuccessAt"`

// A claim changes no indexed column, so that it writes to no index. The claimed row stays due, and the search for work skips it: at most
// one row for each socket.
export const isUnclaimed = (row: string, at = '$1') =>
  `(${row}.lease_until is null or ${dueCondition(`${row}.lease_until`, at, DELIVERY_LEASE_MS)})`

const FIND_DUE_MERCHANTS = statement<DueMerchant>(
  'merchants with due deliveries',
  `select d.merchant_id as "merchantId", min(d.next_attempt_at) as oldest, ${BEHAVIOUR}, count(*) as looked
   from (select o.merchant_id, o.next_attempt_at from deliveries o
     where o.next_attempt_at <= $1 and ${isUnclaimed('o')} order by o.next_attempt_at limit $2) d
   left join receivers r on r.merchant_id = d.merchant_id
   group by d.merchant_id, r.merchant_id order by oldest`,
)

// One index step per merchant, so that a merchant with many due rows does not hide the others.
const FIND_ALL_DUE_MERCHANTS = statement<DueMerchant>(
  'all merchants with due deliveries',
  `with recursive each as (
     (select d.merchant_id, d.next_attempt_at from deliveries d where d.next_attempt_at is not null and ${isUnclaimed('d')}
      order by d.merchant_id, d.next_attempt_at limit 1)
     union all
     select n.merchant_id, n.next_attempt_at from each e cross join lateral (
       select merchant_id, next_attempt_at from deliveries d
       where d.next_attempt_at is not null and ${isUnclaimed('d')} and d.merchant_id > e.merchant_id
       order by d.merchant_id, d.next_attempt_at limit 1) n)
   select e.merchant_id as "merchantId", e.next_attempt_at as oldest, ${BEHAVIOUR}, 0 as looked
   from each e left join receivers r on r.merchant_id = e.merchant_id
   where e.next_attempt_at <= $1 order by oldest`,
)

const CLAIM = statement<ClaimedDelivery>(
  'claim deliveries',
  `with chosen as (
     select s.merchant_id, s.lane, s.which, due.event_id
     from unnest($4::bigint[], $5::text[], $6::int[], $7::text[]) as s (merchant_id, lane, take, which)
     cross join lateral (
       select event_id from deliveries d
       where d.merchant_id = s.merchant_id and d.next_attempt_at <= $1 and ${isUnclaimed('d')}
         and (s.which = 'any' or (s.which = 'first') = (d.attempts = 0))
       order by d.next_attempt_at limit s.take for no key update skip locked) due)
   update deliveries d set lease_until = $2, lease_token = $3, resend_wanted = false, url = m.webhook_url
   from chosen n left join event_seals s on s.event_id = n.event_id and s.merchant_id = n.merchant_id, merchants m, events e
   where d.merchant_id = n.merchant_id and d.event_id = n.event_id and d.status = 'pending' and m.id = n.merchant_id
     and m.webhook_url is not null and e.merchant_id = d.merchant_id and e.id = d.event_id
   returning d.merchant_id as "merchantId", d.event_id as "eventId", e.body, d.attempts, m.webhook_url as url, n.lane, n.which,
     d.created_at as "createdAt", d.mode, case when m.webhook_changed_at is null then d.next_attempt_at end as "dueAt", s.sequence`,
)

/** Finds merchants with due deliveries among the most overdue rows, the longest waiting first. */
export const findDueMerchants = (now: Date): Call<DueMerchant> =>
  call(FIND_DUE_MERCHANTS, now.toISOString(), MAX_DUE_ROWS_READ)
/** Finds every merchant with due deliveries, the longest waiting first. */
export const findAllDueMerchants = (now: Date): Call<DueMerchant> => call(FIND_ALL_DUE_MERCHANTS, now.toISOString())

/** Claims due deliveries under a lease. It is committed before any socket is opened (reliability.md 7.2). */
export function claimDeliveries(now: Date, token: string, quotas: readonly SocketQuota[]): Call<ClaimedDelivery> {
  const each = toColumns(quotas)
  return call(
    CLAIM,
    now.toISOString(),
    new Date(now.getTime() + DELIVERY_LEASE_MS).toISOString(),
    token,
    ...each.values('merchantId', 'lane', 'take', 'which'),
  )
}
