import { CHARGE, eventOf, type Fault, of, PAYOUT, SCHEDULE, SPLIT } from '../names.ts'
import { change, charges, each, payouts, plant, schedules } from '../planting.ts'

const PAST = `'2026-03-10T05:59:59Z'`

const PARKED = `update deliveries set event_id = 'evt_parked', status = 'pending', next_attempt_at = null, delivered_at = null
  where event_id = ${eventOf(CHARGE.held)}`

export const OVERDUE_FAULTS: readonly Fault[] = [
  ...plant('OV1', [
    [CHARGE.held, 'a hold that was over long ago', change(charges(CHARGE.held), `hold_until = ${PAST}`)],
    [
      SPLIT.held,
      'a share whose hold was over long ago',
      `update charge_shares set settled_at = null, settlement_id = null, reversed = false, hold_until = ${PAST}
      where charge_id = '${SPLIT.held}'`,
    ],
  ]),
  ...plant('OV2', [
    ...each([SCHEDULE.daily, SCHEDULE.live], (id) => [
      id,
      `a date of ${id} that passed and was not worked`,
      change(schedules(id), `next_run_at = ${PAST}, status = 'active'`),
    ]),
  ]),
  ...plant('OV3', [
    ['evt_parked', 'an event that waits for an address that is there', PARKED],
    [
      'evt_parked',
      'an event that still waits an hour after the address came',
      `${PARKED}; update merchants set webhook_changed_at = '2026-03-10T07:59:59Z'`,
    ],
    [
      'evt_due',
      'an event that is due without an address',
      `update merchants set webhook_url = null;
      update deliveries set event_id = 'evt_due', status = 'pending', next_attempt_at = created_at, delivered_at = null
      where event_id = ${eventOf(CHARGE.held)}`,
    ],
  ]),
  ...plant('OV4', [
    ...each([CHARGE.liveOpen, CHARGE.testOpen], (charge) => [
      charge,
      `${charge} that nobody has asked about for hours`,
      change(charges(charge), `follow_at = ${PAST}`),
    ]),
    ...each([PAYOUT.open, PAYOUT.inDoubt, PAYOUT.sending], (payout) => [
      payout,
      `${payout} that nobody has sent or asked about for hours`,
      change(payouts(payout), `follow_at = ${PAST}`),
    ]),
    [
      PAYOUT.inDoubt,
      'a payout in doubt that a freeze keeps from being asked about',
      `update payouts set follow_at = ${PAST} where ${of(PAYOUT.inDoubt)};
      update payout_stops set frozen_for = 'planted'`,
    ],
    [
      PAYOUT.approved,
      'a queued payout of an account that may pay',
      change(payouts(PAYOUT.approved), `follow_at = ${PAST}, in_queue = true`),
    ],
  ]),
]
