import { about, addTransfer, type Fault, LIVE_3, of, PAYOUT, SUBACCOUNT, TEST_3 } from '../names.ts'

const { paid, unpaid, open, livePaid, voided, inDoubt, subPaid, subUnpaid } = PAYOUT
const RESERVES = `kind in ('payout_reserve', 'sub_payout_reserve')`
const reserveOf = (payout: string) => `${about(payout)} and ${RESERVES}`
const returnOf = (payout: string) => `${about(payout)} and kind in ('payout_return', 'sub_payout_return')`
const sentOf = (payout: string) => `${about(payout)} and kind = 'payout_sent'`
const change = (set: string, where: string) => `update transfers set ${set} where ${where}`
const drop = (where: string) => `delete from transfers where ${where}`
const again = (where: string) =>
  `insert into transfers select merchant_id, mode, 99, kind, subject, debit, credit, amount, at from transfers where ${where}`

export const PAYOUT_FAULTS: readonly Fault[] = [
  ...[open, paid, unpaid, voided, subPaid, PAYOUT.requested].map((payout) => ({
    id: 'P1',
    fault: `no reservation of ${payout}`,
    sql: drop(reserveOf(payout)),
    names: payout,
  })),
  { id: 'P1', fault: 'a second reservation', sql: again(reserveOf(open)), names: open },
  {
    id: 'P1',
    fault: 'a reservation in two halves',
    sql: `${change('amount = amount / 2', reserveOf(open))}; ${again(reserveOf(open))}`,
    names: open,
  },
  {
    id: 'P1',
    fault: 'a reservation without the fee',
    sql: change('amount = amount - 200', reserveOf(subPaid)),
    names: subPaid,
  },
  {
    id: 'P1',
    fault: 'a reservation of another moment',
    sql: change(`at = at + interval '1 ms'`, reserveOf(open)),
    names: open,
  },
  {
    id: 'P1',
    fault: 'a reservation in the other mode',
    sql: change(`mode = 'live', seq = 99`, reserveOf(open)),
    names: open,
  },
  {
    id: 'P1',
    fault: "a merchant's payout from a subaccount",
    sql: change(`debit = 'sub_available:${SUBACCOUNT.farm}'`, reserveOf(open)),
    names: open,
  },
  {
    id: 'P1',
    fault: "a subaccount's payout from another subaccount",
    sql: change(`debit = 'sub_available:${SUBACCOUNT.shop}'`, reserveOf(subPaid)),
    names: subPaid,
  },
  {
    id: 'P1',
    fault: "a subaccount's payout reserved as one of the merchant",
    sql: change(`kind = 'payout_reserve'`, reserveOf(subPaid)),
    names: subPaid,
  },
  {
    id: 'P1',
    fault: 'a reservation for nothing',
    sql: change(`subject = 'pout_gone'`, reserveOf(open)),
    names: 'pout_gone',
  },
  { id: 'P2', fault: 'a paid payout that never left', sql: drop(sentOf(paid)), names: paid },
  {
    id: 'P2',
    fault: 'a paid payout without its fee',
    sql: drop(`${about(paid)} and kind = 'payout_fee'`),
    names: paid,
  },
  { id: 'P2', fault: 'a payout that left twice', sql: again(sentOf(livePaid)), names: livePaid },
  {
    id: 'P2',
    fault: 'another amount than was promised',
    sql: change('amount = amount - 1', sentOf(paid)),
    names: paid,
  },
  {
    id: 'P2',
    fault: 'more fee and less money',
    sql: `${change('amount = amount - 1', sentOf(paid))}; ${change('amount = amount + 1', `${about(paid)} and kind = 'payout_fee'`)}`,
    names: paid,
  },
  {
    id: 'P2',
    fault: 'money out by another channel',
    sql: change(`credit = 'rail:card'`, sentOf(paid)),
    names: paid,
  },
  ...['-1 ms', '1 ms'].map((apart) => ({
    id: 'P2',
    fault: `money out ${apart} apart`,
    sql: change(`at = at + interval '${apart}'`, sentOf(paid)),
    names: paid,
  })),
  ...[unpaid, voided, subUnpaid, PAYOUT.rejected].map((payout) => ({
    id: 'P2',
    fault: `no return of ${payout}`,
    sql: drop(returnOf(payout)),
    names: payout,
  })),
  {
    id: 'P2',
    fault: 'a return without the fee',
    sql: change('amount = amount - 900', returnOf(unpaid)),
    names: unpaid,
  },
  { id: 'P2', fault: 'a return made twice', sql: again(returnOf(unpaid)), names: unpaid },
  {
    id: 'P2',
    fault: "a subaccount's money returned to the merchant",
    sql: change(`kind = 'payout_return', credit = 'available'`, returnOf(subUnpaid)),
    names: subUnpaid,
  },
  {
    id: 'P2',
    fault: 'a payout sent and returned',
    sql: addTransfer(`3, 'live', 99, 'payout_return', '${livePaid}', 'in_flight', 'available', 20300`),
    names: livePaid,
  },
  {
    id: 'P2',
    fault: 'an open payout that has left',
    sql: addTransfer(`3, 'live', 99, 'payout_sent', '${inDoubt}', 'in_flight', 'rail:op1_momo', 30000`),
    names: inDoubt,
  },
  {
    id: 'P2',
    fault: 'money out for a payout that is not there',
    sql: change(`subject = 'pout_gone'`, sentOf(paid)),
    names: 'pout_gone',
  },
  ...[sentOf(paid), `${about(paid)} and kind = 'payout_fee'`, returnOf(unpaid)].map((half) => ({
    id: 'P2',
    fault: `two halves of ${half.split("'").at(-2)}`,
    sql: `${change('amount = amount / 2', half)}; ${again(half)}`,
    names: half === returnOf(unpaid) ? unpaid : paid,
  })),
  {
    id: 'P2',
    fault: 'a return of a payout that is not there',
    sql: change(`subject = 'pout_gone'`, returnOf(unpaid)),
    names: 'pout_gone',
  },
  {
    id: 'P2',
    fault: 'a payout paid by status alone',
    sql: `update payouts set status = 'succeeded', completed_at = created_at where ${of(open)}`,
    names: open,
  },
  {
    id: 'P3',
    fault: 'in_flight without a payout',
    sql: `update ledger_heads set in_flight = in_flight + 5 where ${TEST_3}`,
    names: 'merchant 3 test',
  },
  {
    id: 'P3',
    fault: 'a payout taken back that is still in flight',
    sql: `update payouts set voided_at = null where ${of(voided)}`,
    names: 'merchant 3 live',
  },
  {
    id: 'P3',
    fault: 'payouts without a head',
    sql: `delete from ledger_heads where ${LIVE_3}`,
    names: 'merchant 3 live',
  },
  {
    id: 'PO4',
    fault: 'a failure without a reason',
    sql: `update payouts set failure_reason = null where ${of(unpaid)}`,
    names: unpaid,
  },
  ...[open, paid, PAYOUT.requested].map((payout) => ({
    id: 'PO4',
    fault: `a reason for ${payout}, which did not fail`,
    sql: `update payouts set failure_reason = 'wallet_locked' where ${of(payout)}`,
    names: payout,
  })),
  ...[paid, unpaid].map((payout) => ({
    id: 'PO4',
    fault: `doubt about ${payout}, which has ended`,
    sql: `update payouts set failure_reason = 'ambiguous_network_error_pending_reconciliation' where ${of(payout)}`,
    names: payout,
  })),
  {
    id: 'PO4',
    fault: 'an end without a time',
    sql: `update payouts set completed_at = null where ${of(paid)}`,
    names: paid,
  },
  {
    id: 'PO4',
    fault: 'a time without an end',
    sql: `update payouts set completed_at = created_at where ${of(open)}`,
    names: open,
  },
  {
    id: 'PO4',
    fault: 'a payout taken back that is shown',
    sql: `update payouts set published = true where ${of(voided)}`,
    names: voided,
  },
  {
    id: 'PO4',
    fault: 'a payout taken back that had ended',
    sql: `update payouts set voided_at = created_at, published = false where ${of(livePaid)}`,
    names: livePaid,
  },
]
