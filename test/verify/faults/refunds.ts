import { about, addTransfer, CARDED, type Fault, of, REFUNDED, UNREFUNDED } from '../names.ts'

const { paid, open, failed } = REFUNDED
const refundOf = (charge: string) => `charge_id = '${charge}'`
const feeOf = (charge: string) => `${about(charge)} and kind = 'charge_fee_return'`
const feeBack = (charge: string, amount = 1350) =>
  addTransfer(`3, 'test', 99, 'charge_fee_return', '${charge}', 'fees', 'available', ${amount}`)

export const REFUND_FAULTS: readonly Fault[] = [
  {
    id: 'R1',
    fault: 'a refund without its payout',
    sql: `delete from payouts where ${refundOf(open)}`,
    names: open,
  },
  {
    id: 'R1',
    fault: 'a second refund',
    sql: `update payouts set charge_id = '${paid}' where ${refundOf(open)}`,
    names: paid,
  },
  {
    id: 'R1',
    fault: 'a second refund of nothing',
    sql: `update payouts set charge_id = '${paid}', id = 'pout_zzz', amount = 0, fee_to_return = 0 where ${refundOf(open)}`,
    names: paid,
  },
  {
    id: 'R1',
    fault: 'a charge that does not know of its refund',
    sql: `update charges set status = 'succeeded', refunded_at = null, refund_id = null where ${of(paid)}`,
    names: paid,
  },
  {
    id: 'R1',
    fault: 'a charge refunded by status alone',
    sql: `update charges set status = 'refunded', refunded_at = completed_at, refund_id = 'pout_1' where ${of(UNREFUNDED)}`,
    names: UNREFUNDED,
  },
  ...['mode', 'merchant_id', 'amount', 'fee_to_return', 'recipient_phone', 'created_at', 'id'].map(
    (column) => ({
      id: 'R1',
      fault: `a refund with another ${column}`,
      sql: `update payouts set ${column} = ${other(column)} where ${refundOf(paid)}`,
      names: paid,
    }),
  ),
  {
    id: 'R1',
    fault: 'a refund that names no charge',
    sql: `update payouts set charge_id = null, id = 'pout_nothing' where ${refundOf(paid)}`,
    names: 'pout_nothing',
  },
  ...[CARDED.covered, CARDED.restored].map((charge) => ({
    id: 'R1',
    fault: `a payout of ${charge}, for which nobody paid by phone`,
    sql: `update charges set status = 'refunded', refunded_at = completed_at, refund_id = 'pout_1' where ${of(charge)}`,
    names: charge,
  })),
  {
    id: 'R1',
    fault: 'a split charge refunded',
    sql: `update charges set shares = 0 where ${of(paid)}`,
    names: paid,
  },
  {
    id: 'R2',
    fault: 'a fee that never came back',
    sql: `delete from transfers where ${feeOf(paid)}`,
    names: paid,
  },
  {
    id: 'R2',
    fault: 'a fee that came back twice',
    sql: feeBack(paid),
    names: paid,
  },
  {
    id: 'R2',
    fault: 'a fee that came back in two halves',
    sql: `update transfers set amount = 1350 - 1 where ${feeOf(paid)}; ${feeBack(paid, 1)}`,
    names: paid,
  },
  { id: 'R2', fault: 'a fee that came back before the money', sql: feeBack(open), names: open },
  { id: 'R2', fault: 'a fee that came back though nobody was paid', sql: feeBack(failed), names: failed },
  { id: 'R2', fault: 'a fee that came back without a refund', sql: feeBack(UNREFUNDED), names: UNREFUNDED },
  {
    id: 'R2',
    fault: 'another fee than was taken',
    sql: `update transfers set amount = amount - 1 where ${feeOf(paid)}`,
    names: paid,
  },
  {
    id: 'R2',
    fault: 'a fee that came back at another moment',
    sql: `update transfers set at = at + interval '1 ms' where ${feeOf(paid)}`,
    names: paid,
  },
  {
    id: 'R2',
    fault: 'a fee that came back in the other mode',
    sql: `update transfers set mode = 'live', seq = 99 where ${feeOf(paid)}`,
    names: paid,
  },
]

function other(column: string): string {
  switch (column) {
    case 'mode':
      return `'live'`
    case 'merchant_id':
      return '2'
    case 'recipient_phone':
      return `'256700000666'`
    case 'created_at':
      return `created_at - interval '1 ms'`
    case 'id':
      return `'pout_other'`
    default:
      return `${column} - 1`
  }
}
