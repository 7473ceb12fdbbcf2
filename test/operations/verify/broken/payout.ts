import { BATCH, PAYOUT, REFUNDED, SCHEDULE, SPLIT, SUBACCOUNT, TEST_3, UNREFUNDED } from '../names.ts'
import { AT } from './success.ts'

// The parts of correct movements out of the test money of merchant 3, as the product sends them.

/** Moves balances of the head, and counts the transfers that follow. */
export const headBy = (changes: Record<string, number>, transfers: number) =>
  `update ledger_heads set ${Object.entries(changes)
    .map(([account, by]) => `${account} = ${account} + ${by}`)
    .join(', ')}, seq = seq + ${transfers} where ${TEST_3};`

type Posted = [kind: string, subject: string, debit: string, credit: string, amount: number]

/** One transfer; `back` is how many of the counted ones come after it. */
export const post = ([kind, subject, debit, credit, amount]: Posted, back = 0) =>
  `insert into transfers select 3, 'test', seq - ${back}, '${kind}', '${subject}', '${debit}', '${credit}', ${amount}, ${AT}
   from ledger_heads where ${TEST_3};`

/** An event and its delivery. */
export const tell = (type: string, subject: string, at = AT) =>
  `insert into events (merchant_id, id, mode, type, subject, body, created_at)
     values (3, 'evt_${type}', 'test', '${type}', '${subject}', '', ${at});
   insert into deliveries (merchant_id, event_id, mode, event, created_at) values (3, 'evt_${type}', 'test', '${type}', ${at});`

// A new payout of 5000, which costs 5200.
export const COST = 5200
export const reserveHead = headBy({ available: -COST, in_flight: COST }, 1)
export const reserve = (id = 'pout_new') => post(['payout_reserve', id, 'available', 'in_flight', COST])
type Row = {
  id?: string
  kind?: string
  amount?: number
  fee?: number
  phone?: string
  columns?: string
  values?: string
}
export const row = ({
  id = 'pout_new',
  kind = 'payout',
  amount = 5000,
  fee = 200,
  phone = '256700000000',
  columns = '',
  values = '',
}: Row = {}) =>
  `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, rail_reference,
     created_at, follow_at${columns}) values (3, '${id}', 'test', '${kind}', 'authorized', ${amount}, ${fee}, 'op1_momo', '${phone}',
     'ref-${id}', ${AT}, ${AT}${values});${kind === 'payout' ? keyOf(id) : ''}`

const keyOf = (
  id: string,
) => `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, status, body, created_at)
  values (3, 'test', 'key-${id}', sha256('x'), '${id}', 201, '{"id":"${id}"}', ${AT});`
export const WHOLE_PAYOUT = reserveHead + row() + reserve()

// The open test payout: 70000, with a fee of 1050.
export const open = PAYOUT.open
export const end = (status: string, more = '') =>
  `update payouts set status = '${status}', completed_at = ${AT}, follow_at = null${more} where id = '${open}';`
export const succeed = end('succeeded')
export const fail = end('failed', `, failure_reason = 'timeout'`)
export const sent = post(['payout_sent', open, 'in_flight', 'rail:op1_momo', 70_000], 1)
export const feeOut = post(['payout_fee', open, 'in_flight', 'fees', 1050])
export const giveBack = (amount = 71_050) => post(['payout_return', open, 'in_flight', 'available', amount])
export const WHOLE_PAID = `${succeed}${headBy({ in_flight: -71_050 }, 2)}${sent}${feeOut}${tell('payout.succeeded', open)}`
/** Everything that the failure of the open payout writes, with this amount given back. */
export const returnOf = (amount: number) =>
  fail + headBy({ in_flight: -amount, available: amount }, 1) + giveBack(amount) + tell('payout.failed', open)
export const WHOLE_RETURN = returnOf(71_050)

// The refund of a charge of 90000 with a fee of 1350; its payout costs 1350 more.
const refunded = `update charges set status = 'refunded', refunded_at = ${AT}, refund_id = 'pout_new' where id = '${UNREFUNDED}';`
export const claim = refunded + tell('charge.refunded', UNREFUNDED)
export const refundRow = (charge = UNREFUNDED) =>
  row({
    kind: 'refund',
    amount: 90_000,
    fee: 1350,
    columns: ', charge_id, fee_to_return',
    values: `, '${charge}', 1350`,
  })
export const refundReserve =
  headBy({ available: -91_350, in_flight: 91_350 }, 1) +
  post(['payout_reserve', 'pout_new', 'available', 'in_flight', 91_350])
export const WHOLE_REFUND = claim + refundReserve + refundRow()
export const feeBack = (charge: string) =>
  headBy({ available: 1350 }, 1) + post(['charge_fee_return', charge, 'fees', 'available', 1350])
export const OPEN_REFUND = REFUNDED.open

// The next cycle of the daily schedule: 1000 to each of two, which costs 1200 each.
export const advance = `update schedules set last_run_at = ${AT}, next_run_at = next_run_at + interval '1 day' where id = '${SCHEDULE.daily}';`
export const cyclePayout = (index: number, { cycle = 'next_run_at', id = `pout_cycle${index}` } = {}) =>
  headBy({ available: -1200, in_flight: 1200 }, 1) +
  row({
    id,
    kind: 'scheduled',
    amount: 1000,
    phone: `25670000001${index + 1}`,
    columns: ', schedule_id, cycle_at, item_index',
    values: `, '${SCHEDULE.daily}', (select ${cycle} from schedules where id = '${SCHEDULE.daily}'), ${index}`,
  }) +
  post(['payout_reserve', id, 'available', 'in_flight', 1200])
export const WHOLE_CYCLE = cyclePayout(0) + cyclePayout(1) + advance

// The one item of the bulk call that waits: 700, which costs 900.
export const spend = (reference: string) =>
  `insert into bulk_references (merchant_id, mode, reference, payout_id) values (3, 'test', '${reference}', 'pout_new');`
export const result = `insert into bulk_items (merchant_id, batch_id, item_index, reference, payout_id, status)
  values (3, '${BATCH.waiting}', 0, 'rent-9', 'pout_new', 'authorized');`
export const itemPayout =
  headBy({ available: -900, in_flight: 900 }, 1) +
  row({
    kind: 'bulk',
    amount: 700,
    phone: '256700000007',
    columns: ', reference, batch_id, item_index',
    values: `, 'rent-9', '${BATCH.waiting}', 0`,
  }) +
  post(['payout_reserve', 'pout_new', 'available', 'in_flight', 900])
export const finish = `update bulk_batches set done = 1, accepted = 1, lease_until = null where id = '${BATCH.waiting}';`
export const WHOLE_ITEM = itemPayout + spend('rent-9') + result + finish

// The open split charge: 30000 with a fee of 450, 3000 for the farm and 2000 for the shop, and 24550 for the merchant.
export const { farm, shop } = SUBACCOUNT
export const splitOpen = SPLIT.open
const settleShare = (index: number, payee: string, amount: number) =>
  `insert into settlements (merchant_id, id, mode, kind, subaccount_id, amount, charge_count, created_at)
     values (3, 'setl_share${index}', 'test', 'split_sweep', '${payee}', ${amount}, 1, ${AT});
   update charge_shares set hold_until = ${AT}, settled_at = ${AT}, settlement_id = 'setl_share${index}'
     where charge_id = '${splitOpen}' and share_index = ${index};
   update subaccount_heads set available = available + ${amount} where mode = 'test' and subaccount_id = '${payee}';`
export const paySplit = ({ net = 24_550, first = 3000 } = {}) =>
  `update charges set status = 'succeeded', completed_at = ${AT}, follow_at = null, hold_until = ${AT}, settled_at = ${AT},
     settlement_id = 'setl_new' where id = '${splitOpen}';
   insert into settlements (merchant_id, id, mode, kind, amount, charge_count, created_at)
     values (3, 'setl_new', 'test', 'instant', ${net}, 1, ${AT});
   ${settleShare(0, farm, first)}${settleShare(1, shop, 2000)}${headBy({ available: net }, 4)}
   ${post(['charge_net', splitOpen, 'rail:op1_momo', 'available', net], 3)}
   ${post(['charge_fee', splitOpen, 'rail:op1_momo', 'fees', 450], 2)}
   ${post(['split_share', splitOpen, 'rail:op1_momo', `sub_available:${farm}`, first], 1)}
   ${post(['split_share', splitOpen, 'rail:op1_momo', `sub_available:${shop}`, 2000])}
   ${tell('charge.succeeded', splitOpen)}`

/** All parts of each movement together. They break no invariant. */
export const WHOLE_MOVEMENTS_OUT: readonly [movement: string, sql: string][] = [
  ['a payout', WHOLE_PAYOUT],
  ['a payout that was paid', WHOLE_PAID],
  ['a payout that came back', WHOLE_RETURN],
  ['a refund', WHOLE_REFUND],
  ['a cycle', WHOLE_CYCLE],
  ['an item of a bulk call', WHOLE_ITEM],
  ['a split charge that was paid', paySplit()],
]
