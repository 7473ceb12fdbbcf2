import type { Merchant } from '../merchants/account/merchant.ts'
import { listMembers } from '../merchants/people/members.ts'
import { EVENT_TYPES } from '../merchants/webhooks/events.ts'
import { assert } from '../platform/assert.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Gateway } from '../program/app.ts'

/** The steps before a business can live from real payments, in the usual order. */
export type GoLiveStep =
  | 'verified'
  | 'machines'
  | 'webhook'
  | 'live_key'
  | 'live_charge'
  | 'settlement'
  | 'second_owner'
  | 'factors'

/** The ways in which a business takes payments, as far as it has used them in either mode. */
export type WayToSell = 'links' | 'storefront' | 'counter' | 'machines' | 'program'

/**
 * A step, and when it was done. `at` is null where it is not done, or where no time was recorded. `not_needed`: nothing that the business
 * uses asks for it.
 */
export type GoLiveFact = { step: GoLiveStep; state: 'done' | 'open' | 'not_needed'; at: Date | null }
export type GoLive = { ways: readonly WayToSell[]; facts: readonly GoLiveFact[] }

// How many of the newest links and payments are looked at for what a business uses.
const NEWEST_CHECKED = 50

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

// An item of the storefront is a link too. A payment without a link was asked for at the counter, or by a program.
const WAYS = statement<{
  links: boolean
  items: boolean
  unlinked: boolean
  machine: boolean
  supplier: boolean
  key: boolean
}>(
  'ways in which a merchant sells',
  `select
     exists (select 1 from unnest(array['test', 'live']::mode[]) as o (mode) cross join lateral (select l.id from payment_links l
       where l.merchant_id = $1 and l.mode = o.mode and l.kind = 'link' order by l.created_at desc, l.id desc limit $2) f
       where not exists (select 1 from storefront_items i where i.merchant_id = $1 and i.link_id = f.id)) as links,
     exists (select 1 from storefront_items i where i.merchant_id = $1 and i.removed_at is null) as items,
     exists (select 1 from unnest(array['test', 'live']::mode[]) as o (mode) cross join lateral (select c.payment_link_id from charges c
       where c.merchant_id = $1 and c.mode = o.mode and c.published and c.completed_at is not null and c.status = 'succeeded'
       order by c.created_at desc, c.id desc limit $2) f where f.payment_link_id is null) as unlinked,
     exists (select 1 from machines m where m.merchant_id = $1 and m.removed_at is null and m.active) as machine,
     exists (select 1 from vending_suppliers v where v.merchant_id = $1) as supplier,
     exists (select 1 from api_keys k where k.merchant_id = $1 and k.last_used_at is not null) as key`,
)

/** Reads what a business uses and which steps that needs are done, from the facts themselves. Only owners count as people here, tills do not. */
export async function readGoLive(gateway: Gateway, merchant: Merchant, cell: { cell: string }): Promise<GoLive> {
  const { id, kycStatus, vendingEnabled, webhookUrl } = merchant
  const { db } = gateway.appOf(cell)
  const [[answered], [used], [charged], [settled], [has]] = await db.queries(
    call(WEBHOOK_ANSWERED, id, DELIVERIES_CHECKED, EVENT_TYPES),
    call(KEY_USED, id),
    call(FIRST_CHARGE, id),
    call(FIRST_SETTLEMENT, id),
    call(WAYS, id, NEWEST_CHECKED),
  )
  assert(has, 'it selects from nothing')
  const members = await listMembers(gateway, id)
  const owners = members.filter(({ role, till }) => role === 'owner' && !till)
  const hasProgram = has.key || webhookUrl !== null
  // The orders of machines are made with a key, and we tell the machines: no program has to hear of their payments.
  const needs = { key: hasProgram || vendingEnabled, webhook: webhookUrl !== null || (has.key && !vendingEnabled) }
  const since = (step: GoLiveStep, row: { at: Date } | undefined, isNeeded = true): GoLiveFact => ({
    ...{ step, state: row !== undefined ? 'done' : isNeeded ? 'open' : 'not_needed', at: row?.at ?? null },
  })
  const withoutTime = (step: GoLiveStep, done: boolean): GoLiveFact => ({
    step,
    state: done ? 'done' : 'open',
    at: null,
  })
  const withoutMachines: GoLiveFact = { step: 'machines', state: 'not_needed', at: null }
  const ways: Record<WayToSell, boolean> = {
    ...{ links: has.links, storefront: has.items, machines: vendingEnabled, program: hasProgram },
    counter: members.some(({ till }) => till) || (has.unlinked && !has.key),
  }
  return {
    ways: (Object.keys(ways) as WayToSell[]).filter((way) => ways[way]),
    facts: [
      withoutTime('verified', kycStatus === 'verified'),
      vendingEnabled ? withoutTime('machines', has.machine && has.supplier) : withoutMachines,
      since('webhook', answered, needs.webhook),
      since('live_key', used, needs.key),
      since('live_charge', charged),
      since('settlement', settled),
      withoutTime('second_owner', owners.length > 1),
      withoutTime('factors', owners.length > 0 && owners.every(({ hasFactor }) => hasFactor)),
    ],
  }
}
