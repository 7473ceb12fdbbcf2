import { TEST_1 } from '../names.ts'
import { AT, type BrokenStatement, delivery, event, fee, move, net } from './success.ts'

const transfer = (values: string) =>
  `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at) values (${values}, ${AT});`
const funds = (seq: string, amount = 5) =>
  `insert into transfers select 1, 'test', ${seq}, 'test_funds', 'fund_1', 'sandbox', 'available', ${amount}, ${AT}
   from ledger_heads where ${TEST_1};`

export const POSTING: readonly BrokenStatement[] = [
  {
    statement: 'a balance changed without a transfer',
    sql: `update ledger_heads set available = available + 5 where ${TEST_1}`,
    caughtBy: ['L2'],
  },
  {
    statement: 'a transfer that the head does not know',
    sql: move + net.replace('seq - 1', 'seq + 1') + fee.replace('seq - 0', 'seq + 2') + event + delivery,
    caughtBy: ['L2', 'L4', 'C5'],
  },
  {
    statement: 'a transfer without a head',
    sql: transfer(`99, 'test', 1, 'test_funds', 'fund_1', 'sandbox', 'available', 5`),
    caughtBy: ['L2', 'L4', 'M1'],
  },
  {
    statement: 'a number left out',
    sql: `update ledger_heads set available = available + 5, seq = seq + 2 where ${TEST_1};${funds('seq')}`,
    caughtBy: ['L4'],
  },
  { statement: 'a number given twice', sql: funds('seq'), refusedBy: 'transfers_pkey' },
  {
    statement: 'a head below zero',
    sql: `update ledger_heads set available = -1 where ${TEST_1}`,
    refusedBy: 'ledger_heads_available_check',
  },
  {
    statement: 'test funds in live',
    sql: transfer(`1, 'live', 99, 'test_funds', 'fund_1', 'sandbox', 'available', 5`),
    refusedBy: 'sandbox_is_test',
  },
  ...[
    ['a kind that does not exist', `'gift', 'fund_1', 'fees', 'available'`],
    ['a fee that goes to the merchant', `'charge_fee', 'txn_1', 'rail:op1_momo', 'available'`],
    ['a release in the wrong direction', `'hold_release', 'setl_1', 'available', 'pending'`],
    ['an account that does not exist', `'charge_net', 'txn_1', 'rail:OP1', 'available'`],
  ].map(([statement, posted]) => ({
    statement: statement ?? '',
    sql: transfer(`1, 'live', 99, ${posted}, 5`),
    refusedBy: 'known_shape',
  })),
  { statement: 'a transfer of nothing', sql: funds('seq + 1', 0), refusedBy: 'transfers_amount_check' },
  { statement: 'a transfer backwards', sql: funds('seq + 1', -5), refusedBy: 'transfers_amount_check' },
]
