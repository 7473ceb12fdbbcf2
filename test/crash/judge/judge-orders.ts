import type { Mode } from '../../../src/platform/mode.ts'
import type { FakeSupplier } from '../../fakes/supplier.ts'
import type { Installation } from '../installation.ts'
import { answersTo, type Book } from '../journal.ts'

/** A vending order with its current payment. */
type OrderRow = {
  id: string
  mode: Mode
  status: 'pending' | 'dispensing' | 'dispensed' | 'failed'
  charge: string | null
  charge_status: string | null
}
/** The right to send one dispense command. `status` is set only for a direct dispense. */
export type ClaimRow = {
  id: string
  mode: Mode
  kind: 'order' | 'direct'
  order_id: string
  charge_id: string
  state: string
  commanded: boolean
  status: string | null
}
export type Vending = { orders: OrderRow[]; claims: ClaimRow[] }

const ORDERS = `select o.id, o.mode, o.vending_status as status, c.id as charge, c.status as charge_status
  from vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  left join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id and c.voided_at is null`
const CLAIMS = `select k.id, k.mode, k.kind, k.order_id, k.charge_id, k.state, k.commanded_at is not null as commanded,
    k.vending_status as status from dispense_claims k`

export async function vendingRows(installation: Installation): Promise<Vending> {
  const [orders, claims] = await Promise.all([installation.sql<OrderRow>(ORDERS), installation.sql<ClaimRow>(CLAIMS)])
  return { orders, claims }
}

/** How often the supplier was commanded to dispense for this charge. */
export const commandsFor = ({ commands }: FakeSupplier, chargeId: string): number =>
  commands.filter((command) => command.chargeId === chargeId).length

/** Compares payments with the commands to machines. Nothing here is retried, so one charge means one command. */
export function judgeOrders(vending: Vending, book: Book, supplier: FakeSupplier | undefined) {
  return {
    lost: lostDispenses(vending, book),
    doubled: [...doubledClaims(vending), ...(supplier ? doubledCommands(vending, supplier) : [])],
    wrongEnd: [...vending.orders.filter(isLeft).map(describe), ...unheard(vending, supplier)],
  }
}

const describe = ({ id, mode, status, charge, charge_status }: OrderRow) =>
  `${id} ${mode} ${status}, its payment ${charge} is ${charge_status}`

/** Paid but no machine was commanded, or the other way round. */
const isLeft = ({ status, charge_status }: OrderRow) =>
  (status === 'pending') === (charge_status === 'succeeded' || charge_status === 'refunded')

/** Direct dispenses that were answered 200 although no claim of that charge was ever commanded. */
function lostDispenses({ claims }: Vending, book: Book): string[] {
  return answersTo(book, 'dispense').flatMap(({ key, status, body }) => {
    if (status !== 200) return []
    const { charge_id: charge } = JSON.parse(body)
    const own = claims.filter((claim) => claim.order_id === key && claim.charge_id === charge)
    return own.some(({ commanded }) => commanded) ? [] : [`${key}: told that ${charge} is spent`]
  })
}

function doubledClaims({ claims }: Vending): string[] {
  const commanded = new Map<string, number>()
  for (const claim of claims)
    if (claim.commanded) commanded.set(claim.charge_id, (commanded.get(claim.charge_id) ?? 0) + 1)
  return [...commanded].flatMap(([charge, times]) => (times > 1 ? [`${charge}: ${times} claims were commanded`] : []))
}

/** Compares with the supplier's own book of what really arrived. */
function doubledCommands({ claims }: Vending, { commands }: FakeSupplier): string[] {
  const known = new Set(claims.flatMap((claim) => (isLiveCommand(claim) ? [claim.charge_id] : [])))
  const times = new Map<string, number>()
  for (const { chargeId } of commands) times.set(chargeId, (times.get(chargeId) ?? 0) + 1)
  return [...times].flatMap(([charge, count]) =>
    count > 1 || !known.has(charge) ? [`${charge}: ${count} commands at the supplier`] : [],
  )
}

const isLiveCommand = ({ mode, commanded }: ClaimRow) => mode === 'live' && commanded

/** Accepted, but the supplier never received it; or not sent although all background work is done. */
function unheard({ claims }: Vending, supplier: FakeSupplier | undefined): string[] {
  return claims.flatMap((claim) => {
    const open = claim.state === 'claimed' || claim.state === 'commanding'
    const heard = claim.mode === 'test' || !supplier || commandsFor(supplier, claim.charge_id) > 0
    return open || (claim.state === 'accepted' && !heard) ? [`${claim.id} of ${claim.charge_id} is ${claim.state}`] : []
  })
}
