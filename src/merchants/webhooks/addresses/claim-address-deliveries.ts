import { numberColumn, textColumn } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { type ClaimedDelivery, DELIVERY_LEASE_MS, isUnclaimed, MAX_DUE_ROWS_READ } from '../claim-deliveries.ts'

/** A further address with due deliveries; `works` where it is active. `failing`: its last attempt found no success. */
export type DueAddress = {
  merchantId: number
  addressId: string
  works: boolean
  failing: boolean
  looked: number
}

/** How many deliveries of one address may be claimed. */
export type AddressQuota = { merchantId: number; addressId: string; take: number }

/** A claimed delivery to a further address, with the sealed secrets that sign it. */
export type ClaimedForAddress = ClaimedDelivery & {
  addressId: string
  secret: Buffer
  /** Null where its overlap is over. */
  previousSecret: Buffer | null
}

const IS_ACTIVE = `a.state = 'active' and a.removed_at is null`
const OF_ADDRESS = `${IS_ACTIVE} as works, a.failing_since is not null as failing`

const FIND_DUE = statement<DueAddress>(
  'addresses with due deliveries',
  `select d.merchant_id as "merchantId", d.address_id as "addressId", ${OF_ADDRESS}, d.looked
   from (select o.merchant_id, o.address_id, min(o.next_attempt_at) as oldest, count(*)::int as looked
     from (select r.merchant_id, r.address_id, r.next_attempt_at from address_deliveries r
       where r.next_attempt_at <= $1 and ${isUnclaimed('r')} order by r.next_attempt_at limit ${MAX_DUE_ROWS_READ}) o
     group by o.merchant_id, o.address_id) d
   join webhook_addresses a on a.merchant_id = d.merchant_id and a.id = d.address_id
   order by d.oldest`,
)
// One index step per address, so that one with many due rows does not hide the others.
const FIND_ALL_DUE = statement<DueAddress>(
  'all addresses with due deliveries',
  `with recursive each as (
     (select d.merchant_id, d.address_id, d.next_attempt_at from address_deliveries d
      where d.next_attempt_at is not null and ${isUnclaimed('d')}
      order by d.merchant_id, d.address_id, d.next_attempt_at limit 1)
     union all
     select n.merchant_id, n.address_id, n.next_attempt_at from each e cross join lateral (
       select d.merchant_id, d.address_id, d.next_attempt_at from address_deliveries d
       where d.next_attempt_at is not null and ${isUnclaimed('d')} and (d.merchant_id, d.address_id) > (e.merchant_id, e.address_id)
       order by d.merchant_id, d.address_id, d.next_attempt_at limit 1) n)
   select e.merchant_id as "merchantId", e.address_id as "addressId", ${OF_ADDRESS}, 0 as looked
   from each e join webhook_addresses a on a.merchant_id = e.merchant_id and a.id = e.address_id
   where e.next_attempt_at <= $1 order by e.next_attempt_at`,
)
const CLAIM = statement<ClaimedForAddress>(
  'claim deliveries to further addresses',
  `with chosen as (
     select s.merchant_id, s.address_id, due.event_id
     from unnest($4::bigint[], $5::text[], $6::int[]) as s (merchant_id, address_id, take)
     cross join lateral (
       select d.event_id from address_deliveries d
       where d.merchant_id = s.merchant_id and d.address_id = s.address_id and d.next_attempt_at <= $1 and ${isUnclaimed('d')}
       order by d.next_attempt_at, d.sequence limit s.take for no key update skip locked) due)
   update address_deliveries d set lease_until = $2, lease_token = $3, url = a.url
   from chosen n, webhook_addresses a, events e
   where d.merchant_id = n.merchant_id and d.address_id = n.address_id and d.event_id = n.event_id and d.status = 'pending'
     and a.merchant_id = n.merchant_id and a.id = n.address_id and ${IS_ACTIVE}
     and e.merchant_id = d.merchant_id and e.id = d.event_id
   returning d.merchant_id as "merchantId", d.event_id as "eventId", d.address_id as "addressId", e.body, d.attempts, a.url,
     case when d.attempts = 0 and a.failing_since is null then 'fast' else 'slow' end as lane, 'any' as which,
     d.created_at as "createdAt", d.mode, case when not a.waits then d.next_attempt_at end as "dueAt", d.sequence, a.secret,
     case when a.previous_until > $1 then a.previous_secret end as "previousSecret"`,
)

/** Finds further addresses with due deliveries among the most overdue rows, the longest waiting first. */
export const findDueAddresses = (now: Date): Call<DueAddress> => call(FIND_DUE, now.toISOString())
/** Finds every further address with due deliveries, the longest waiting first. */
export const findAllDueAddresses = (now: Date): Call<DueAddress> => call(FIND_ALL_DUE, now.toISOString())

/** Claims due deliveries of these addresses under a lease. */
export const claimAddressDeliveries = (
  now: Date,
  token: string,
  quotas: readonly AddressQuota[],
): Call<ClaimedForAddress> =>
  call(
    CLAIM,
    now.toISOString(),
    new Date(now.getTime() + DELIVERY_LEASE_MS).toISOString(),
    token,
    numberColumn(quotas.map(({ merchantId }) => merchantId)),
    textColumn(quotas.map(({ addressId }) => addressId)),
    quotas.map(({ take }) => take),
  )
