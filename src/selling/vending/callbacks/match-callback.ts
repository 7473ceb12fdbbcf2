import type { ShopFinder } from '../../../merchants/account/shops.ts'
import { MERCHANT_AND_ID_ROWS, numberColumn } from '../../../platform/db/columns.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import type { App, Gateway } from '../../../program/app.ts'
import type { Goods } from '../orders/order.ts'
import type { MachineCallback } from './callback-body.ts'
import type { CallbackTrust } from './callback-trust.ts'

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
type CallbackKey = { merchantId: number; id: string; sign: string }

const CANDIDATE_COLUMNS = `o.merchant_id as "merchantId", m.tag, o.mode, o.id as "orderId", l.charge_id as "chargeId", o.machine,
  o.goods, o.created_at as "createdAt", '[]'::json as earlier`
const CANDIDATE_TABLES = `vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  join merchants m on m.id = o.merchant_id`
const ORDERS_BY_ID = statement<Row>(
  'orders of callbacks',
  `select ${CANDIDATE_COLUMNS} from ${CANDIDATE_TABLES} where (o.merchant_id, o.id) in ${MERCHANT_AND_ID_ROWS}`,
)
const ORDERS_BY_CHARGE = statement<Row & { named: string }>(
  'orders of callbacks by charge',
  `select c.id as named, ${CANDIDATE_COLUMNS} from charges c
   join vending_orders o on o.merchant_id = c.merchant_id and o.id = c.payment_link_id
   join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id join merchants m on m.id = o.merchant_id
   where (c.merchant_id, c.id) in ${MERCHANT_AND_ID_ROWS}`,
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
   where (c.merchant_id, c.id) in ${MERCHANT_AND_ID_ROWS}`,
)
// One row for each merchant and mode; their secrets decide which of them signed.
const ORDERS_BY_MACHINE = statement<Row>(
  'orders of callbacks by machine',
  `select found.* from unnest($1::text[]) as named (machine) cross join lateral (
     select newest.* from machines k cross join (values ('test'::mode), ('live'::mode)) as each (mode)
     left join vending_profiles p on p.merchant_id = k.merchant_id
     cross join lateral (select ${CANDIDATE_COLUMNS} from ${CANDIDATE_TABLES}
       join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id and c.status = 'succeeded'
       where o.merchant_id = k.merchant_id and o.machine = k.machine and o.mode = each.mode
         and (o.vending_status = 'dispensing' or (o.vending_status = 'dispensed' and not o.confirmed))
         and (o.vending_status = 'dispensing' or p.profile = 'optimistic')
       order by o.created_at desc, o.id desc limit 1) newest
     where k.machine = named.machine and k.removed_at is null limit $2) found`,
)

// Few merchants share a machine number. The limit keeps many entries of the same number harmless.
const MAX_BY_MACHINE = 50

export type CellFinder = { gateway(): Gateway; shops: ShopFinder }
type CallbackIds = Pick<MachineCallback, 'orderId' | 'chargeId' | 'machine' | 'sign'>
type CandidateSearch = CellFinder & { trust: CallbackTrust }
/** One id that a callback names, with the callback's signature. */
type SoughtId = { id: string; sign: string }

/**
 * Finds what each of these callbacks may be about, in the order of contract.md 6.3 step 3: the order it names; else the order
 * or direct dispense of the charge it names (for a direct dispense, `ddbh` is the merchant's own number); if it names neither,
 * the orders at its machine, over all merchants that have the machine. Empty if its ids are unknown. Afterwards `trust` holds
 * what verifies the callbacks.
 */
export async function findCandidates(
  finder: CellFinder,
  callbacks: readonly CallbackIds[],
  trust: CallbackTrust,
): Promise<Candidate[][]> {
  const search = { ...finder, trust }
  const nameless = callbacks.filter(({ orderId, chargeId }) => orderId === null && chargeId === null)
  const [orders, machines] = await Promise.all([
    findByOrder(search, listSoughtIds(callbacks, 'orderId')),
    findAtMachines(search, nameless),
  ])
  const orderOf = ({ orderId }: CallbackIds) => (orderId === null ? null : (orders.get(orderId) ?? null))
  // A charge that is the attempt of the named order needs no search: its order is found already.
  const unresolved = callbacks.filter((callback) => callback.chargeId !== orderOf(callback)?.chargeId)
  const charges = await findByCharge(search, listSoughtIds(unresolved, 'chargeId'))
  return callbacks.map((callback) => {
    const { orderId, chargeId, machine } = callback
    if (orderId === null && chargeId === null) return machines.get(machine ?? '') ?? []
    const named = orderOf(callback)
    if (chargeId === null || chargeId === named?.chargeId) return named === null ? [] : [named]
    return reconcileCandidates(named, { paid: charges.get(chargeId) ?? null, orderId })
  })
}

const listSoughtIds = (callbacks: readonly CallbackIds[], name: 'orderId' | 'chargeId'): SoughtId[] =>
  callbacks.flatMap(({ [name]: id, sign }) => (id === null ? [] : [{ id, sign }]))

/** Reconciles the candidates of a callback that names both an order and a charge. */
function reconcileCandidates(
  named: Candidate | null,
  { paid, orderId }: { paid: Candidate | 'other' | null; orderId: string | null },
): Candidate[] {
  if (named === null) return paid === null || paid === 'other' ? [] : [paid]
  // The merchant's own number of a direct dispense may look like anything, also like the id of an order.
  if (paid !== null && paid !== 'other' && paid.kind === 'direct' && isAbout(paid, orderId)) return [paid]
  const agree = paid === null || (paid !== 'other' && isSameDispense(paid, named))
  return [{ ...named, torn: !agree }]
}

/** Whether `orderId` is the number of the candidate's newest command, or of an earlier one. */
export const isAbout = ({ orderId: newest, earlier }: Candidate, orderId: string | null): boolean =>
  newest === orderId || earlier.some((command) => command.orderId === orderId)

/** Finds the goods that this machine was commanded to dispense, by the newest command or an earlier one. */
export function findCommandedGoods(candidate: Candidate, machine: string | null): readonly Goods[] | null {
  if (candidate.machine === machine) return candidate.goods
  return candidate.earlier.find((command) => command.machine === machine)?.goods ?? null
}

const isSameDispense = (a: Candidate, b: Candidate) =>
  a.merchantId === b.merchantId && a.kind === b.kind && a.orderId === b.orderId

async function findByOrder(search: CandidateSearch, sought: readonly SoughtId[]): Promise<Map<string, Candidate>> {
  const candidates = await searchCells(search, { sought, prefix: 'lnk_' }, async (app, keys) =>
    (await search.trust.readWith(app, keys, call(ORDERS_BY_ID, ...keyColumns(keys)))).map(toOrderCandidate(app)),
  )
  return new Map(candidates.map((order) => [order.orderId, order]))
}

/** `other`: a charge that pays for neither an order nor a direct dispense. */
async function findByCharge(
  search: CandidateSearch,
  sought: readonly SoughtId[],
): Promise<Map<string, Candidate | 'other'>> {
  const pairs = await searchCells(search, { sought, prefix: 'txn_' }, async (app, keys) => {
    const orders = await search.trust.readWith(app, keys, call(ORDERS_BY_CHARGE, ...keyColumns(keys)))
    const paid = orders.map(({ named, ...row }): [string, Candidate | 'other'] => [named, toOrderCandidate(app)(row)])
    const unmatched = keys.filter(({ id }) => !orders.some(({ named }) => named === id))
    const directs = unmatched.length === 0 ? [] : await app.db.query(DIRECT_BY_CHARGE, keyColumns(unmatched))
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
async function searchCells<Match>(
  { gateway, shops }: CellFinder,
  { sought, prefix }: { sought: readonly SoughtId[]; prefix: 'lnk_' | 'txn_' },
  read: (app: App, keys: readonly CallbackKey[]) => Promise<Match[]>,
): Promise<Match[]> {
  const cells = new Map<App, CallbackKey[]>()
  for (const soughtId of sought) {
    const tag = parseTag(prefix, soughtId.id)
    const location = tag === null ? null : await shops.locate(gateway(), tag)
    if (location === null) continue
    const { app, merchantId } = location
    cells.set(app, [...(cells.get(app) ?? []), { merchantId, ...soughtId }])
  }
  return (await Promise.all([...cells].map(([app, keys]) => read(app, keys)))).flat()
}

const keyColumns = (keys: readonly CallbackKey[]) => [
  numberColumn(keys.map(({ merchantId }) => merchantId)),
  keys.map(({ id }) => id),
]

const toOrderCandidate =
  (app: App) =>
  (row: Row): Candidate => ({ ...row, app, kind: 'order', torn: false })

async function findAtMachines(
  { gateway, trust }: CandidateSearch,
  callbacks: readonly CallbackIds[],
): Promise<Map<string, Candidate[]>> {
  const candidates = new Map<string, Candidate[]>()
  const machines = [...new Set(callbacks.flatMap(({ machine }) => machine ?? []))]
  if (machines.length === 0) return candidates
  for (const app of gateway().cells) {
    const rows = await app.db.query(ORDERS_BY_MACHINE, [machines, MAX_BY_MACHINE])
    for (const row of rows)
      candidates.set(row.machine, [...(candidates.get(row.machine) ?? []), toOrderCandidate(app)(row)])
    const signs = callbacks.flatMap(({ machine, sign }) =>
      rows.flatMap((row) => (row.machine === machine ? { merchantId: row.merchantId, sign } : [])),
    )
    if (signs.length > 0) await trust.read(app, signs)
  }
  return candidates
}
