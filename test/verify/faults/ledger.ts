import {
  about,
  addTransfer,
  CHARGE,
  type Fault,
  LAST_SEQ,
  LIVE_1,
  LIVE_2,
  SUBACCOUNT,
  TEST_1,
} from '../names.ts'

const { held } = CHARGE

export const LEDGER_FAULTS: readonly Fault[] = [
  {
    id: 'L1',
    fault: 'a transfer into an account that nobody knows',
    sql: `update transfers set credit = 'nowhere' where kind = 'test_funds'`,
    names: 'merchant 1 test',
  },
  ...['available', 'pending', 'in_flight'].map((account) => ({
    id: 'L2',
    fault: `${account} of a head changed without a transfer`,
    sql: `update ledger_heads set ${account} = ${account} + 1 where ${TEST_1}`,
    names: 'merchant 1 test',
  })),
  {
    id: 'L2',
    fault: 'a head that is gone',
    sql: `delete from ledger_heads where ${LIVE_2}`,
    names: 'merchant 2 live',
  },
  {
    id: 'L3',
    fault: 'money released before it came',
    sql: `update transfers set seq = -1 where ${LIVE_1} and seq = 1; update transfers set seq = 1 where ${LIVE_1} and seq = 3;
      update transfers set seq = 3 where ${LIVE_1} and seq = -1`,
    names: 'merchant 1 live at seq 1',
  },
  ...[
    ['available', 'in_flight'],
    ['in_flight', 'available'],
  ].map(([debit, credit]) => ({
    id: 'L3',
    fault: `more taken from ${debit} than there was`,
    sql: addTransfer(`2, 'live', 3, 'payout_reserve', 'pout_1', '${debit}', '${credit}', 50000000`),
    names: 'merchant 2 live at seq 3',
  })),
  {
    id: 'L4',
    fault: 'a number left out',
    sql: `update transfers set seq = seq + 1 where ${LIVE_1} and seq = ${LAST_SEQ}; update ledger_heads set seq = seq + 1 where ${LIVE_1}`,
    names: 'merchant 1 live',
  },
  {
    id: 'L4',
    fault: 'a head that counts further',
    sql: `update ledger_heads set seq = seq + 1 where ${TEST_1}`,
    names: 'merchant 1 test',
  },
  {
    id: 'L4',
    fault: 'a number before the first',
    sql: `update transfers set seq = 0 where ${LIVE_2} and seq = 1`,
    names: 'merchant 2 live',
  },
  {
    id: 'L5',
    fault: 'a checkpoint that shows another balance',
    sql: `update ledger_checkpoints set balances = jsonb_set(balances, '{available}', '1') where seq = 3`,
    names: 'merchant 1 live at seq 3',
  },
  {
    id: 'L5',
    fault: 'a checkpoint without one of its accounts',
    sql: `update ledger_checkpoints set balances = balances - 'fees' where seq > 3`,
    names: 'merchant 1 live at seq 8',
  },
  {
    id: 'L5',
    fault: 'a checkpoint that lies ahead of the ledger',
    sql: `insert into ledger_checkpoints select merchant_id, mode, 99, (select jsonb_object_agg(account, balance) from (
        select account, sum(amount) as balance from (select debit as account, -amount as amount from transfers where ${LIVE_2}
          union all select credit, amount from transfers where ${LIVE_2}) s group by account) a), '2026-03-10T08:00:00Z'
      from ledger_heads where ${LIVE_2}`,
    names: 'merchant 2 live at seq 99',
  },
  {
    id: 'L5',
    fault: 'a checkpoint that shows another balance of a subaccount',
    sql: `update ledger_checkpoints set balances = jsonb_set(balances, '{sub_available:${SUBACCOUNT.farm}}', '1') where merchant_id = 3`,
    names: 'merchant 3 live at seq 11',
  },
  {
    id: 'L6',
    fault: 'test funds in live',
    sql: addTransfer(`2, 'live', 3, 'test_funds', 'fund_live', 'sandbox', 'available', 5`),
    names: 'fund_live',
  },
  {
    id: 'L6',
    fault: 'one charge with transfers in both modes',
    sql: `update transfers set mode = 'test', seq = 99 where ${about(held)} and kind = 'charge_fee'`,
    names: held,
  },
  {
    id: 'L7',
    fault: 'a trigger switched off',
    sql: 'alter table events disable trigger events_never_change',
    names: 'events',
  },
  {
    id: 'L7',
    fault: 'a trigger dropped',
    sql: 'drop trigger transfers_never_empty on transfers',
    names: 'transfers',
  },
  {
    id: 'L7',
    fault: 'a right given to the service',
    sql: 'grant update on settlements to gateway_app',
    names: 'settlements',
  },
]
