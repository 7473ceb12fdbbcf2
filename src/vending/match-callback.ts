import type { App, Gateway } from '../app.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { ShopFinder } from '../merchants/shops.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import type { Callback } from './callback-body.ts'

/** The order or direct dispense that a callback may be about. Whose secret has signed it decides. */
export type Candidate = {
  app: App
  merchantId: number
  tag: string
  mode: Mode
  kind: 'order' | 'direct'
  orderId: string
  chargeId: string | null
  /** What the machine is told to dispense at; another one has not been told. */
  machine: string
  products: number
  createdAt: Date
  /** The ids of the callback lead to different orders: nothing is changed, whoever signed. */
  torn: boolean
}

type Row = Omit<Candidate, 'app' | 'kind' | 'torn'>

// Of an order every machine is asked for as many units as there are goods.
const ORDER = `o.merchant_id as "merchantId", m.tag, o.mode, o.id as "orderId", l.charge_id as "chargeId", o.machine,
  json_array_length(o.goods) as products, o.created_at as "createdAt"`
const ORDER_TABLES = `vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  join merchants m on m.id = o.merchant_id`
const BY_ID = statement<Row>(
  'order of callback',
  `select ${ORDER} from ${ORDER_TABLES} where o.merchant_id = $1 and o.id = $2`,
)
const BY_CHARGE = statement<Row>(
  'order of callback by charge',
  `select ${ORDER} from charges c join vending_orders o on o.merchant_id = c.merchant_id and o.id = c.payment_link_id
   join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id join merchants m on m.id = o.merchant_id
   where c.merchant_id = $1 and c.id = $2`,
)
const DIRECT_BY_CHARGE = statement<Row>(
  'direct dispense of callback',
  `select k.merchant_id as "merchantId", m.tag, k.mode, k.order_id as "orderId", k.charge_id as "chargeId", k.machine,
     json_array_length(k.goods) as products, k.claimed_at as "createdAt"
   from dispense_claims k join merchants m on m.id = k.merchant_id
   where k.merchant_id = $1 and k.charge_id = $2 and k.kind = 'direct' order by k.claimed_at desc, k.attempt desc limit 1`,
)
const IS_CHARGE = statement<{ id: string }>(
  'whether charge of callback',
  'select id from charges where merchant_id = $1 and id = $2',
)
// One a merchant and mode: which of them has signed is found out by their secrets.
const BY_MACHINE = statement<Row>(
  'orders of callback by machine',
  `select newest.* from machines k cross join (values ('test'::mode), ('live'::mode)) as each (mode)
   left join vending_profiles p on p.merchant_id = k.merchant_id
   cross join lateral (select ${ORDER} from ${ORDER_TABLES}
     join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id and c.status = 'succeeded'
     where o.merchant_id = k.merchant_id and o.machine = k.machine and o.mode = each.mode
       and (o.vending_status = 'dispensing' or (o.vending_status = 'dispensed' and not o.confirmed))
       and (o.vending_status = 'dispensing' or p.profile = 'optimistic')
     order by o.created_at desc, o.id desc limit 1) newest
   where k.machine = $1 and k.removed_at is null limit $2`,
)

// A machine number belongs to one supplier, and few merchants share one; whoever enters it a thousand times is not heard.
const MOST_BY_MACHINE = 50

export type Finder = { gateway(): Gateway; shops: ShopFinder }

/**
 * What a callback may be about, in the order of contract.md 6.3 step 3: the order it names, else the order or direct dispense
 * of the charge it names (of the latter `ddbh` is the merchant's own number); only where it names neither the machine, over
 * all merchants that have it. Nothing where names lead nowhere.
 */
export async function candidatesOf(
  finder: Finder,
  { orderId, chargeId, machine }: Pick<Callback, 'orderId' | 'chargeId' | 'machine'>,
): Promise<Candidate[]> {
  if (orderId === null && chargeId === null)
    return machine === null ? [] : atMachine(finder.gateway(), machine)
  const named = orderId === null ? null : await byOrder(finder, orderId)
  const paid = chargeId === null ? null : await byCharge(finder, chargeId)
  if (named === null) return paid === null || paid === 'other' ? [] : [paid]
  // The merchant's own number of a direct dispense may be the id of anything, also of an order.
  if (paid !== null && paid !== 'other' && paid.kind === 'direct' && paid.orderId === orderId) return [paid]
  const agree = paid === null || (paid !== 'other' && isSame(paid, named))
  return [{ ...named, torn: !agree }]
}

const isSame = (a: Candidate, b: Candidate) =>
  a.merchantId === b.merchantId && a.kind === b.kind && a.orderId === b.orderId

async function byOrder(finder: Finder, id: string): Promise<Candidate | null> {
  const shop = await shopOf(finder, tagOf('lnk_', id))
  if (shop === null) return null
  const [row] = await shop.app.db.query(BY_ID, [shop.merchantId, id])
  return row ? { ...row, app: shop.app, kind: 'order', torn: false } : null
}

/** `other`: a charge of ours that pays for neither an order nor a direct dispense. */
async function byCharge(finder: Finder, id: string): Promise<Candidate | 'other' | null> {
  const shop = await shopOf(finder, tagOf('txn_', id))
  if (shop === null) return null
  const { app, merchantId } = shop
  const [order] = await app.db.query(BY_CHARGE, [merchantId, id])
  if (order) return { ...order, app, kind: 'order', torn: false }
  const [direct] = await app.db.query(DIRECT_BY_CHARGE, [merchantId, id])
  if (direct) return { ...direct, app, kind: 'direct', torn: false }
  const [charge] = await app.db.query(IS_CHARGE, [merchantId, id])
  return charge ? 'other' : null
}

const shopOf = async ({ gateway, shops }: Finder, tag: string | null) =>
  tag === null ? null : shops.ofTag(gateway(), tag)

async function atMachine(gateway: Gateway, machine: string): Promise<Candidate[]> {
  const cells = await Promise.all(
    gateway.cells.map(async (app) => {
      const rows = await app.db.query(BY_MACHINE, [machine, MOST_BY_MACHINE])
      return rows.map((row): Candidate => ({ ...row, app, kind: 'order', torn: false }))
    }),
  )
  return cells.flat()
}
