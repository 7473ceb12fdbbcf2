import { about, addTransfer, CHARGE, type Fault, LIVE_1, LIVE_2, PAYOUT, SPLIT } from '../names.ts'
import { change, charges, each, payouts, plant, remove, transfers } from '../planting.ts'

const { held, testFailed } = CHARGE

export const CHARGE_FAULTS: readonly Fault[] = [
  ...plant('C1', [
    [held, 'a paid charge without its net', remove(transfers(held, 'charge_net'))],
    [held, 'a paid charge without its fee', remove(transfers(held, 'charge_fee'))],
    [
      held,
      'a charge credited twice',
      addTransfer(`1, 'live', 99, 'charge_net', '${held}', 'rail:op1_momo', 'pending', 395000`),
    ],
    [
      CHARGE.liveOpen,
      'an open charge that was credited',
      addTransfer(`1, 'live', 99, 'charge_net', '${CHARGE.liveOpen}', 'rail:op1_momo', 'pending', 8800`),
    ],
    [
      CHARGE.testOpen,
      'a charge paid by status alone',
      change(charges(CHARGE.testOpen), `status = 'succeeded', completed_at = created_at`),
    ],
    ...each(['-1 second', '1 second'], (apart) => [
      held,
      `money posted ${apart} apart`,
      change(transfers(held, 'charge_fee'), `at = at + interval '${apart}'`),
    ]),
    [held, 'money for a charge that is not there', remove(charges(held))],
  ]),
  ...plant('C2', [
    [held, 'a net that is not the net', change(transfers(held, 'charge_net'), 'amount = amount + 1')],
    [held, 'a fee that is not the fee', change(transfers(held, 'charge_fee'), 'amount = amount + 1')],
    ...each(['card', 'op2_money'], (channel) => [
      held,
      `a fee from the mirror of ${channel}`,
      change(transfers(held, 'charge_fee'), `debit = 'rail:${channel}'`),
    ]),
    [held, 'all money from another channel', `update transfers set debit = 'rail:card' where ${about(held)}`],
  ]),
  ...plant('C3', [
    ...each([held, CHARGE.released, CHARGE.movedClock], (charge) => [
      charge,
      `a fee that was bargained on ${charge}`,
      change(charges(charge), 'fee = fee - 1'),
    ]),
    [PAYOUT.livePaid, 'a fee on a payout that was bargained', change(payouts(PAYOUT.livePaid), 'fee = fee - 1')],
  ]),
  ...[SPLIT.atOnce, SPLIT.whole, SPLIT.held].map((charge) => ({
    id: charge === SPLIT.whole ? 'C1' : 'C2',
    fault: `the net of ${charge} credited without taking its shares off`,
    sql:
      charge === SPLIT.whole
        ? addTransfer(`3, 'test', 99, 'charge_net', '${charge}', 'rail:op1_momo', 'available', 5000`)
        : `update transfers set amount = amount + 5000 where ${about(charge)} and kind = 'charge_net'`,
    names: charge,
  })),
  ...plant('C5', [
    ['merchant 1 live', 'a charge marked as settled', change(charges(held), 'settled_at = hold_until')],
    ['merchant 2 live', 'pending without a charge', `update ledger_heads set pending = 5 where ${LIVE_2}`],
    ['merchant 1 live', 'a paid charge without a head', `delete from ledger_heads where ${LIVE_1}`],
  ]),
  ...plant('C6', [
    [testFailed, 'a failure without a reason', change(charges(testFailed), 'failure_reason = null')],
    [held, 'a reason without a failure', change(charges(held), `failure_reason = 'timeout'`)],
    [testFailed, 'an end without a time', change(charges(testFailed), 'completed_at = null')],
    [CHARGE.testOpen, 'a time without an end', change(charges(CHARGE.testOpen), 'completed_at = created_at')],
    [
      testFailed,
      'a failed charge that moved money',
      addTransfer(`1, 'test', 99, 'test_funds', '${testFailed}', 'sandbox', 'available', 1`),
    ],
  ]),
]
