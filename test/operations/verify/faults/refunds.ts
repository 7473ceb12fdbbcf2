import { about, addTransfer, CARDED, type Fault, REFUNDED, UNREFUNDED } from '../names.ts'
import { change, charges, each, plant } from '../planting.ts'

const { paid, open, failed } = REFUNDED
const refundOf = (charge: string) => `charge_id = '${charge}'`
const feeOf = (charge: string) => `${about(charge)} and kind = 'charge_fee_return'`
const feeBack = (charge: string, amount = 1350) =>
  addTransfer(`3, 'test', 99, 'charge_fee_return', '${charge}', 'fees', 'available', ${amount}`)

export const REFUND_FAULTS: readonly Fault[] = [
  ...plant('R1', [
    [open, 'a refund without its payout', `delete from payouts where ${refundOf(open)}`],
    [paid, 'a second refund', `update payouts set charge_id = '${paid}' where ${refundOf(open)}`],
    [
      paid,
      'a second refund of nothing',
      `update payouts set charge_id = '${paid}', id = 'pout_zzz', amount = 0, fee_to_return = 0 where ${refundOf(open)}`,
    ],
    [
      paid,
      'a charge that does not know of its refund',
      change(charges(paid), `status = 'succeeded', refunded_at = null, refund_id = null`),
    ],
    [
      UNREFUNDED,
      'a charge refunded by status alone',
      change(charges(UNREFUNDED), `status = 'refunded', refunded_at = completed_at, refund_id = 'pout_1'`),
    ],
  ]),
  ...['mode', 'merchant_id', 'amount', 'fee_to_return', 'recipient_phone', 'created_at', 'id'].map((column) => ({
    id: 'R1',
    fault: `a refund with another ${column}`,
    sql: `update payouts set ${column} = ${other(column)} where ${refundOf(paid)}`,
    names: paid,
  })),
  ...plant('R1', [
    [
      'pout_nothing',
      'a refund that names no charge',
      `update payouts set charge_id = null, id = 'pout_nothing' where ${refundOf(paid)}`,
    ],
    ...each([CARDED.covered, CARDED.restored], (charge) => [
      charge,
      `a payout of ${charge}, for which nobody paid by phone`,
      change(charges(charge), `status = 'refunded', refunded_at = completed_at, refund_id = 'pout_1'`),
    ]),
    [paid, 'a split charge refunded', change(charges(paid), 'shares = 0')],
  ]),
  ...plant('R2', [
    [paid, 'a fee that never came back', `delete from transfers where ${feeOf(paid)}`],
    [paid, 'a fee that came back twice', feeBack(paid)],
    [
      paid,
      'a fee that came back in two halves',
      `update transfers set amount = 1350 - 1 where ${feeOf(paid)}; ${feeBack(paid, 1)}`,
    ],
    [open, 'a fee that came back before the money', feeBack(open)],
    [failed, 'a fee that came back though nobody was paid', feeBack(failed)],
    [UNREFUNDED, 'a fee that came back without a refund', feeBack(UNREFUNDED)],
    [paid, 'another fee than was taken', `update transfers set amount = amount - 1 where ${feeOf(paid)}`],
    [
      paid,
      'a fee that came back at another moment',
      `update transfers set at = at + interval '1 ms' where ${feeOf(paid)}`,
    ],
    [
      paid,
      'a fee that came back in the other mode',
      `update transfers set mode = 'live', seq = 99 where ${feeOf(paid)}`,
    ],
  ]),
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
