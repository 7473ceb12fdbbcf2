import { about, addTransfer, CHARGE, type Fault, LIVE_1, LIVE_2, of, PAYOUT, SPLIT } from '../names.ts'

const { held, testFailed } = CHARGE

export const CHARGE_FAULTS: readonly Fault[] = [
  {
    id: 'C1',
    fault: 'a paid charge without its net',
    sql: `delete from transfers where ${about(held)} and kind = 'charge_net'`,
    names: held,
  },
  {
    id: 'C1',
    fault: 'a paid charge without its fee',
    sql: `delete from transfers where ${about(held)} and kind = 'charge_fee'`,
    names: held,
  },
  {
    id: 'C1',
    fault: 'a charge credited twice',
    sql: addTransfer(`1, 'live', 99, 'charge_net', '${held}', 'rail:op1_momo', 'pending', 395000`),
    names: held,
  },
  {
    id: 'C1',
    fault: 'an open charge that was credited',
    sql: addTransfer(`1, 'live', 99, 'charge_net', '${CHARGE.liveOpen}', 'rail:op1_momo', 'pending', 8800`),
    names: CHARGE.liveOpen,
  },
  {
    id: 'C1',
    fault: 'a charge paid by status alone',
    sql: `update charges set status = 'succeeded', completed_at = created_at where ${of(CHARGE.testOpen)}`,
    names: CHARGE.testOpen,
  },
  ...['-1 second', '1 second'].map((apart) => ({
    id: 'C1',
    fault: `money posted ${apart} apart`,
    sql: `update transfers set at = at + interval '${apart}' where ${about(held)} and kind = 'charge_fee'`,
    names: held,
  })),
  {
    id: 'C1',
    fault: 'money for a charge that is not there',
    sql: `delete from charges where ${of(held)}`,
    names: held,
  },
  {
    id: 'C2',
    fault: 'a net that is not the net',
    sql: `update transfers set amount = amount + 1 where ${about(held)} and kind = 'charge_net'`,
    names: held,
  },
  {
    id: 'C2',
    fault: 'a fee that is not the fee',
    sql: `update transfers set amount = amount + 1 where ${about(held)} and kind = 'charge_fee'`,
    names: held,
  },
  ...['card', 'op2_money'].map((channel) => ({
    id: 'C2',
    fault: `a fee from the mirror of ${channel}`,
    sql: `update transfers set debit = 'rail:${channel}' where ${about(held)} and kind = 'charge_fee'`,
    names: held,
  })),
  {
    id: 'C2',
    fault: 'all money from another channel',
    sql: `update transfers set debit = 'rail:card' where ${about(held)}`,
    names: held,
  },
  ...[held, CHARGE.released, CHARGE.movedClock].map((charge) => ({
    id: 'C3',
    fault: `a fee that was bargained on ${charge}`,
    sql: `update charges set fee = fee - 1 where ${of(charge)}`,
    names: charge,
  })),
  {
    id: 'C3',
    fault: 'a fee on a payout that was bargained',
    sql: `update payouts set fee = fee - 1 where ${of(PAYOUT.livePaid)}`,
    names: PAYOUT.livePaid,
  },
  ...[SPLIT.atOnce, SPLIT.whole, SPLIT.held].map((charge) => ({
    id: charge === SPLIT.whole ? 'C1' : 'C2',
    fault: `the net of ${charge} credited without taking its shares off`,
    sql:
      charge === SPLIT.whole
        ? addTransfer(`3, 'test', 99, 'charge_net', '${charge}', 'rail:op1_momo', 'available', 5000`)
        : `update transfers set amount = amount + 5000 where ${about(charge)} and kind = 'charge_net'`,
    names: charge,
  })),
  {
    id: 'C5',
    fault: 'a charge marked as settled',
    sql: `update charges set settled_at = hold_until where ${of(held)}`,
    names: 'merchant 1 live',
  },
  {
    id: 'C5',
    fault: 'pending without a charge',
    sql: `update ledger_heads set pending = 5 where ${LIVE_2}`,
    names: 'merchant 2 live',
  },
  {
    id: 'C5',
    fault: 'a paid charge without a head',
    sql: `delete from ledger_heads where ${LIVE_1}`,
    names: 'merchant 1 live',
  },
  {
    id: 'C6',
    fault: 'a failure without a reason',
    sql: `update charges set failure_reason = null where ${of(testFailed)}`,
    names: testFailed,
  },
  {
    id: 'C6',
    fault: 'a reason without a failure',
    sql: `update charges set failure_reason = 'timeout' where ${of(held)}`,
    names: held,
  },
  {
    id: 'C6',
    fault: 'an end without a time',
    sql: `update charges set completed_at = null where ${of(testFailed)}`,
    names: testFailed,
  },
  {
    id: 'C6',
    fault: 'a time without an end',
    sql: `update charges set completed_at = created_at where ${of(CHARGE.testOpen)}`,
    names: CHARGE.testOpen,
  },
  {
    id: 'C6',
    fault: 'a failed charge that moved money',
    sql: addTransfer(`1, 'test', 99, 'test_funds', '${testFailed}', 'sandbox', 'available', 1`),
    names: testFailed,
  },
]
