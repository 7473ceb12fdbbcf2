import { addTransfer, type Fault, LIVE_3, PAYOUT, SUBACCOUNT, TEST_3 } from '../names.ts'
import { change, copy, each, payouts, plant, type Rows, remove, transfers } from '../planting.ts'

const { paid, unpaid, open, livePaid, voided, inDoubt, subPaid, subUnpaid } = PAYOUT
const reserveOf = (payout: string) => transfers(payout, 'payout_reserve', 'sub_payout_reserve')
const returnOf = (payout: string) => transfers(payout, 'payout_return', 'sub_payout_return')
const sentOf = (payout: string) => transfers(payout, 'payout_sent')
const again = (posted: Rows) => copy(posted, { seq: 99 })
const halve = (posted: Rows) => `${change(posted, 'amount = amount / 2')}; ${again(posted)}`

export const PAYOUT_FAULTS: readonly Fault[] = [
  ...plant('P1', [
    ...each([open, paid, unpaid, voided, subPaid, PAYOUT.requested], (payout) => [
      payout,
      `no reservation of ${payout}`,
      remove(reserveOf(payout)),
    ]),
    [open, 'a second reservation', again(reserveOf(open))],
    [open, 'a reservation in two halves', halve(reserveOf(open))],
    [subPaid, 'a reservation without the fee', change(reserveOf(subPaid), 'amount = amount - 200')],
    [open, 'a reservation of another moment', change(reserveOf(open), `at = at + interval '1 ms'`)],
    [open, 'a reservation in the other mode', change(reserveOf(open), `mode = 'live', seq = 99`)],
    [
      open,
      "a merchant's payout from a subaccount",
      change(reserveOf(open), `debit = 'sub_available:${SUBACCOUNT.farm}'`),
    ],
    [
      subPaid,
      "a subaccount's payout from another subaccount",
      change(reserveOf(subPaid), `debit = 'sub_available:${SUBACCOUNT.shop}'`),
    ],
    [
      subPaid,
      "a subaccount's payout reserved as one of the merchant",
      change(reserveOf(subPaid), `kind = 'payout_reserve'`),
    ],
    ['pout_gone', 'a reservation for nothing', change(reserveOf(open), `subject = 'pout_gone'`)],
  ]),
  ...plant('P2', [
    [paid, 'a paid payout that never left', remove(sentOf(paid))],
    [paid, 'a paid payout without its fee', remove(transfers(paid, 'payout_fee'))],
    [livePaid, 'a payout that left twice', again(sentOf(livePaid))],
    [paid, 'another amount than was promised', change(sentOf(paid), 'amount = amount - 1')],
    [
      paid,
      'more fee and less money',
      `${change(sentOf(paid), 'amount = amount - 1')}; ${change(transfers(paid, 'payout_fee'), 'amount = amount + 1')}`,
    ],
    [paid, 'money out by another channel', change(sentOf(paid), `credit = 'rail:card'`)],
    ...each(['-1 ms', '1 ms'], (apart) => [
      paid,
      `money out ${apart} apart`,
      change(sentOf(paid), `at = at + interval '${apart}'`),
    ]),
    ...each([unpaid, voided, subUnpaid, PAYOUT.rejected], (payout) => [
      payout,
      `no return of ${payout}`,
      remove(returnOf(payout)),
    ]),
    [unpaid, 'a return without the fee', change(returnOf(unpaid), 'amount = amount - 900')],
    [unpaid, 'a return made twice', again(returnOf(unpaid))],
    [
      subUnpaid,
      "a subaccount's money returned to the merchant",
      change(returnOf(subUnpaid), `kind = 'payout_return', credit = 'available'`),
    ],
    [
      livePaid,
      'a payout sent and returned',
      addTransfer(`3, 'live', 99, 'payout_return', '${livePaid}', 'in_flight', 'available', 20300`),
    ],
    [
      inDoubt,
      'an open payout that has left',
      addTransfer(`3, 'live', 99, 'payout_sent', '${inDoubt}', 'in_flight', 'rail:op1_momo', 30000`),
    ],
    ['pout_gone', 'money out for a payout that is not there', change(sentOf(paid), `subject = 'pout_gone'`)],
    [paid, 'two halves of payout_sent', halve(sentOf(paid))],
    [paid, 'two halves of payout_fee', halve(transfers(paid, 'payout_fee'))],
    [unpaid, 'two halves of sub_payout_return', halve(returnOf(unpaid))],
    ['pout_gone', 'a return of a payout that is not there', change(returnOf(unpaid), `subject = 'pout_gone'`)],
    [open, 'a payout paid by status alone', change(payouts(open), `status = 'succeeded', completed_at = created_at`)],
  ]),
  ...plant('P3', [
    [
      'merchant 3 test',
      'in_flight without a payout',
      `update ledger_heads set in_flight = in_flight + 5 where ${TEST_3}`,
    ],
    ['merchant 3 live', 'a payout taken back that is still in flight', change(payouts(voided), 'voided_at = null')],
    ['merchant 3 live', 'payouts without a head', `delete from ledger_heads where ${LIVE_3}`],
  ]),
  ...plant('PO4', [
    [unpaid, 'a failure without a reason', change(payouts(unpaid), 'failure_reason = null')],
    ...each([open, paid, PAYOUT.requested], (payout) => [
      payout,
      `a reason for ${payout}, which did not fail`,
      change(payouts(payout), `failure_reason = 'wallet_locked'`),
    ]),
    ...each([paid, unpaid], (payout) => [
      payout,
      `doubt about ${payout}, which has ended`,
      change(payouts(payout), `failure_reason = 'ambiguous_network_error_pending_reconciliation'`),
    ]),
    [paid, 'an end without a time', change(payouts(paid), 'completed_at = null')],
    [open, 'a time without an end', change(payouts(open), 'completed_at = created_at')],
    [voided, 'a payout taken back that is shown', change(payouts(voided), 'published = true')],
    [
      livePaid,
      'a payout taken back that had ended',
      change(payouts(livePaid), 'voided_at = created_at, published = false'),
    ],
  ]),
]
