import { about, addTransfer, type Fault, of, SPLIT, SUBACCOUNT } from '../names.ts'

const { atOnce, whole, asleep, failed, open, held, released } = SPLIT
const { farm, shop } = SUBACCOUNT
const shareOf = (charge: string, index = 0) => `charge_id = '${charge}' and share_index = ${index}`
const setShare = (change: string, charge: string, index = 0) =>
  `update charge_shares set ${change} where ${shareOf(charge, index)}`
const creditOf = (charge: string, payee = farm) =>
  `${about(charge)} and kind = 'split_share' and credit like '%:${payee}'`
const setCredit = (change: string, charge: string) =>
  `update transfers set ${change} where ${creditOf(charge)}`

const SHARES: readonly Fault[] = [
  ...[
    ['shares that do not add up', `update charges set shares = shares + 1 where ${of(held)}`, held],
    ['a split charge without shares', `delete from charge_shares where charge_id = '${open}'`, open],
    ['shares of a charge that is not split', `update charges set shares = null where ${of(held)}`, held],
    ['shares of a charge that is not there', `delete from charges where ${of(open)}`, open],
    ['shares in the other mode', `update charge_shares set mode = 'test' where charge_id = '${held}'`, held],
    ['one share in the other mode', setShare(`mode = 'test'`, held), held],
    ['a share left out', `delete from charge_shares where ${shareOf(open)}`, open],
    ['a share before the first', setShare('share_index = -1', held), held],
    ['a number left out', setShare('share_index = 2', held, 1), held],
    ['one subaccount named twice', setShare(`subaccount_id = '${farm}'`, held, 1), held],
    [
      'more shared out than the net',
      `${setShare('amount = 2001', whole, 1)}; update charges set shares = 5001 where ${of(whole)}`,
      whole,
    ],
    ['a share of a failed charge that stands', setShare('reversed = false', failed), failed],
    ['a share of an open charge that is reversed', setShare('reversed = true', open), open],
    ['a share that is owed twice', setShare('reversed = false', asleep), asleep],
    ['a share that is owed and not held', setShare('hold_until = null', held), held],
    ['a reversed share that is held', setShare(`hold_until = '2026-03-10T08:00:00Z'`, asleep), asleep],
    [
      'the wrong share held',
      `${setShare(`hold_until = (select hold_until from charges where ${of(asleep)})`, asleep)}; ${setShare('hold_until = null', asleep, 1)}`,
      asleep,
    ],
    ['an open share that is held', setShare(`hold_until = '2026-03-10T08:00:00Z'`, open), open],
    ['a share held for longer', setShare(`hold_until = hold_until + interval '1 ms'`, held), held],
    ['a share held for less', setShare(`hold_until = hold_until - interval '1 ms'`, held), held],
  ].map(([fault, sql, names]) => ({ id: 'C7', fault: fault ?? '', sql: sql ?? '', names: names ?? '' })),
]

const CREDITS: readonly Fault[] = [
  {
    id: 'SP1',
    fault: 'a share that was never credited',
    sql: `delete from transfers where ${creditOf(held)}`,
    names: held,
  },
  {
    id: 'SP1',
    fault: 'a share credited twice',
    sql: addTransfer(`3, 'live', 99, 'split_share', '${held}', 'rail:op1_momo', 'sub_pending:${farm}', 3000`),
    names: held,
  },
  {
    id: 'SP1',
    fault: 'a share credited in two halves',
    sql: `${setCredit('amount = 1500', held)}; ${addTransfer(`3, 'live', 99, 'split_share', '${held}', 'rail:op1_momo', 'sub_pending:${farm}', 1500`)}`,
    names: held,
  },
  {
    id: 'SP1',
    fault: 'a reversed share that was credited',
    sql: addTransfer(
      `3, 'test', 99, 'split_share', '${asleep}', 'rail:op1_momo', 'sub_available:${SUBACCOUNT.asleep}', 3000`,
    ),
    names: asleep,
  },
  {
    id: 'SP1',
    fault: 'a share of a failed charge that was credited',
    sql: addTransfer(
      `3, 'test', 99, 'split_share', '${failed}', 'rail:op1_momo', 'sub_available:${farm}', 3000`,
    ),
    names: failed,
  },
  ...[
    ['a share rounded up', 'amount = amount + 1'],
    ['a share for somebody else', `credit = 'sub_pending:${SUBACCOUNT.asleep}'`],
    ['a share from another channel', `debit = 'rail:card'`],
    ['a share in the other mode', `mode = 'test', seq = 99`],
    ['a share of another moment', `at = at - interval '1 ms'`],
    ['a held share that is available', `credit = 'sub_available:${farm}'`],
  ].map(([fault, change]) => ({
    id: 'SP1',
    fault: fault ?? '',
    sql: setCredit(change ?? '', held),
    names: held,
  })),
  {
    id: 'SP1',
    fault: 'a share without a hold that went to pending',
    sql: setCredit(`credit = 'sub_pending:${farm}'`, atOnce),
    names: atOnce,
  },
]

const BALANCES: readonly Fault[] = [
  ...['available', 'pending'].map((balance) => ({
    id: 'L2',
    fault: `a subaccount's ${balance} changed without a transfer`,
    sql: `update subaccount_heads set ${balance} = ${balance} + 1 where mode = 'live' and subaccount_id = '${shop}'`,
    names: `${shop} live`,
  })),
  {
    id: 'L2',
    fault: "a subaccount's head that is gone",
    sql: `delete from subaccount_heads where mode = 'live' and subaccount_id = '${shop}'`,
    names: `${shop} live`,
  },
  {
    id: 'L3',
    fault: "more taken from a subaccount's pending than there was",
    sql: addTransfer(
      `3, 'live', 99, 'split_release', 'setl_1', 'sub_pending:${shop}', 'sub_available:${shop}', 5000`,
    ),
    names: `${shop} live at seq 99`,
  },
  {
    id: 'L3',
    fault: "more taken from a subaccount's available than there was",
    sql: addTransfer(
      `3, 'test', 99, 'sub_payout_reserve', 'pout_1', 'sub_available:${shop}', 'in_flight', 5001`,
    ),
    names: `${shop} test at seq 99`,
  },
  {
    id: 'SP2',
    fault: "a subaccount's pending without a share",
    sql: `update subaccount_heads set pending = 5 where mode = 'test' and subaccount_id = '${shop}'`,
    names: `${shop} test`,
  },
  {
    id: 'SP2',
    fault: 'a share marked as settled',
    sql: setShare('settled_at = hold_until', held),
    names: `${farm} live`,
  },
  {
    id: 'SP2',
    fault: 'a held share without a head',
    sql: `delete from subaccount_heads where mode = 'live' and subaccount_id = '${farm}'`,
    names: `${farm} live`,
  },
]

const settlement = `(select settlement_id from charge_shares where ${shareOf(released)})`
const renamed = (to: string, more = '') =>
  `update settlements set id = '${to}'${more} where id = ${settlement}`

const RELEASES: readonly Fault[] = [
  {
    id: 'C4',
    fault: 'a settled share that names no settlement',
    sql: setShare('settlement_id = null', released),
    names: released,
  },
  {
    id: 'C4',
    fault: 'a share settled by nothing',
    sql: setShare(`settlement_id = 'setl_none'`, released),
    names: released,
  },
  ...[`mode = 'test'`, `subaccount_id = '${shop}'`, `created_at = created_at + interval '1 ms'`].map(
    (change) => ({
      id: 'C4',
      fault: `a share settled by a settlement with ${change}`,
      sql: `update settlements set ${change} where id = ${settlement}`,
      names: released,
    }),
  ),
  {
    id: 'C4',
    fault: 'a settlement named by a share in its hold',
    sql: setShare(`settlement_id = 'setl_1'`, held),
    names: held,
  },
  {
    id: 'CH10',
    fault: 'a share settled in its hold',
    sql: setShare("settled_at = hold_until - interval '1 ms'", held),
    names: held,
  },
  {
    id: 'CH10',
    fault: 'a reversed share that is settled',
    sql: setShare(`settled_at = '2026-03-10T08:00:00Z', hold_until = '2026-03-10T08:00:00Z'`, asleep),
    names: asleep,
  },
  {
    id: 'SE1',
    fault: 'more released than its shares brought',
    sql: `${renamed('setl_more', ', amount = amount + 1')}; ${setShare(`settlement_id = 'setl_more'`, released)}`,
    names: 'setl_more',
  },
  {
    id: 'CH10',
    fault: 'a settled share that never had a hold',
    sql: setShare('hold_until = null', atOnce),
    names: atOnce,
  },
  {
    id: 'SE1',
    fault: 'more released than its shares brought, as its record says',
    sql: `${renamed('setl_both', ', amount = amount + 1')}; ${setShare(`settlement_id = 'setl_both'`, released)};
      update transfers set subject = 'setl_both', amount = amount + 1 where kind = 'split_release' and amount = 10000`,
    names: 'setl_both',
  },
  {
    id: 'SE1',
    fault: 'a release for somebody else',
    sql: `update transfers set debit = 'sub_pending:${shop}', credit = 'sub_available:${shop}' where subject = ${settlement};
      ${renamed('setl_else')}; ${setShare(`settlement_id = 'setl_else'`, released)}; update transfers set subject = 'setl_else' where kind = 'split_release' and amount = 10000`,
    names: 'setl_else',
  },
  {
    id: 'SE1',
    fault: 'a share released twice',
    sql: addTransfer(
      `3, 'live', 99, 'split_release', 'setl_twice', 'sub_pending:${farm}', 'sub_available:${farm}', 3000`,
    ),
    names: 'setl_twice',
  },
  {
    id: 'SE1',
    fault: 'a settlement that two subaccounts share',
    sql: `${renamed('setl_two', ', amount = 30000')}; ${setShare(`settlement_id = 'setl_two'`, released)}; ${setShare(`settlement_id = 'setl_two'`, released, 1)};
      update transfers set subject = 'setl_two', amount = 30000 where kind = 'split_release' and amount = 10000`,
    names: 'setl_two',
  },
  {
    id: 'SE1',
    fault: 'a share credited at once without a record',
    sql: `delete from settlements where id = (select settlement_id from charge_shares where ${shareOf(atOnce)})`,
    names: atOnce,
  },
  {
    id: 'SE2',
    fault: 'a settlement that counts one share too many',
    sql: `${renamed('setl_count', ', charge_count = 2')}; ${setShare(`settlement_id = 'setl_count'`, released)}`,
    names: 'setl_count',
  },
]

/** Everything about shares, whichever invariant it is that looks at it. */
export const SPLIT_FAULTS: readonly Fault[] = [...SHARES, ...CREDITS, ...BALANCES, ...RELEASES]
