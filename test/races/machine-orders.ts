import type { Mode } from '../../src/platform/mode.ts'
import type { Merchant } from '../crash/installation.ts'
import { newPayer, openForms, pay } from './checkout.ts'
import { type Fleet, newKey, postUntilJudged, type Reply, webOf } from './fleet.ts'
import { strangeAnswers } from './form-answers.ts'
import { allDecided } from './link-charges.ts'
import { until } from './money.ts'

/** In live mode the supplier gets the commands, and `refusing` does what the race sets. The other two work in test mode. */
export const MACHINES = { usual: 'RACE-1', refusing: 'RACE-NO', delivering: 'RACE-OK', jamming: 'RACE-JAM' }
export const GOODS = [{ spbh: '1', spmc: 'Water', spdj: 5000 }]
/** How long an order can be paid. */
export const LIFETIME_MS = 120_000

export type Made = { id: string; expiresAt: number }
/** An order that was paid. */
export type Paid = { id: string; charge: string }

const PRICE = 5000
const TEST_FUNDS = '10000000'
const prepared = new WeakMap<Fleet, Promise<void>>()

/** The merchant that sells at the machines of the fleet's supplier. */
export async function machineMerchant(fleet: Fleet): Promise<Merchant> {
  const preparing = prepared.get(fleet) ?? prepare(fleet)
  prepared.set(fleet, preparing)
  await preparing
  return fleet.merchants.live
}

async function prepare({ installation, merchants, supplier }: Fleet): Promise<void> {
  const { handle } = merchants.live
  const { baseUrl, key, secret, shbh } = supplier.access
  const commands = [
    ['merchants', 'set', handle, '--vending', 'true', '--auto-refund-on-jam', 'test'],
    ['vending', 'set', handle, '--base-url', baseUrl, '--key', key, '--secret', secret, '--shbh', shbh],
    ['funds', 'add', handle, '--amount', TEST_FUNDS],
    ...Object.values(MACHINES).map((machine) => ['machines', 'add', handle, '--machine', machine]),
  ]
  for (const command of commands) {
    const { code, stderr } = await installation.command(command)
    if (code !== 0) throw new Error(`${command[0]} ${command[1]}: ${stderr}`)
  }
}

/** One POST of the machine merchant, with its key for the mode. */
export async function ask(
  fleet: Fleet,
  nth: number,
  { mode, ...request }: { mode: Mode; path: string; body?: object; key?: string },
): Promise<Reply> {
  const { keys } = await machineMerchant(fleet)
  return postUntilJudged(fleet, webOf(fleet, nth), { apiKey: keys[mode], ...request })
}

export async function newOrders(
  fleet: Fleet,
  { mode, machine, count }: { mode: Mode; machine: string; count: number },
): Promise<Made[]> {
  await machineMerchant(fleet)
  const makeOne = async (_: unknown, nth: number): Promise<Made> => {
    const body = { machine, amount: PRICE, goods: GOODS }
    const reply = await ask(fleet, nth, { mode, path: '/v1/vending/orders', key: newKey('order'), body })
    if (reply.status !== 201) throw new Error(`an order of the race was refused: ${reply.text}`)
    const { order_id: id, expires_at } = JSON.parse(reply.text)
    return { id, expiresAt: Date.parse(expires_at) }
  }
  return Promise.all(Array.from({ length: count }, makeOne))
}

const PAID = `select l.id, l.charge_id as charge from payment_links l where l.id = any($1) order by array_position($1, l.id)`

/** Paid orders whose machines have received the command. */
export async function toldOrders(fleet: Fleet, ...wanted: Parameters<typeof newOrders>[1][]): Promise<Paid[]> {
  const made = (await Promise.all(wanted.map((some) => newOrders(fleet, some)))).flat()
  const ids = made.map(({ id }) => id)
  const forms = await openForms(fleet, ids)
  const answers = await Promise.all(
    forms.map((form, nth) => pay(fleet, nth, ids[nth] as string, form, { phone: newPayer(fleet) })),
  )
  const [strange] = strangeAnswers(answers, [302])
  if (strange !== undefined) throw new Error(`an order of the race could not be paid: ${strange}`)
  await allDecided(fleet, ids)
  const list = ids.map((id) => `'${id}'`).join()
  await until(fleet, `select 1 from vending_orders where id in (${list}) and watched`)
  await until(fleet, `select 1 from dispense_claims where order_id in (${list}) and state in ('claimed', 'commanding')`)
  return fleet.installation.sql<Paid>(PAID, [ids])
}

/** How often the supplier was commanded to dispense for this charge. */
export const commandsFor = ({ supplier }: Fleet, charge: string): number =>
  supplier.commands.filter(({ chargeId }) => chargeId === charge).length

// Longer than the lease of a claim.
const LEASE_MS = 61_000

/** The process that claimed this dispense may be too busy to go on: another takes it up after the lease. */
export async function takenUp(fleet: Fleet, charge: string): Promise<void> {
  const open = `select 1 from dispense_claims where charge_id = '${charge}' and state in ('claimed', 'commanding')`
  if ((await fleet.installation.sql(open)).length === 0) return
  fleet.installation.advance(LEASE_MS)
  await until(fleet, open)
}

/** How an order ended, and how many events and callbacks there are of it. */
export type OrderEnd = {
  id: string
  charge: string
  status: string
  claims: number
  commanded: number
  events: number
  callbacks: number
  refunds: number
  refunded: boolean
  /** The refund was not possible yet and is tried later. */
  refundDue: boolean
}

const ENDS = `select o.id, l.charge_id as charge, o.vending_status as status, coalesce(k.claims, 0)::int as claims,
    coalesce(k.commanded, 0)::int as commanded,
    (select count(*)::int from events e where e.merchant_id = o.merchant_id and e.subject = o.id and e.type like 'vending.%') as events,
    (select count(*)::int from vendor_callbacks v where v.merchant_id = o.merchant_id and v.order_id = o.id) as callbacks,
    (select count(*)::int from payouts p where p.merchant_id = l.merchant_id and p.charge_id = l.charge_id and p.voided_at is null) as refunds,
    exists (select 1 from charges c where c.merchant_id = l.merchant_id and c.id = l.charge_id and c.status = 'refunded') as refunded,
    o.refund_due_at is not null as "refundDue"
  from vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  left join lateral (select count(*) as claims, count(commanded_at) as commanded from dispense_claims k
    where k.merchant_id = o.merchant_id and k.order_id = o.id and k.kind = 'order') k on true
  where o.id = any($1) order by array_position($1, o.id)`

export const endsOf = ({ installation }: Fleet, orders: readonly { id: string }[]): Promise<OrderEnd[]> =>
  installation.sql<OrderEnd>(ENDS, [orders.map(({ id }) => id)])
