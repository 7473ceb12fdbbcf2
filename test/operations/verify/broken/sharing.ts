import { PAYOUT, SPLIT } from '../names.ts'
import { farm, headBy, paySplit, post, shop, splitOpen } from './payout.ts'
import { AT, type BrokenStatement } from './success.ts'

const share = (index: number, payee: string) =>
  `insert into charge_shares (merchant_id, charge_id, share_index, mode, subaccount_id, amount)
   values (3, '${splitOpen}', ${index}, 'test', '${payee}', 1);`
// Everything that releasing a share would write, for a share that is released already.
const releaseAgain = `insert into settlements (merchant_id, id, mode, kind, subaccount_id, amount, charge_count, created_at)
    values (3, 'setl_again', 'live', 'split_sweep', '${farm}', 3000, 1, ${AT});
  update charge_shares set settled_at = ${AT}, settlement_id = 'setl_again' where charge_id = '${SPLIT.released}' and share_index = 0;
  update subaccount_heads set pending = pending - 3000, available = available + 3000 where mode = 'live' and subaccount_id = '${farm}';
  update ledger_heads set seq = seq + 1 where merchant_id = 3 and mode = 'live';
  insert into transfers select 3, 'live', seq, 'split_release', 'setl_again', 'sub_pending:${farm}', 'sub_available:${farm}', 3000, ${AT}
    from ledger_heads where merchant_id = 3 and mode = 'live';`

export const SHARING: readonly BrokenStatement[] = [
  {
    statement: 'shares rounded up beyond the net',
    sql: `update charges set shares = 29551 where id = '${splitOpen}'`,
    refusedBy: 'shares_within_net',
  },
  {
    statement: 'a share rounded up',
    sql: `update charge_shares set amount = amount + 1 where charge_id = '${splitOpen}' and share_index = 0`,
    caughtBy: ['C7'],
  },
  {
    statement: 'a share rounded up when it is credited',
    sql: paySplit({ first: 3001 }),
    caughtBy: ['SP1', 'SE1'],
  },
  {
    statement: 'a net credited without taking the shares off',
    sql: paySplit({ net: 29_550 }),
    caughtBy: ['C2', 'SE1'],
  },
  {
    statement: 'a share credited twice',
    sql: paySplit() + post(['split_share', splitOpen, 'rail:op1_momo', `sub_available:${farm}`, 3000], -1),
    refusedBy: 'share_happens_once',
  },
  {
    statement: 'one subaccount named twice',
    sql: share(2, farm),
    refusedBy: 'one_share_each',
  },
  { statement: 'a share that the charge does not count', sql: share(2, 'sub_none'), caughtBy: ['C7', 'M3'] },
  {
    statement: 'a share released before its hold is over',
    sql: `update charge_shares set settled_at = ${AT}, settlement_id = 'setl_1' where charge_id = '${SPLIT.held}'`,
    refusedBy: 'settled_after_hold',
  },
  {
    statement: 'a reversed share that is paid',
    sql: `update charge_shares set hold_until = ${AT} where charge_id = '${SPLIT.asleep}'`,
    refusedBy: 'reversed_is_never_paid',
  },
  {
    statement: 'a share settled without a settlement',
    sql: `update charge_shares set settled_at = hold_until where charge_id = '${SPLIT.held}'`,
    refusedBy: 'settled_by_record',
  },
  {
    statement: 'a share released a second time',
    sql: releaseAgain,
    caughtBy: ['SP2', 'SE1', 'SE2'],
  },
  {
    statement: 'more released than a subaccount has in its hold',
    sql: `update subaccount_heads set pending = pending - 5000 where mode = 'live' and subaccount_id = '${shop}'`,
    refusedBy: 'subaccount_heads_pending_check',
  },
  {
    statement: "a share released to another subaccount's account",
    sql: post(['split_release', 'setl_1', `sub_pending:${farm}`, `sub_available:${shop}`, 1000]),
    refusedBy: 'known_shape',
  },
  {
    statement: "a subaccount's balance changed without a transfer",
    sql: `update subaccount_heads set available = available + 5 where mode = 'test' and subaccount_id = '${shop}'`,
    caughtBy: ['L2'],
  },
  {
    statement: 'more paid out than a subaccount has',
    sql: `update subaccount_heads set available = available - 50000 where mode = 'test' and subaccount_id = '${shop}'`,
    refusedBy: 'subaccount_heads_available_check',
  },
  {
    statement: "a subaccount's payout returned to the merchant",
    sql: `update payouts set status = 'failed', failure_reason = 'timeout', completed_at = ${AT}, follow_at = null where id = '${PAYOUT.subOpen}';
      ${headBy({ in_flight: -1400, available: 1400 }, 1)}${post(['payout_return', PAYOUT.subOpen, 'in_flight', 'available', 1400])}
      insert into events (merchant_id, id, mode, type, subject, body, created_at)
        values (3, 'evt_1', 'test', 'payout.failed', '${PAYOUT.subOpen}', '', ${AT});
      insert into deliveries (merchant_id, event_id, mode, event, created_at) values (3, 'evt_1', 'test', 'payout.failed', ${AT})`,
    caughtBy: ['P2'],
  },
]
