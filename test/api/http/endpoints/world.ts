import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { kampalaMonth } from '../../../../src/platform/time/kampala.ts'
import { type SupplierAccess, setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { pay } from '../../../helpers/payments/payouts.ts'
import { fund, planned } from '../../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { type LiveService, newPayer } from '../../../helpers/service/live-service.ts'
import type { Client, TestService } from '../../../helpers/service/test-service.ts'
import { makeOrder, registerMachines, type VendingShop, vendingShop } from '../../../helpers/vending/vending.ts'

/** One object of every kind that a path can name, and a month. */
type Owned = Record<
  | 'charge'
  | 'payout'
  | 'schedule'
  | 'subaccount'
  | 'link'
  | 'order'
  | 'event'
  | 'address'
  | 'settlement'
  | 'machine'
  | 'period',
  string
>
export type Kind = keyof Owned
/** A merchant in one mode. */
export type Side = VendingShop & {
  service: LiveService
  mode: Mode
  client: Client
  /** The client of the key that moves no money out. */
  kiosk: Client
}
export type Trader = Side & { owned: Owned }
/** Two merchants who sell and pay the same in both modes, all in one service, and a second process beside it. */
export type World = {
  service: LiveService
  beside: TestService
  /** One more verified merchant in test mode, with money, machines and a supplier for live ones. */
  newSide(): Promise<Side>
  ours: Trader
  oursLive: Trader
  theirs: Trader
  theirsLive: Trader
}

export const FUNDS = 10_000_000
export const SOLD = 500_000
/** All sell to one customer and pay one person. */
const SAME = { reference: 'same', phone: '0700123456', email: 'jane@example.ug' }
/** So many requests a minute the second process accepts of one merchant. */
export const MOST_BESIDE = 200

export async function openWorld(
  service: LiveService,
  { beside, access }: { beside: TestService; access: SupplierAccess },
): Promise<World> {
  const create = () => newSide(service, access)
  const [ours, theirs] = [await create(), await create()]
  await registerMachines(service, ours.merchantId, ['ours'])
  await registerMachines(service, theirs.merchantId, ['theirs'])
  return {
    service,
    beside,
    newSide: create,
    ours: await trade(ours, 'ours'),
    oursLive: await trade(liveSideOf(ours), 'ours'),
    theirs: await trade(theirs, 'theirs'),
    theirsLive: await trade(liveSideOf(theirs), 'theirs'),
  }
}

async function newSide(service: LiveService, supplier: SupplierAccess): Promise<Side> {
  const shop = await vendingShop(service, { verified: true })
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await fund(service, { ...shop, tag: merchant.tag }, FUNDS)
  await setVending(service.app, BY_HAND, { merchant, change: { supplier } })
  return { ...shop, service, mode: 'test', client: shop.api, kiosk: shop.collections }
}

export function liveSideOf(side: Side): Side {
  const kiosk = side.service.client(side.merchant.keys.live_collections)
  return { ...side, mode: 'live', client: side.live, kiosk }
}

/** Sells, pays and makes one of everything. */
async function trade(side: Side, machine: string): Promise<Trader> {
  const { service, client } = side
  const { reference, phone, email } = SAME
  const charge = await ended(side, { amount: SOLD, reference, customer: { phone, email } })
  const { body: payout } = await pay(client, { reference, recipient: { phone } })
  const subaccount = await client.post('/v1/subaccounts', { name: 'Farm' })
  const link = await client.post('/v1/payment-links', { amount: 5000, reference })
  const order = await makeOrder({ api: client }, { machine, reference })
  if (side.mode === 'test') assert.equal((await client.post('/v1/vending/dispense-secret')).status, 201)
  const newest = async (list: string) => (await client.get(`${list}?limit=1`)).body.data[0].id
  const owned: Owned = {
    charge,
    payout: payout.id,
    schedule: (await planned(client)).id,
    subaccount: subaccount.body.id,
    link: link.body.id,
    order: order.order_id,
    event: await newest('/v1/webhooks'),
    address: (await client.post('/v1/webhook-addresses', { url: 'https://1.1.1.1/hook' })).body.id,
    settlement: await newest('/v1/settlements'),
    machine,
    period: kampalaMonth(service.clock.now()),
  }
  for (const [kind, id] of Object.entries(owned)) assert.ok(id, `${side.mode} ${kind}`)
  return { ...side, owned }
}

/** A charge that has succeeded. */
export const paid = (side: Side, amount = 5000): Promise<string> =>
  ended(side, { amount, customer: { phone: newPayer() } })

/** A charge of which the customer has decided. */
async function ended({ service, client, mode }: Side, charge: Record<string, unknown>): Promise<string> {
  const { status, body } = await client.charge(charge)
  assert.equal(status, 201, JSON.stringify(body))
  if (mode === 'live') await succeed(service, body.id)
  else await decideAll({ service })
  return body.id
}

/** Lets the sandbox decide about every open charge. */
export async function decideAll({ service }: Pick<Side, 'service'>): Promise<void> {
  service.pass(2000)
  while ((await service.run('follow-charges')) > 0);
}

export const ADDRESSES = '/v1/webhook-addresses'
/** An address to add, where there is room for it. */
export async function newAddress({ client }: Side): Promise<object> {
  const { data } = (await client.get(ADDRESSES)).body
  if (data.length === 5) await client.post(`${ADDRESSES}/${data[4].id}/remove`)
  return { url: `https://1.1.1.1/${newPayer()}` }
}
