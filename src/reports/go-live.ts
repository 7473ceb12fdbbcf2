import type { Merchant } from '../merchants/account/merchant.ts'
import { listMembers } from '../merchants/people/members.ts'
import { EVENT_TYPES } from '../merchants/webhooks/events.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Gateway } from '../program/app.ts'

/** The steps before a business can live from real payments, in the usual order. */
export type GoLiveStep = 'verified' | 'webhook' | 'live_key' | 'live_charge' | 'settlement' | 'second_owner' | 'factors'

/** A step, and when it was done. `at` is null where it is not done, or where no time was recorded. */
export type GoLiveFact = { step: GoLiveStep; done: boolean; at: Date | null }

// How many of the newest deliveries of each event and mode are read.
const DELIVERIES_CHECKED = 50

// Only deliveries to the present address count, in either mode.
const WEBHOOK_ANSWERED = statement<{ at: Date }>(
  'webhook address answered',
  `select max(d.delivered_at) as at from merchants m
     cross join unnest(array['test', 'live']::mode[]) as o (mode) cross join unnest($3::text[]) as e (event)
     cross join lateral (select n.url, n.delivered_at from deliveries n where n.merchant_id = m.id and n.mode = o.mode
       and n.event = e.event and n.status <> 'pending' order by n.created_at desc, n.event_id desc limit $2) d
   where m.id = $1 and d.url = m.webhook_url and d.delivered_at is not null having max(d.delivered_at) is not null`,
)
const KEY_USED = statement<{ at: Date }>(
  'live key used',
  `select max(k.last_used_at) as at from api_keys k where k.merchant_id = $1 and k.kind in ('live', 'live_collections')
   having max(k.last_used_at) is not null`,
)
const FIRST_CHARGE = statement<{ at: Date }>(
  'first live charge',
  `select c.completed_at as at from unnest(array['succeeded', 'refunded']) as s (status)
     cross join lateral (select f.completed_at from charges f
       where f.merchant_id = $1 and f.mode = 'live' and f.published and f.completed_at is not null and f.status = s.status
       order by f.created_at, f.id limit 1) c
   order by c.completed_at limit 1`,
)
const FIRST_SETTLEMENT = statement<{ at: Date }>(
  'first live settlement',
  `select created_at as at from settlements where merchant_id = $1 and mode = 'live' order by created_at, id limit 1`,
)

/** Reads which steps are done, from the facts themselves. Only owners count as people here, tills do not. */
export async function readGoLiveFacts(
  gateway: Gateway,
  { id, kycStatus }: Merchant,
  cell: { cell: string },
): Promise<GoLiveFact[]> {
  const { db } = gateway.appOf(cell)
  const [[answered], [used], [charged], [settled]] = await db.queries(
    call(WEBHOOK_ANSWERED, id, DELIVERIES_CHECKED, EVENT_TYPES),
    call(KEY_USED, id),
    call(FIRST_CHARGE, id),
    call(FIRST_SETTLEMENT, id),
  )
  const owners = (await listMembers(gateway, id)).filter(({ role, till }) => role === 'owner' && !till)
  const since = (step: GoLiveStep, row: { at: Date } | undefined): GoLiveFact => ({
    ...{ step, done: row !== undefined, at: row?.at ?? null },
  })
  const withoutTime = (step: GoLiveStep, done: boolean): GoLiveFact => ({ step, done, at: null })
  return [
    withoutTime('verified', kycStatus === 'verified'),
    since('webhook', answered),
    since('live_key', used),
    since('live_charge', charged),
    since('settlement', settled),
    withoutTime('second_owner', owners.length > 1),
    withoutTime('factors', owners.length > 0 && owners.every(({ hasFactor }) => hasFactor)),
  ]
}
