import { PAYOUT, TEST_3 } from '../names.ts'
import {
  COST,
  end,
  fail,
  feeOut,
  giveBack,
  headBy,
  open,
  post,
  reserve,
  reserveHead,
  returnOf,
  row,
  sent,
  succeed,
  tell,
  WHOLE_PAID,
  WHOLE_PAYOUT,
  WHOLE_RETURN,
} from './payout.ts'
import type { BrokenStatement } from './success.ts'

const other = 'pout_other'
// A balance that was read before another debit and is now written back, as if that debit had not happened.
const staleHead = `update ledger_heads set available = available + ${COST} - ${COST}, in_flight = in_flight, seq = seq + 1 where ${TEST_3};`

const ACCEPTING: readonly BrokenStatement[] = [
  {
    statement: 'two payouts accepted on one sum that was read without a lock',
    sql: WHOLE_PAYOUT + staleHead + row({ id: other }) + reserve(other),
    caughtBy: ['L2', 'P3'],
  },
  {
    statement: 'more accepted than there was',
    sql: headBy({ available: -20_000_000, in_flight: 20_000_000 }, 1),
    refusedBy: 'ledger_heads_available_check',
  },
  { statement: 'a payout without its reservation', sql: row(), caughtBy: ['P1', 'P3'] },
  { statement: 'a reservation without its payout', sql: reserveHead + reserve(), caughtBy: ['P1', 'P3'] },
  {
    statement: 'a payout reserved twice',
    sql: WHOLE_PAYOUT + reserveHead + reserve(),
    refusedBy: 'happens_once',
  },
  {
    statement: 'a payout reserved without its fee',
    sql:
      headBy({ available: -5000, in_flight: 5000 }, 1) +
      row() +
      post(['payout_reserve', 'pout_new', 'available', 'in_flight', 5000]),
    caughtBy: ['P1', 'P3'],
  },
  {
    statement: 'a payout reserved from money in its hold',
    sql: post(['payout_reserve', 'pout_new', 'pending', 'in_flight', COST]),
    refusedBy: 'known_shape',
  },
  {
    statement: 'a payout straight from available',
    sql: post(['payout_sent', open, 'available', 'rail:op1_momo', 70_000]),
    refusedBy: 'known_shape',
  },
  {
    statement: 'a bargained fee',
    sql: row({ fee: 199 }),
    refusedBy: 'fee_is_the_formula',
  },
  {
    statement: 'a payout over a channel that pays nobody',
    sql: row().replace('op1_momo', 'card'),
    refusedBy: 'payouts_channel_check',
  },
  {
    statement: 'a refund of no charge',
    sql: row({ kind: 'refund' }),
    refusedBy: 'kind_has_its_origin',
  },
  {
    statement: 'a charge fee promised by what is no refund',
    sql: row({ columns: ', fee_to_return', values: ', 1350' }),
    refusedBy: 'kind_has_its_origin',
  },
  {
    statement: "the sandbox's word on live money",
    sql: `update payouts set sandbox_outcome = 'timeout' where id = '${PAYOUT.livePaid}'`,
    refusedBy: 'switch_is_test',
  },
  {
    statement: 'a payout that nobody sends',
    sql: `update payouts set follow_at = null where id = '${open}'`,
    refusedBy: 'open_is_followed',
  },
  {
    statement: 'two payouts under one reference',
    sql: `${WHOLE_PAYOUT}update payouts set rail_reference = 'ref-pout_new' where id = '${open}'`,
    caughtBy: ['P4'],
  },
]

const ENDING: readonly BrokenStatement[] = [
  { statement: 'a payout paid by status alone', sql: succeed, caughtBy: ['P2', 'P3', 'E1'] },
  {
    statement: 'money out without compare-and-set',
    sql: headBy({ in_flight: -71_050 }, 2) + sent + feeOut + tell('payout.succeeded', open),
    caughtBy: ['P2', 'P3', 'E1'],
  },
  {
    statement: 'a payout sent twice',
    sql: WHOLE_PAID + headBy({ in_flight: -70_000 }, 2) + sent,
    refusedBy: 'happens_once',
  },
  {
    statement: 'a payout sent and returned',
    sql: WHOLE_PAID + headBy({ in_flight: -71_050, available: 71_050 }, 1) + giveBack(),
    refusedBy: 'payout_ends_once',
  },
  {
    statement: 'a payout returned twice',
    sql: WHOLE_RETURN + headBy({ in_flight: -71_050, available: 71_050 }, 1) + giveBack(),
    refusedBy: 'happens_once',
  },
  { statement: 'a return without the fee', sql: returnOf(70_000), caughtBy: ['P2', 'P3'] },
  { statement: 'a return of more than was reserved', sql: returnOf(71_051), caughtBy: ['P2', 'P3'] },
  {
    statement: 'a fee kept of a payout that came back',
    sql:
      fail +
      headBy({ in_flight: -71_050, available: 70_000 }, 2) +
      giveBack(70_000).replace('seq - 0', 'seq - 1') +
      feeOut +
      tell('payout.failed', open),
    caughtBy: ['P2'],
  },
  {
    statement: 'a payout that was paid and kept no fee',
    sql:
      succeed +
      headBy({ in_flight: -71_050, available: 1050 }, 1) +
      sent.replace('seq - 1', 'seq - 0') +
      tell('payout.succeeded', open),
    caughtBy: ['L2', 'P2'],
  },
  {
    statement: "a payout's event in a second transaction",
    sql: WHOLE_PAID.replace(tell('payout.succeeded', open), '') + tell('payout.succeeded', open, laterThan()),
    caughtBy: ['E1'],
  },
  {
    statement: 'a payout whose end was told to nobody',
    sql: WHOLE_PAID.replace(tell('payout.succeeded', open), ''),
    caughtBy: ['E1'],
  },
  {
    statement: 'a paid payout told as failed',
    sql: WHOLE_PAID.replace(tell('payout.succeeded', open), tell('payout.failed', open)),
    caughtBy: ['E1'],
  },
  { statement: 'a payout failed without a reason', sql: end('failed'), refusedBy: 'failed_has_reason' },
  {
    statement: 'a payout failed because nobody knows',
    sql: end('failed', `, failure_reason = 'ambiguous_network_error_pending_reconciliation'`),
    refusedBy: 'failed_has_reason',
  },
  {
    statement: 'a payout that ended without a time',
    sql: `update payouts set status = 'succeeded', follow_at = null where id = '${open}'`,
    refusedBy: 'final_has_time',
  },
]

const TAKING_BACK: readonly BrokenStatement[] = [
  {
    statement: 'a payout taken back that was shown',
    sql: `update payouts set voided_at = created_at, follow_at = null where id = '${PAYOUT.inDoubt}'`,
    refusedBy: 'voided_is_hidden',
  },
  {
    statement: 'a test payout hidden',
    sql: `update payouts set published = false where id = '${open}'`,
    refusedBy: 'test_is_published',
  },
  {
    statement: 'a payout taken back whose reservation stays',
    sql: `update payouts set voided_at = created_at, follow_at = null where id = '${PAYOUT.sending}'`,
    caughtBy: ['P2', 'P3', 'P4', 'ID6'],
  },
  {
    statement: 'a withdrawal sent before it is approved',
    sql: `update payouts set follow_at = created_at where id = '${PAYOUT.requested}'`,
    caughtBy: ['W1'],
  },
  {
    statement: 'a withdrawal approved that nobody sends',
    sql: `update withdrawals set state = 'approved', decided_at = '2026-03-10T09:00:00Z' where id = '${PAYOUT.requested}'`,
    caughtBy: ['W1', 'DE1'],
  },
  {
    statement: 'a withdrawal rejected that is not returned',
    sql: `update withdrawals set state = 'rejected', decided_at = '2026-03-10T09:00:00Z' where id = '${PAYOUT.requested}'`,
    caughtBy: ['W1', 'DE1'],
  },
  {
    statement: 'a decision without its time',
    sql: `update withdrawals set state = 'approved' where id = '${PAYOUT.requested}'`,
    refusedBy: 'decided_has_time',
  },
  {
    statement: 'test money withdrawn',
    sql: `update payouts set kind = 'withdrawal' where id = '${open}'`,
    refusedBy: 'withdrawal_is_live',
  },
  {
    statement: 'an attempt finished though its payout is open',
    sql: `update rail_attempts set state = 'ended' where subject = '${PAYOUT.inDoubt}'`,
    caughtBy: ['P4'],
  },
  {
    statement: 'a resend under a new reference',
    sql: `insert into rail_attempts (merchant_id, id, subject, side, channel, installation, state, created_at)
      values (3, 'again', '${PAYOUT.inDoubt}', 'disburse', 'op1_momo', 'one', 'sending', '2026-03-10T09:00:00Z')`,
    refusedBy: 'rail_attempts_once',
  },
]

export const PAYING: readonly BrokenStatement[] = [...ACCEPTING, ...ENDING, ...TAKING_BACK]

function laterThan(): string {
  return `timestamptz '2026-03-10T09:00:00.005Z'`
}
