import { addTransfer, CHARGE, type Fault, LAST_SEQ, LIVE_1, LIVE_2, SUBACCOUNT, TEST_1 } from '../names.ts'
import { change, each, plant, transfers } from '../planting.ts'

const { held } = CHARGE

export const LEDGER_FAULTS: readonly Fault[] = [
  ...plant('L1', [
    [
      'merchant 1 test',
      'a transfer into an account that nobody knows',
      `update transfers set credit = 'nowhere' where kind = 'test_funds'`,
    ],
  ]),
  ...plant('L2', [
    ...each(['available', 'pending', 'in_flight'], (account) => [
      'merchant 1 test',
      `${account} of a head changed without a transfer`,
      `update ledger_heads set ${account} = ${account} + 1 where ${TEST_1}`,
    ]),
    ['merchant 2 live', 'a head that is gone', `delete from ledger_heads where ${LIVE_2}`],
  ]),
  ...plant('L3', [
    [
      'merchant 1 live at seq 1',
      'money released before it came',
      `update transfers set seq = -1 where ${LIVE_1} and seq = 1; update transfers set seq = 1 where ${LIVE_1} and seq = 3;
      update transfers set seq = 3 where ${LIVE_1} and seq = -1`,
    ],
  ]),
  ...[
    ['available', 'in_flight'],
    ['in_flight', 'available'],
  ].map(([debit, credit]) => ({
    id: 'L3',
    fault: `more taken from ${debit} than there was`,
    sql: addTransfer(`2, 'live', 4, 'payout_reserve', 'pout_1', '${debit}', '${credit}', 50000000`),
    names: 'merchant 2 live at seq 4',
  })),
  ...plant('L4', [
    [
      'merchant 1 live',
      'a number left out',
      `update transfers set seq = seq + 1 where ${LIVE_1} and seq = ${LAST_SEQ}; update ledger_heads set seq = seq + 1 where ${LIVE_1}`,
    ],
    ['merchant 1 test', 'a head that counts further', `update ledger_heads set seq = seq + 1 where ${TEST_1}`],
    ['merchant 2 live', 'a number before the first', `update transfers set seq = 0 where ${LIVE_2} and seq = 1`],
  ]),
  ...plant('L5', [
    [
      'merchant 1 live at seq 3',
      'a checkpoint that shows another balance',
      `update ledger_checkpoints set balances = jsonb_set(balances, '{available}', '1') where seq = 3`,
    ],
    [
      'merchant 1 live at seq 8',
      'a checkpoint without one of its accounts',
      `update ledger_checkpoints set balances = balances - 'fees' where seq > 3`,
    ],
    [
      'merchant 2 live at seq 99',
      'a checkpoint that lies ahead of the ledger',
      `insert into ledger_checkpoints (merchant_id, mode, seq, balances, at) select merchant_id, mode, 99, (select jsonb_object_agg(account, balance) from (
        select account, sum(amount) as balance from (select debit as account, -amount as amount from transfers where ${LIVE_2}
          union all select credit, amount from transfers where ${LIVE_2}) s group by account) a), '2026-03-10T08:00:00Z'
      from ledger_heads where ${LIVE_2}`,
    ],
    [
      'merchant 1 live at seq 8',
      'a checkpoint that counts one transfer more of a kind',
      `update ledger_checkpoints set sums = jsonb_set(sums, '{charge_fee,count}', to_jsonb((sums->'charge_fee'->>'count')::int + 1)) where seq = 8`,
    ],
    [
      'merchant 1 live at seq 8',
      'a checkpoint that does not know a kind of its transfers',
      `update ledger_checkpoints set sums = sums - 'charge_net' where seq = 8`,
    ],
    [
      'merchant 1 live at seq 8',
      'a checkpoint that is said to follow another one',
      'update ledger_checkpoints set after_seq = after_seq - 1 where seq = 8',
    ],
    [
      'merchant 1 live at seq 3',
      'a checkpoint of which the first transfer is said to be older',
      `update ledger_checkpoints set first_at = first_at - interval '1 second' where seq = 3`,
    ],
    [
      'merchant 3 live at seq 11',
      'a checkpoint that shows another balance of a subaccount',
      `update ledger_checkpoints set balances = jsonb_set(balances, '{sub_available:${SUBACCOUNT.farm}}', '1') where merchant_id = 3`,
    ],
  ]),
  ...plant('L6', [
    [
      'fund_live',
      'test funds in live',
      addTransfer(`2, 'live', 4, 'test_funds', 'fund_live', 'sandbox', 'available', 5`),
    ],
    [held, 'one charge with transfers in both modes', change(transfers(held, 'charge_fee'), `mode = 'test', seq = 99`)],
  ]),
  ...plant('L7', [
    ['events', 'a trigger switched off', 'alter table events disable trigger events_never_change'],
    ['transfers', 'a trigger dropped', 'drop trigger transfers_never_empty on transfers'],
    ['settlements', 'a right given to the service', 'grant update on settlements to gateway_app'],
  ]),
]
