import { CHARGE, eventOf, type Fault, of, PAYOUT, SCHEDULE, SPLIT } from '../names.ts'

const PAST = `'2026-03-10T05:59:59Z'`

const PARKED = `update deliveries set event_id = 'evt_parked', status = 'pending', next_attempt_at = null, delivered_at = null
  where event_id = ${eventOf(CHARGE.held)}`

export const OVERDUE_FAULTS: readonly Fault[] = [
  {
    id: 'OV1',
    fault: 'a hold that was over long ago',
    sql: `update charges set hold_until = ${PAST} where ${of(CHARGE.held)}`,
    names: CHARGE.held,
  },
  {
    id: 'OV1',
    fault: 'a share whose hold was over long ago',
    sql: `update charge_shares set settled_at = null, settlement_id = null, reversed = false, hold_until = ${PAST}
      where charge_id = '${SPLIT.held}'`,
    names: SPLIT.held,
  },
  ...[SCHEDULE.daily, SCHEDULE.live].map((id) => ({
    id: 'OV2',
    fault: `a date of ${id} that passed and was not worked`,
    sql: `update schedules set next_run_at = ${PAST}, status = 'active' where ${of(id)}`,
    names: id,
  })),
  {
    id: 'OV3',
    fault: 'an event that waits for an address that is there',
    sql: PARKED,
    names: 'evt_parked',
  },
  {
    id: 'OV3',
    fault: 'an event that still waits an hour after the address came',
    sql: `${PARKED}; update merchants set webhook_changed_at = '2026-03-10T07:59:59Z'`,
    names: 'evt_parked',
  },
  {
    id: 'OV3',
    fault: 'an event that is due without an address',
    sql: `update merchants set webhook_url = null;
      update deliveries set event_id = 'evt_due', status = 'pending', next_attempt_at = created_at, delivered_at = null
      where event_id = ${eventOf(CHARGE.held)}`,
    names: 'evt_due',
  },
  ...[CHARGE.liveOpen, CHARGE.testOpen].map((charge) => ({
    id: 'OV4',
    fault: `${charge} that nobody has asked about for hours`,
    sql: `update charges set follow_at = ${PAST} where ${of(charge)}`,
    names: charge,
  })),
  ...[PAYOUT.open, PAYOUT.inDoubt, PAYOUT.sending].map((payout) => ({
    id: 'OV4',
    fault: `${payout} that nobody has sent or asked about for hours`,
    sql: `update payouts set follow_at = ${PAST} where ${of(payout)}`,
    names: payout,
  })),
  {
    id: 'OV4',
    fault: 'a payout in doubt that a freeze keeps from being asked about',
    sql: `update payouts set follow_at = ${PAST} where ${of(PAYOUT.inDoubt)};
      update payout_stops set frozen_for = 'planted'`,
    names: PAYOUT.inDoubt,
  },
  {
    id: 'OV4',
    fault: 'a queued payout of an account that may pay',
    sql: `update payouts set follow_at = ${PAST}, in_queue = true where ${of(PAYOUT.approved)}`,
    names: PAYOUT.approved,
  },
]
