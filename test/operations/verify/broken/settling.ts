import { CHARGE, LIVE_1 } from '../names.ts'
import { AT, type BrokenStatement } from './success.ts'

const releaseOf = (
  id: string,
  amount: number,
) => `update ledger_heads set pending = pending - ${amount}, available = available + ${amount},
    seq = seq + 1 where ${LIVE_1};
  insert into transfers select 1, 'live', seq, 'hold_release', '${id}', 'pending', 'available', ${amount}, ${AT} from ledger_heads where ${LIVE_1};`
const settlement = (
  id: string,
  amount: number,
) => `insert into settlements (merchant_id, id, mode, kind, amount, charge_count, created_at)
  values (1, '${id}', 'live', 'sweep', ${amount}, 1, ${AT});`
const settle = `update charges set settled_at = ${AT}, settlement_id = 'setl_1' where id = '${CHARGE.held}';`

export const SETTLING: readonly BrokenStatement[] = [
  { statement: 'a charge released before its hold is over', sql: settle, refusedBy: 'settled_after_hold' },
  {
    statement: 'money released that no charge brought',
    sql: releaseOf('setl_1', 5) + settlement('setl_1', 5),
    caughtBy: ['C5', 'SE1', 'SE2'],
  },
  { statement: 'money released without a settlement', sql: releaseOf('setl_1', 5), caughtBy: ['C5', 'SE1'] },
  {
    statement: 'a charge released a second time',
    sql: `${releaseOf('setl_1', 19_700)}${settlement('setl_1', 19_700)}update charges set settled_at = ${AT}, settlement_id = 'setl_1' where id = '${CHARGE.aged}'`,
    caughtBy: ['C5', 'SE1', 'SE2'],
  },
  {
    statement: 'more released than pending holds',
    sql: releaseOf('setl_1', 500_000),
    refusedBy: 'ledger_heads_pending_check',
  },
  {
    statement: 'the same release twice',
    sql: releaseOf('setl_1', 5) + releaseOf('setl_1', 5),
    refusedBy: 'happens_once',
  },
  {
    statement: 'a settlement of nothing',
    sql: settlement('setl_1', 0),
    refusedBy: 'settlements_amount_check',
  },
  {
    statement: 'a settlement named by a charge that is not settled',
    sql: `update charges set settlement_id = 'setl_1' where id = '${CHARGE.held}'`,
    refusedBy: 'settled_by_record',
  },
]
