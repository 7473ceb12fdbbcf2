import { type Fault, of, SCHEDULE } from '../names.ts'

const { daily, live, cancelled, poor } = SCHEDULE
const CYCLE = `schedule_id = '${live}'`
const SECOND = `${CYCLE} and item_index = 1`

export const SCHEDULE_FAULTS: readonly Fault[] = [
  ...[
    ['a recipient left out', `delete from payouts where ${SECOND}`],
    [
      'a recipient paid twice',
      `update payouts set item_index = 0, recipient_phone = '256700000011' where ${SECOND}`,
    ],
    ['one recipient instead of another', `update payouts set item_index = 0 where ${SECOND}`],
    ['a recipient that is not listed', `update payouts set item_index = 2 where ${SECOND}`],
    [
      'a cycle paid in two commits',
      `update payouts set created_at = created_at + interval '1 ms' where ${SECOND}`,
    ],
    ['a cycle paid in both modes', `update payouts set mode = 'test' where ${SECOND}`],
    ['a cycle paid in the other mode', `update payouts set mode = 'test' where ${CYCLE}`],
    ['one recipient paid more', `update payouts set amount = amount + 1 where ${SECOND}`],
    ['all recipients paid more', `update payouts set amount = amount + 1 where ${CYCLE}`],
    ['somebody else paid', `update payouts set recipient_phone = '256700000666' where ${SECOND}`],
    ['a cycle of a schedule that is not there', `delete from schedules where ${of(live)}`],
    ['a cycle of another merchant', `update payouts set merchant_id = 2 where ${CYCLE}`],
    ['one cycle called two', `update payouts set cycle_at = cycle_at + interval '1 day' where ${SECOND}`],
  ].map(([fault, sql]) => ({ id: 'S1', fault: fault ?? '', sql: sql ?? '', names: live })),
  {
    id: 'S2',
    fault: 'a cycle that was passed over without paying',
    sql: `update schedules set last_run_at = created_at where ${of(poor)}`,
    names: poor,
  },
  {
    id: 'S2',
    fault: 'a cycle that the schedule does not know of',
    sql: `update schedules set last_run_at = created_at where ${of(daily)}`,
    names: daily,
  },
  {
    id: 'S2',
    fault: 'a cycle that will be paid again',
    sql: `update schedules set next_run_at = (select max(cycle_at) from payouts where schedule_id = '${daily}') where ${of(daily)}`,
    names: daily,
  },
  {
    id: 'S2',
    fault: 'a date before the first',
    sql: `update schedules set next_run_at = anchor_at - interval '1 day' where ${of(poor)}`,
    names: poor,
  },
  {
    id: 'SC5',
    fault: 'a cancelled schedule that would still run',
    sql: `update schedules set next_run_at = anchor_at where ${of(cancelled)}`,
    names: cancelled,
  },
  {
    id: 'SC5',
    fault: 'a schedule that will never run',
    sql: `update schedules set next_run_at = null where ${of(daily)}`,
    names: daily,
  },
  {
    id: 'SC5',
    fault: 'a cancellation without its time',
    sql: `update schedules set cancelled_at = null where ${of(cancelled)}`,
    names: cancelled,
  },
  {
    id: 'SC5',
    fault: 'a reason of a schedule that runs',
    sql: `update schedules set failure_reason = 'verification_required' where ${of(daily)}`,
    names: daily,
  },
]
