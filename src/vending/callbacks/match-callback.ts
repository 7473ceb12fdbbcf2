import type { App, Gateway } from '../../app.ts'
import type { ShopFinder } from '../../merchants/shops.ts'
import { numbers, PLACES } from '../../platform/db/columns.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { tagOf } from '../../platform/ids.ts'
import type { Mode } from '../../platform/mode.ts'
import type { Goods } from '../orders/order.ts'
import type { Callback } from './callback-body.ts'
import type { Trust } from './callback-trust.ts'

/** An order or direct dispense that a callback may be about. The secret that signed the callback decides between several. */
export type Candidate = {
  app: App
  merchantId: number
  tag: string
  mode: Mode
  kind: 'order' | 'direct'
  orderId: string
  chargeId: string | null
  /** The machine of the newest command. */
  machine: string
  /** For direct dispenses: the earlier commands of the charge, each with the merchant's number. */
  earlier: readonly { machine: string; orderId: string; goods: readonly Goods[] }[]
  goods: readonly Goods[]
  createdAt: Date
  /** True if the ids of the callback lead to different orders: then it changes nothing. */
  torn: boolean
}

type Row = Omit<Candidate, 'app' | 'kind' | 'torn'>
type Place = { merchantId: number; id: string; sign: string }

const ORDER = `o.merchant_id as "merchantId", m.tag, o.mode, o.id as "orderId", l.charge_id as "chargeId", o.machine,
  o.goods, o.created_at as "createdAt", '[]'::json as earlier`
const ORDER_TABLES = `vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  join merchants m on m.id = o.merchant_id`
const BY_ID = statement<Row>(
  'orders of callbacks',
  `select ${ORDER} from ${ORDER_TABLES} where (o.merchant_id, o.id) in ${PLACES}`,
)
const BY_CHARGE = statement<Row & { named: string }>(
  'orders of callbacks by charge',
  `select c.id as named, ${ORDER} from charges c
   join vending_orders o on o.merchant_id = c.merchant_id and o.id = c.payment_link_id
   join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id join merchants m on m.id = o.merchant_id
   where (c.merchant_id, c.id) in ${PLACES}`,
)
// One row for each charge; its order id is null if the charge has no direct dispense.
const DIRECT_BY_CHARGE = statement<Omit<Row, 'orderId'> & { named: string; orderId: string | null }>(
  'direct dispenses of callbacks',
  `select c.id as named, c.merchant_id as "merchantId", m.tag, c.mode, k.order_id as "orderId", c.id as "chargeId", k.machine,
     k.goods, k.claimed_at as "createdAt",
     (select coalesce(json_agg(json_build_object('machine', d.machine, 'orderId', d.order_id, 'goods', d.goods)), '[]') from dispense_claims d
      where d.merchant_id = c.merchant_id and d.charge_id = c.id and d.kind = 'direct' and d.commanded_at is not null) as earlier
   from charges c join merchants m on m.id = c.merchant_id
   left join lateral (select * from dispense_claims d
     where d.merchant_id = c.merchant_id and d.charge_id = c.id and d.kind = 'direct'
     order by d.released_at is null desc, d.claimed_at desc, d.attempt desc limit 1) k on true
   where (c.merchant_id, c.id) in ${PLACES}`,
)
// One row for each merchant and mode; their secrets decide which of them signed.
const BY_MACHINE = statement<Row>(
  'orders of callbacks by machine',
  `select found.* from unnest($1::text[]) as named (machine) cross join lateral (
     select newest.* from machines k cross join (values ('test'::mode), ('live'::mode)) as each (mode)
     left join vending_profiles p on p.merchant_id = k.merchant_id
     cross join lateral (select ${ORDER} from ${ORDER_TABLES}
       join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id and c.status = 'succeeded'
       where o.merchant_id = k.merchant_id and o.machine = k.machine and o.mode = each.mode
         and (o.vending_status = 'dispensing' or (o.vending_status = 'dispensed' and not o.confirmed))
         and (o.vending_status = 'dispensing' or p.profile = 'optimistic')
       order by o.created_at desc, o.id desc limit 1) newest
     where k.machine = named.machine and k.removed_at is null limit $2) found`,
)

// Few merchants share a machine number. The limit keeps many entries of the same number harmless.
const MOST_BY_MACHINE = 50

export type Finder = { gateway(): Gateway; shops: ShopFinder }
type Named = Pick<Callback, 'orderId' | 'chargeId' | 'machine' | 'sign'>
type Search = Finder & { trust: Trust }
/** One id that a callback names, with the callback's signature. */
type Sought = { id: string; sign: string }

/**
 * Finds what each of these callbacks may be about, in the order of contract.md 6.3 step 3: the order it names; else the order
 * or direct dispense of the charge it names (for a direct dispense, `ddbh` is the merchant's own number); if it names neither,
 * the orders at its machine, over all merchants that have the machine. Empty if its ids are unknown. Afterwards `trust` holds
 * what verifies the callbacks.
 */
export async function candidatesOf(
  finder: Finder,
  callbacks: readonly Named[],
  trust: Trust,
): Promise<Candidate[][]> {
  const search = { ...finder, trust }
  const nameless = callbacks.filter(({ orderId, chargeId }) => orderId === null && chargeId === null)
  const [orders, machines] = await Promise.all([
    byOrder(search, soughtBy(callbacks, 'orderId')),
    atMachines(search, nameless),
  ])
  const orderOf = ({ orderId }: Named) => (orderId === null ? null : (orders.get(orderId) ?? null))
  // A charge that is the attempt of the named order needs no search: its order is found already.
  const unresolved = callbacks.filter((callback) => callback.chargeId !== orderOf(callback)?.chargeId)
  const charges = await byCharge(search, soughtBy(unresolved, 'chargeId'))
  return callbacks.map((callback) => {
    const { orderId, chargeId, machine } = callback
    if (orderId === null && chargeId === null) return machines.get(machine ?? '') ?? []
    const named = orderOf(callback)
    if (chargeId === null || chargeId === named?.chargeId) return named === null ? [] : [named]
    return agreed(named, { paid: charges.get(chargeId) ?? null, orderId })
  })
}

const soughtBy = (callbacks: readonly Named[], name: 'orderId' | 'chargeId'): Sought[] =>
  callbacks.flatMap(({ [name]: id, sign }) => (id === null ? [] : [{ id, sign }]))

/** Reconciles the candidates of a callback that names both an order and a charge. */
function agreed(
  named: Candidate | null,
  { paid, orderId }: { paid: Candidate | 'other' | null; orderId: string | null },
): Candidate[] {
  if (named === null) return paid === null || paid === 'other' ? [] : [paid]
  // The merchant's own number of a direct dispense may look like anything, also like the id of an order.
  if (paid !== null && paid !== 'other' && paid.kind === 'direct' && isAbout(paid, orderId)) return [paid]
  const agree = paid === null || (paid !== 'other' && isSame(paid, named))
  return [{ ...named, torn: !agree }]
}

/** Whether `orderId` is the number of the candidate's newest command, or of an earlier one. */
export const isAbout = ({ orderId: newest, earlier }: Candidate, orderId: string | null): boolean =>
  newest === orderId || earlier.some((command) => command.orderId === orderId)

/** Finds the goods that this machine was commanded to dispense, by the newest command or an earlier one. */
export function toldTo(candidate: Candidate, machine: string | null): readonly Goods[] | null {
  if (candidate.machine === machine) return candidate.goods
  return candidate.earlier.find((command) => command.machine === machine)?.goods ?? null
}

const isSame = (a: Candidate, b: Candidate) =>
  a.merchantId === b.merchantId && a.kind === b.kind && a.orderId === b.orderId

async function byOrder(search: Search, sought: readonly Sought[]): Promise<Map<string, Candidate>> {
  const candidates = await inCells(search, { sought, prefix: 'lnk_' }, async (app, keys) =>
    (await search.trust.readWith(app, keys, call(BY_ID, ...named(keys)))).map(asOrder(app)),
  )
  return new Map(candidates.map((order) => [order.orderId, order]))
}

/** `other`: a charge that pays for neither an order nor a direct dispense. */
async function byCharge(
  search: Search,
  sought: readonly Sought[],
): Promise<Map<string, Candidate | 'other'>> {
  const pairs = await inCells(search, { sought, prefix: 'txn_' }, async (app, keys) => {
    const orders = await search.trust.readWith(app, keys, call(BY_CHARGE, ...named(keys)))
    const paid = orders.map(({ named, ...row }): [string, Candidate | 'other'] => [named, asOrder(app)(row)])
    const unmatched = keys.filter(({ id }) => !orders.some(({ named }) => named === id))
    const directs = unmatched.length === 0 ? [] : await app.db.query(DIRECT_BY_CHARGE, named(unmatched))
    return [
      ...paid,
      ...directs.map(({ named, orderId, ...row }): [string, Candidate | 'other'] => [
        named,
        orderId === null ? 'other' : { ...row, orderId, app, kind: 'direct', torn: false },
      ]),
    ]
  })
  return new Map(pairs)
}

/** Searches each id in the cell of its merchant, which the id's tag names. Ids with an unknown tag are skipped. */
async function inCells<Match>(
  { gateway, shops }: Finder,
  { sought, prefix }: { sought: readonly Sought[]; prefix: 'lnk_' | 'txn_' },
  read: (app: App, keys: readonly Place[]) => Promise<Match[]>,
): Promise<Match[]> {
  const cells = new Map<App, Place[]>()
  for (const soughtId of sought) {
    const tag = tagOf(prefix, soughtId.id)
    const location = tag === null ? null : await shops.placeOf(gateway(), tag)
    if (location === null) continue
    const { app, merchantId } = location
    cells.set(app, [...(cells.get(app) ?? []), { merchantId, ...soughtId }])
  }
  return (await Promise.all([...cells].map(([app, keys]) => read(app, keys)))).flat()
}

const named = (keys: readonly Place[]) => [
  numbers(keys.map(({ merchantId }) => merchantId)),
  keys.map(({ id }) => id),
]

const asOrder =
  (app: App) =>
  (row: Row): Candidate => ({ ...row, app, kind: 'order', torn: false })

async function atMachines(
  { gateway, trust }: Search,
  callbacks: readonly Named[],
): Promise<Map<string, Candidate[]>> {
  const candidates = new Map<string, Candidate[]>()
  const machines = [...new Set(callbacks.flatMap(({ machine }) => machine ?? []))]
  if (machines.length === 0) return candidates
  for (const app of gateway().cells) {
    const rows = await app.db.query(BY_MACHINE, [machines, MOST_BY_MACHINE])
    for (const row of rows)
      candidates.set(row.machine, [...(candidates.get(row.machine) ?? []), asOrder(app)(row)])
    const signs = callbacks.flatMap(({ machine, sign }) =>
      rows.flatMap((row) => (row.machine === machine ? { merchantId: row.merchantId, sign } : [])),
    )
    if (signs.length > 0) await trust.read(app, signs)
  }
  return candidates
}
