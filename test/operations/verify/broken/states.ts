import { CHARGE } from '../names.ts'
import { AT, type BrokenStatement, move, open } from './success.ts'

export const STATES: readonly BrokenStatement[] = [
  {
    statement: 'a failure without a reason',
    sql: `update charges set status = 'failed', completed_at = ${AT}, follow_at = null where id = '${open}'`,
    refusedBy: 'failed_has_reason',
  },
  {
    statement: 'an end without its time',
    sql: `update charges set status = 'failed', failure_reason = 'timeout', follow_at = null where id = '${open}'`,
    refusedBy: 'final_has_time',
  },
  {
    statement: 'an open charge that nobody asks about',
    sql: `update charges set follow_at = null where id = '${open}'`,
    refusedBy: 'open_is_followed',
  },
  {
    statement: 'a paid charge without its hold',
    sql: move.replace(/hold_until = .*(?= where)/, 'hold_until = null'),
    refusedBy: 'held_when_paid',
  },
  {
    statement: 'another fee than the formula',
    sql: `update charges set fee = fee + 1 where id = '${open}'`,
    refusedBy: 'fee_is_the_formula',
  },
  {
    statement: 'a fee above what was paid',
    sql: `update charges set amount = 100, fee = 200 where id = '${open}'`,
    refusedBy: 'fee_within_amount',
  },
  {
    statement: 'a charge taken back that was shown',
    sql: `update charges set voided_at = ${AT}, follow_at = null where id = '${open}'`,
    refusedBy: 'voided_is_hidden',
  },
  {
    statement: 'two charges under one reference',
    sql: `update charges set rail_reference = 'same' where id in ('${CHARGE.testPaid}', '${CHARGE.testFailed}')`,
    caughtBy: ['P4'],
  },
  {
    statement: 'a second attempt for one charge',
    sql: `insert into rail_attempts (merchant_id, id, subject, side, channel, installation, state, created_at)
      values (1, 'other', '${open}', 'collect', 'op1_momo', 'one', 'sending', ${AT})`,
    refusedBy: 'rail_attempts_once',
  },
  {
    statement: 'one reference given to two attempts',
    sql: `insert into rail_attempts (merchant_id, id, subject, side, channel, installation, state, created_at)
      select 2, id, 'txn_1', 'collect', 'op1_momo', 'one', 'sending', ${AT} from rail_attempts where subject = '${open}'`,
    refusedBy: 'rail_attempts_pkey',
  },
]
