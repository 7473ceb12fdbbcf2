import { about, addTransfer, type Fault, of, SPLIT, SUBACCOUNT } from '../names.ts'
import { each, plant } from '../planting.ts'

const { atOnce, whole, asleep, failed, open, held, released } = SPLIT
const { farm, shop } = SUBACCOUNT
const shareOf = (charge: string, index = 0) => `charge_id = '${charge}' and share_index = ${index}`
const setShare = (change: string, charge: string, index = 0) =>
  `update charge_shares set ${change} where ${shareOf(charge, index)}`
const creditOf = (charge: string, payee = farm) =>
  `${about(charge)} and kind = 'split_share' and credit like '%:${payee}'`
const setCredit = (change: string, charge: string) => `update transfers set ${change} where ${creditOf(charge)}`

const SHARES: readonly Fault[] = [
  ...plant('C7', [
    [held, 'shares that do not add up', `update charges set shares = shares + 1 where ${of(held)}`],
    [open, 'a split charge without shares', `delete from charge_shares where charge_id = '${open}'`],
    [held, 'shares of a charge that is not split', `update charges set shares = null where ${of(held)}`],
    [open, 'shares of a charge that is not there', `delete from charges where ${of(open)}`],
    [held, 'shares in the other mode', `update charge_shares set mode = 'test' where charge_id = '${held}'`],
    [held, 'one share in the other mode', setShare(`mode = 'test'`, held)],
    [open, 'a share left out', `delete from charge_shares where ${shareOf(open)}`],
    [held, 'a share before the first', setShare('share_index = -1', held)],
    [held, 'a number left out', setShare('share_index = 2', held, 1)],
    [held, 'one subaccount named twice', setShare(`subaccount_id = '${farm}'`, held, 1)],
    [
      whole,
      'more shared out than the net',
      `${setShare('amount = 2001', whole, 1)}; update charges set shares = 5001 where ${of(whole)}`,
    ],
    [failed, 'a share of a failed charge that stands', setShare('reversed = false', failed)],
    [open, 'a share of an open charge that is reversed', setShare('reversed = true', open)],
    [asleep, 'a share that is owed twice', setShare('reversed = false', asleep)],
    [held, 'a share that is owed and not held', setShare('hold_until = null', held)],
    [asleep, 'a reversed share that is held', setShare(`hold_until = '2026-03-10T08:00:00Z'`, asleep)],
    [
      asleep,
      'the wrong share held',
      `${setShare(`hold_until = (select hold_until from charges where ${of(asleep)})`, asleep)}; ${setShare('hold_until = null', asleep, 1)}`,
    ],
    [open, 'an open share that is held', setShare(`hold_until = '2026-03-10T08:00:00Z'`, open)],
    [held, 'a share held for longer', setShare(`hold_until = hold_until + interval '1 ms'`, held)],
    [held, 'a share held for less', setShare(`hold_until = hold_until - interval '1 ms'`, held)],
  ]),
]

const CREDITS: readonly Fault[] = [
  ...plant('SP1', [
    [held, 'a share that was never credited', `delete from transfers where ${creditOf(held)}`],
    [
      held,
      'a share credited twice',
      addTransfer(`3, 'live', 99, 'split_share', '${held}', 'rail:op1_momo', 'sub_pending:${farm}', 3000`),
    ],
    [
      held,
      'a share credited in two halves',
      `${setCredit('amount = 1500', held)}; ${addTransfer(`3, 'live', 99, 'split_share', '${held}', 'rail:op1_momo', 'sub_pending:${farm}', 1500`)}`,
    ],
    [
      asleep,
      'a reversed share that was credited',
      addTransfer(
        `3, 'test', 99, 'split_share', '${asleep}', 'rail:op1_momo', 'sub_available:${SUBACCOUNT.asleep}', 3000`,
      ),
    ],
    [
      failed,
      'a share of a failed charge that was credited',
      addTransfer(`3, 'test', 99, 'split_share', '${failed}', 'rail:op1_momo', 'sub_available:${farm}', 3000`),
    ],
    [held, 'a share rounded up', setCredit('amount = amount + 1', held)],
    [held, 'a share for somebody else', setCredit(`credit = 'sub_pending:${SUBACCOUNT.asleep}'`, held)],
    [held, 'a share from another channel', setCredit(`debit = 'rail:card'`, held)],
    [held, 'a share in the other mode', setCredit(`mode = 'test', seq = 99`, held)],
    [held, 'a share of another moment', setCredit(`at = at - interval '1 ms'`, held)],
    [held, 'a held share that is available', setCredit(`credit = 'sub_available:${farm}'`, held)],
    [atOnce, 'a share without a hold that went to pending', setCredit(`credit = 'sub_pending:${farm}'`, atOnce)],
  ]),
]

const BALANCES: readonly Fault[] = [
  ...plant('L2', [
    ...each(['available', 'pending'], (balance) => [
      `${shop} live`,
      `a subaccount's ${balance} changed without a transfer`,
      `update subaccount_heads set ${balance} = ${balance} + 1 where mode = 'live' and subaccount_id = '${shop}'`,
    ]),
    [
      `${shop} live`,
      "a subaccount's head that is gone",
      `delete from subaccount_heads where mode = 'live' and subaccount_id = '${shop}'`,
    ],
  ]),
  ...plant('L3', [
    [
      `${shop} live at seq 99`,
      "more taken from a subaccount's pending than there was",
      addTransfer(`3, 'live', 99, 'split_release', 'setl_1', 'sub_pending:${shop}', 'sub_available:${shop}', 5000`),
    ],
    [
      `${shop} test at seq 99`,
      "more taken from a subaccount's available than there was",
      addTransfer(`3, 'test', 99, 'sub_payout_reserve', 'pout_1', 'sub_available:${shop}', 'in_flight', 5001`),
    ],
  ]),
  ...plant('SP2', [
    [
      `${shop} test`,
      "a subaccount's pending without a share",
      `update subaccount_heads set pending = 5 where mode = 'test' and subaccount_id = '${shop}'`,
    ],
    [`${farm} live`, 'a share marked as settled', setShare('settled_at = hold_until', held)],
    [
      `${farm} live`,
      'a held share without a head',
      `delete from subaccount_heads where mode = 'live' and subaccount_id = '${farm}'`,
    ],
  ]),
]

const settlement = `(select settlement_id from charge_shares where ${shareOf(released)})`
const renamed = (to: string, more = '') => `update settlements set id = '${to}'${more} where id = ${settlement}`

const RELEASES: readonly Fault[] = [
  ...plant('C4', [
    [released, 'a settled share that names no settlement', setShare('settlement_id = null', released)],
    [released, 'a share settled by nothing', setShare(`settlement_id = 'setl_none'`, released)],
    ...each([`mode = 'test'`, `subaccount_id = '${shop}'`, `created_at = created_at + interval '1 ms'`], (change) => [
      released,
      `a share settled by a settlement with ${change}`,
      `update settlements set ${change} where id = ${settlement}`,
    ]),
    [held, 'a settlement named by a share in its hold', setShare(`settlement_id = 'setl_1'`, held)],
  ]),
  ...plant('CH10', [
    [held, 'a share settled in its hold', setShare("settled_at = hold_until - interval '1 ms'", held)],
    [
      asleep,
      'a reversed share that is settled',
      setShare(`settled_at = '2026-03-10T08:00:00Z', hold_until = '2026-03-10T08:00:00Z'`, asleep),
    ],
  ]),
  ...plant('SE1', [
    [
      'setl_more',
      'more released than its shares brought',
      `${renamed('setl_more', ', amount = amount + 1')}; ${setShare(`settlement_id = 'setl_more'`, released)}`,
    ],
  ]),
  ...plant('CH10', [[atOnce, 'a settled share that never had a hold', setShare('hold_until = null', atOnce)]]),
  ...plant('SE1', [
    [
      'setl_both',
      'more released than its shares brought, as its record says',
      `${renamed('setl_both', ', amount = amount + 1')}; ${setShare(`settlement_id = 'setl_both'`, released)};
      update transfers set subject = 'setl_both', amount = amount + 1 where kind = 'split_release' and amount = 10000`,
    ],
    [
      'setl_else',
      'a release for somebody else',
      `update transfers set debit = 'sub_pending:${shop}', credit = 'sub_available:${shop}' where subject = ${settlement};
      ${renamed('setl_else')}; ${setShare(`settlement_id = 'setl_else'`, released)}; update transfers set subject = 'setl_else' where kind = 'split_release' and amount = 10000`,
    ],
    [
      'setl_twice',
      'a share released twice',
      addTransfer(`3, 'live', 99, 'split_release', 'setl_twice', 'sub_pending:${farm}', 'sub_available:${farm}', 3000`),
    ],
    [
      'setl_two',
      'a settlement that two subaccounts share',
      `${renamed('setl_two', ', amount = 30000')}; ${setShare(`settlement_id = 'setl_two'`, released)}; ${setShare(`settlement_id = 'setl_two'`, released, 1)};
      update transfers set subject = 'setl_two', amount = 30000 where kind = 'split_release' and amount = 10000`,
    ],
    [
      atOnce,
      'a share credited at once without a record',
      `delete from settlements where id = (select settlement_id from charge_shares where ${shareOf(atOnce)})`,
    ],
  ]),
  ...plant('SE2', [
    [
      'setl_count',
      'a settlement that counts one share too many',
      `${renamed('setl_count', ', charge_count = 2')}; ${setShare(`settlement_id = 'setl_count'`, released)}`,
    ],
  ]),
]

/** Every fault about shares, for all the invariants that check them. */
export const SPLIT_FAULTS: readonly Fault[] = [...SHARES, ...CREDITS, ...BALANCES, ...RELEASES]
