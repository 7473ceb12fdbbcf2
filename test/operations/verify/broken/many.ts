import { BATCH, SCHEDULE } from '../names.ts'
import { advance, cyclePayout, finish, itemPayout, result, spend, WHOLE_CYCLE, WHOLE_ITEM } from './payout.ts'
import type { BrokenStatement } from './success.ts'

const BULK: readonly BrokenStatement[] = [
  {
    statement: 'an item that another bulk call has paid before',
    sql: itemPayout + spend('rent-1'),
    refusedBy: 'bulk_references_pkey',
  },
  {
    statement: 'an item paid again without asking for its reference',
    sql: (itemPayout + result + finish).replaceAll('rent-9', 'rent-1'),
    caughtBy: ['B2'],
  },
  {
    statement: 'an item paid whose reference stays free',
    sql: itemPayout + result + finish,
    caughtBy: ['B2'],
  },
  {
    statement: 'an item paid that has no result',
    sql: itemPayout + spend('rent-9'),
    caughtBy: ['B3'],
  },
  {
    statement: 'a result without its payout',
    sql: spend('rent-9') + result + finish,
    caughtBy: ['B2', 'B3'],
  },
  {
    statement: 'a result that is not counted',
    sql: itemPayout + spend('rent-9') + result,
    caughtBy: ['B1'],
  },
  {
    statement: 'an item that got two results',
    sql: WHOLE_ITEM + result,
    refusedBy: 'bulk_items_pkey',
  },
  {
    statement: 'a refused item that was paid',
    sql: `update bulk_items set payout_id = 'pout_new' where error is not null`,
    refusedBy: 'paid_or_refused',
  },
  {
    statement: 'a replayed item without the time of the first',
    sql: 'update bulk_items set first_accepted_at = null where replayed',
    refusedBy: 'replay_has_time',
  },
  {
    statement: 'another amount than the item asked for',
    sql: WHOLE_ITEM.replaceAll('700, 200', '701, 200').replaceAll('900', '901'),
    caughtBy: ['B2'],
  },
  {
    statement: 'a finished bulk call that keeps its lease',
    sql: finish.replace(', lease_until = null', ''),
    refusedBy: 'leased_while_open',
  },
  {
    statement: 'a lease given up before the last item',
    sql: `update bulk_batches set lease_until = null where id = '${BATCH.waiting}'`,
    refusedBy: 'leased_while_open',
  },
  {
    statement: 'more accepted than has a result',
    sql: `update bulk_batches set accepted = 1 where id = '${BATCH.waiting}'`,
    refusedBy: 'counts_fit',
  },
  {
    statement: 'a bulk call answered before its items ran',
    sql: `update idempotency_keys set status = 200, body = object_id where object_id = '${BATCH.waiting}'`,
    caughtBy: ['ID6'],
  },
]

const CYCLES: readonly BrokenStatement[] = [
  { statement: 'a cycle half paid', sql: cyclePayout(0) + advance, caughtBy: ['S1'] },
  { statement: 'a schedule advanced without paying', sql: advance, caughtBy: ['S2'] },
  {
    statement: 'a cycle paid without advancing its schedule',
    sql: cyclePayout(0) + cyclePayout(1),
    caughtBy: ['S2'],
  },
  {
    statement: 'a cycle paid a second time',
    sql: WHOLE_CYCLE + cyclePayout(0, { cycle: `next_run_at - interval '1 day'`, id: 'pout_again' }),
    refusedBy: 'payouts_one_a_cycle',
  },
  {
    statement: 'a cycle that pays somebody else',
    sql: WHOLE_CYCLE.replace('256700000012', '256700000666'),
    caughtBy: ['S1'],
  },
  {
    statement: 'a cancelled schedule that would still run',
    sql: `update schedules set next_run_at = anchor_at where id = '${SCHEDULE.cancelled}'`,
    refusedBy: 'cancelled_runs_no_more',
  },
  {
    statement: 'a schedule that lost its next date',
    sql: `update schedules set next_run_at = null where id = '${SCHEDULE.daily}'`,
    refusedBy: 'cancelled_runs_no_more',
  },
  {
    statement: 'a reason of a schedule that runs',
    sql: `update schedules set failure_reason = 'late' where id = '${SCHEDULE.daily}'`,
    refusedBy: 'only_paused_has_reason',
  },
]

export const PAYING_MANY: readonly BrokenStatement[] = [...BULK, ...CYCLES]
