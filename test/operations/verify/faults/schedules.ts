import { type Fault, of, SCHEDULE } from '../names.ts'
import { change, plant, schedules } from '../planting.ts'

const { daily, live, cancelled, poor } = SCHEDULE
const set = (schedule: string, to: string) => change(schedules(schedule), to)
const CYCLE = `schedule_id = '${live}'`
const SECOND = `${CYCLE} and item_index = 1`

export const SCHEDULE_FAULTS: readonly Fault[] = [
  ...plant('S1', [
    [live, 'a recipient left out', `delete from payouts where ${SECOND}`],
    [
      live,
      'a recipient paid twice',
      `update payouts set item_index = 0, recipient_phone = '256700000011' where ${SECOND}`,
    ],
    [live, 'one recipient instead of another', `update payouts set item_index = 0 where ${SECOND}`],
    [live, 'a recipient that is not listed', `update payouts set item_index = 2 where ${SECOND}`],
    [
      live,
      'a cycle paid in two commits',
      `update payouts set created_at = created_at + interval '1 ms' where ${SECOND}`,
    ],
    [live, 'a cycle paid in both modes', `update payouts set mode = 'test' where ${SECOND}`],
    [live, 'a cycle paid in the other mode', `update payouts set mode = 'test' where ${CYCLE}`],
    [live, 'one recipient paid more', `update payouts set amount = amount + 1 where ${SECOND}`],
    [live, 'all recipients paid more', `update payouts set amount = amount + 1 where ${CYCLE}`],
    [live, 'somebody else paid', `update payouts set recipient_phone = '256700000666' where ${SECOND}`],
    [live, 'a cycle of a schedule that is not there', `delete from schedules where ${of(live)}`],
    [live, 'a cycle of another merchant', `update payouts set merchant_id = 2 where ${CYCLE}`],
    [live, 'one cycle called two', `update payouts set cycle_at = cycle_at + interval '1 day' where ${SECOND}`],
  ]),
  ...plant('S2', [
    [poor, 'a cycle that was passed over without paying', set(poor, 'last_run_at = created_at')],
    [daily, 'a cycle that the schedule does not know of', set(daily, 'last_run_at = created_at')],
    [
      daily,
      'a cycle that will be paid again',
      set(daily, `next_run_at = (select max(cycle_at) from payouts where schedule_id = '${daily}')`),
    ],
    [poor, 'a date before the first', set(poor, `next_run_at = anchor_at - interval '1 day'`)],
  ]),
  ...plant('SC5', [
    [cancelled, 'a cancelled schedule that would still run', set(cancelled, 'next_run_at = anchor_at')],
    [daily, 'a schedule that will never run', set(daily, 'next_run_at = null')],
    [cancelled, 'a cancellation without its time', set(cancelled, 'cancelled_at = null')],
    [daily, 'a reason of a schedule that runs', set(daily, `failure_reason = 'verification_required'`)],
  ]),
]
