import { lastNine } from '../../../../src/platform/text/phone.ts'
import type { Charge } from '../../../typescript/src/gateway-client.ts'
import { formatNumber } from '../table.ts'
import type { Order, OrderState } from './orders-file.ts'

type DifferenceKind =
  | 'missing_at_gateway'
  | 'missing_in_file'
  | 'twice_in_file'
  | 'paid_twice'
  | 'refunded'
  | 'other_amount'
  | 'other_state'
  | 'other_phone'

/** What the file and the gateway say differently about one reference, and why. */
export type Difference = {
  kind: DifferenceKind
  reference: string | null
  /** The line of the file; null where the file does not have it. */
  line: number | null
  charge: string | null
  mine: string | null
  gateway: string | null
  reason: string
}

type Compared = { differences: Difference[]; agreed: number }

const STATE_OF_STATUS: Readonly<Record<string, OrderState>> = {
  succeeded: 'paid',
  refunded: 'refunded',
  failed: 'failed',
}
// Of several charges with one reference the first of these counts: an order that was paid in the end was paid.
const STRONGEST: readonly OrderState[] = ['paid', 'refunded', 'open', 'failed']

/** Compares orders with charges. `isWhole`: the charges are all of their days, so one that the file lacks is a difference too. */
export function compare(
  orders: readonly Order[],
  charges: readonly Charge[],
  { isWhole }: { isWhole: boolean },
): Compared {
  const byReference = groupByReference(charges)
  const seen = new Map<string, Order>()
  const differences: Difference[] = []
  let agreed = 0
  for (const order of orders) {
    const first = seen.get(order.reference)
    if (first === undefined) seen.set(order.reference, order)
    const found =
      first === undefined ? compareOrder(order, byReference.get(order.reference) ?? []) : [twice(order, first)]
    differences.push(...found)
    if (found.length === 0) agreed += 1
  }
  const unknown = isWhole ? charges.filter(({ reference }) => reference === null || !seen.has(reference)) : []
  differences.push(...unknown.filter(tookMoney).map(missingInFile))
  return { differences, agreed }
}

function groupByReference(charges: readonly Charge[]): Map<string, Charge[]> {
  const groups = new Map<string, Charge[]>()
  for (const charge of charges) {
    if (charge.reference === null) continue
    const group = groups.get(charge.reference)
    if (group === undefined) groups.set(charge.reference, [charge])
    else group.push(charge)
  }
  return groups
}

const stateOf = ({ status }: Charge): OrderState => STATE_OF_STATUS[status] ?? 'open'
const tookMoney = (charge: Charge) => ['paid', 'refunded'].includes(stateOf(charge))
const shillings = (amount: number) => `UGX ${formatNumber(amount)}`

function compareOrder(order: Order, charges: readonly Charge[]): Difference[] {
  const [charge] = charges.toSorted((one, other) => rank(one) - rank(other))
  if (charge === undefined) return order.state === 'failed' ? [] : [missingAtGateway(order)]
  const paid = charges.filter((one) => stateOf(one) === 'paid')
  const about = (kind: DifferenceKind, mine: string, gateway: string, reason: string): Difference => ({
    ...{ kind, reference: order.reference, line: order.line, charge: charge.id, mine, gateway, reason },
  })
  const differences: Difference[] = []
  if (paid.length > 1) {
    const ids = paid.map(({ id }) => id).join(', ')
    differences.push(about('paid_twice', '1', String(paid.length), `paid ${paid.length} times: ${ids}`))
  }
  if (order.amount !== charge.amount)
    differences.push(about('other_amount', shillings(order.amount), shillings(charge.amount), 'the amounts differ'))
  const state = stateOf(charge)
  if (state !== order.state) differences.push(about(...otherState(order, charge, state)))
  const { phone } = charge.customer
  if (order.phone !== null && phone !== null && lastNine(order.phone) !== lastNine(phone))
    differences.push(about('other_phone', order.phone, phone, 'another phone paid'))
  return differences
}

const rank = (charge: Charge) => STRONGEST.indexOf(stateOf(charge))

function otherState(
  order: Order,
  charge: Charge,
  state: OrderState,
): [kind: DifferenceKind, mine: string, gateway: string, reason: string] {
  if (state === 'refunded') return ['refunded', order.state, charge.status, `given back at ${charge.refunded_at}`]
  const why = charge.failure_reason === null ? `it is ${charge.status}` : `it failed with ${charge.failure_reason}`
  return ['other_state', order.state, charge.status, state === 'open' ? `${why}, and has not ended` : why]
}

const missingAtGateway = ({ reference, line, amount, state }: Order): Difference => ({
  ...{ kind: 'missing_at_gateway', reference, line, charge: null, gateway: null },
  mine: `${shillings(amount)} ${state}`,
  reason: 'no charge has this reference',
})

const missingInFile = ({ id, reference, amount, status }: Charge): Difference => ({
  ...{ kind: 'missing_in_file', reference, line: null, charge: id, mine: null },
  gateway: `${shillings(amount)} ${status}`,
  reason: reference === null ? 'the charge has no reference' : 'the file has no order with this reference',
})

const twice = ({ reference, line, amount }: Order, first: Order): Difference => ({
  ...{ kind: 'twice_in_file', reference, line, charge: null, gateway: null },
  mine: shillings(amount),
  reason: `line ${first.line} has this reference already`,
})
