import { REFUNDED, UNREFUNDED } from '../names.ts'
import { claim, feeBack, headBy, OPEN_REFUND, post, refundReserve, refundRow, WHOLE_REFUND } from './payout.ts'
import { AT, type BrokenStatement } from './success.ts'

const openRefund = `charge_id = '${OPEN_REFUND}'`
const endedRefund = `(select id from payouts where ${openRefund})`

export const REFUNDING: readonly BrokenStatement[] = [
  { statement: 'a refund claimed without a payout', sql: claim, caughtBy: ['R1'] },
  {
    statement: 'a refund paid without claiming its charge',
    sql: refundReserve + refundRow(),
    caughtBy: ['R1'],
  },
  {
    statement: 'a second refund of one charge',
    sql: refundReserve + refundRow(OPEN_REFUND),
    refusedBy: 'payouts_one_refund',
  },
  {
    statement: 'a refund of less than was paid',
    sql: (claim + refundReserve + refundRow()).replaceAll('91350', '89335').replaceAll('90000, 1350', '88015, 1320'),
    caughtBy: ['R1'],
  },
  {
    statement: 'a refund that claims another payout',
    sql: WHOLE_REFUND.replace(`refund_id = 'pout_new'`, `refund_id = 'pout_other'`),
    caughtBy: ['R1'],
  },
  {
    statement: 'a refund that nobody was told of',
    sql: WHOLE_REFUND.replace(/insert into events[\s\S]*?;\s*insert into deliveries[^;]*;/, ''),
    caughtBy: ['E1'],
  },
  {
    statement: 'a split charge refunded',
    sql: `update charges set shares = 0 where id = '${REFUNDED.paid}'`,
    refusedBy: 'split_is_not_refunded',
  },
  {
    statement: 'a charge refunded without a refund',
    sql: `update charges set status = 'refunded' where id = '${UNREFUNDED}'`,
    refusedBy: 'refunded_by_payout',
  },
  { statement: 'a fee given back twice', sql: feeBack(REFUNDED.paid), refusedBy: 'happens_once' },
  { statement: 'a fee given back before the refund was paid', sql: feeBack(OPEN_REFUND), caughtBy: ['R2'] },
  { statement: 'a fee given back though the refund failed', sql: feeBack(REFUNDED.failed), caughtBy: ['R2'] },
  { statement: 'a fee given back without a refund', sql: feeBack(UNREFUNDED), caughtBy: ['R2'] },
  {
    statement: 'a refund that was paid and gave no fee back',
    sql: `update payouts set status = 'succeeded', completed_at = ${AT}, follow_at = null where ${openRefund};
      ${headBy({ in_flight: -91_350 }, 2)}
      ${post(['payout_sent', 'SUBJECT', 'in_flight', 'rail:op1_momo', 90_000], 1).replace(`'SUBJECT'`, endedRefund)}
      ${post(['payout_fee', 'SUBJECT', 'in_flight', 'fees', 1350]).replace(`'SUBJECT'`, endedRefund)}
      insert into events (merchant_id, id, mode, type, subject, body, created_at)
        values (3, 'evt_1', 'test', 'payout.succeeded', ${endedRefund}, '', ${AT});
      insert into deliveries (merchant_id, event_id, mode, event, created_at) values (3, 'evt_1', 'test', 'payout.succeeded', ${AT})`,
    caughtBy: ['R2'],
  },
]
