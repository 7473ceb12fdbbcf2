import {
  APPROVAL,
  BATCH,
  CHARGE,
  DIRECT,
  eventOf,
  type Fault,
  LINK,
  ORDER,
  PAYOUT,
  PREPARED,
  SCHEDULE,
  SPLIT,
  STANDING_ORDER,
  TOP_UP,
} from '../names.ts'
import {
  approvals,
  batches,
  change,
  charges,
  claims,
  each,
  keys,
  orders,
  payouts,
  plant,
  prepared,
  schedules,
  standingOrders,
  topUps,
} from '../planting.ts'

const FAR = `'2099-01-01T00:00:00Z'`
const TOMORROW = `'2026-03-11T12:00:00Z'`

export const TIME_FAULTS: readonly Fault[] = [
  ...plant('TI1', [
    [PAYOUT.approved, 'a queued payout that is never sent', change(payouts(PAYOUT.approved), `follow_at = ${FAR}`)],
    [
      PAYOUT.inDoubt,
      'a payout in doubt that nobody asks about for a week',
      change(payouts(PAYOUT.inDoubt), `follow_at = '2026-03-17T09:00:00Z'`),
    ],
    [CHARGE.liveOpen, 'an open charge that nobody asks about', change(charges(CHARGE.liveOpen), `follow_at = ${FAR}`)],
    [CHARGE.testOpen, 'a test charge that never ends', change(charges(CHARGE.testOpen), `follow_at = ${FAR}`)],
    [TOP_UP.open, 'a top-up that nobody asks about', change(topUps(TOP_UP.open), `follow_at = ${FAR}`)],
  ]),
  ...plant('TI2', [
    [CHARGE.held, 'money that is never released', change(charges(CHARGE.held), `hold_until = ${FAR}`)],
    [
      CHARGE.held,
      'a hold a day longer than its event said',
      change(charges(CHARGE.held), `hold_until = hold_until + interval '1 day'`),
    ],
    [
      CHARGE.released,
      'a hold that was over before the payment',
      change(charges(CHARGE.released), `hold_until = completed_at - interval '1 ms'`),
    ],
    [CHARGE.movedClock, 'a test hold beyond any test clock', change(charges(CHARGE.movedClock), `hold_until = ${FAR}`)],
    [
      SPLIT.held,
      'a share that is held for longer than its charge',
      `update charge_shares set hold_until = ${FAR} where charge_id = '${SPLIT.held}'`,
    ],
  ]),
  ...plant('TI3', [
    ...each([SCHEDULE.live, SCHEDULE.daily], (id) => [
      id,
      `${id} that never runs again`,
      change(schedules(id), `next_run_at = ${FAR}`),
    ]),
    [
      SCHEDULE.daily,
      'a daily schedule that runs in a week',
      change(schedules(SCHEDULE.daily), `next_run_at = next_run_at + interval '7 days'`),
    ],
    [
      SCHEDULE.poor,
      'a first date that nobody chose',
      change(schedules(SCHEDULE.poor), `next_run_at = ${FAR}, anchor_at = ${FAR}`),
    ],
    [
      STANDING_ORDER,
      'a standing order that never runs again',
      change(standingOrders(STANDING_ORDER), `due_at = ${FAR}, try_at = ${FAR}`),
    ],
  ]),
  ...plant('TI4', [
    [BATCH.waiting, 'a bulk call that somebody holds for ever', change(batches(BATCH.waiting), `lease_until = ${FAR}`)],
    [
      'evt_late',
      'a delivery that is never sent',
      `update deliveries set event_id = 'evt_late', next_attempt_at = ${FAR}
      where status = 'pending' and lease_until is null and event_id = ${eventOf(CHARGE.held)}`,
    ],
    [
      'evt_kept',
      'a delivery that somebody holds for ever',
      `update deliveries set event_id = 'evt_kept', lease_until = ${FAR} where lease_until is not null`,
    ],
    [DIRECT.open, 'a dispense that somebody holds for ever', change(claims(DIRECT.open), `lease_until = ${FAR}`)],
    [
      ORDER.jammed,
      'a refund of a jam that is never made',
      change(orders(ORDER.jammed), `refund_due_at = ${FAR}, refund_until = ${FAR}`),
    ],
  ]),
  ...plant('TI5', [
    [
      'merchant 1 live',
      'a month closed ahead',
      `update ledger_heads set closed_until = ${FAR} where merchant_id = 1 and mode = 'live'`,
    ],
    [
      'merchant 2 live',
      'a freeze of many years',
      `update ledger_heads set payouts_frozen_until = ${FAR} where merchant_id = 2 and mode = 'live'`,
    ],
    [
      LINK.paid,
      'a voucher box that stays closed',
      `insert into voucher_misses (merchant_id, link_id, misses, since, closed_until) values (1, '${LINK.paid}', 20, '2026-03-10T08:00:00Z', ${FAR})`,
    ],
    [
      PREPARED.waiting,
      'a prepared payout that waits for ever',
      change(prepared(PREPARED.waiting), `expires_at = ${FAR}`),
    ],
    [APPROVAL.waiting, 'an approval that waits for ever', change(approvals(APPROVAL.waiting), `expires_at = ${FAR}`)],
    [
      'the rule of the second person of merchant 3',
      'a weaker rule that never comes',
      `update checker_rules set next_from = ${FAR}`,
    ],
  ]),
  ...plant('TI6', [
    [CHARGE.testPaid, 'a key that is never pruned', change(keys(CHARGE.testPaid), `created_at = ${FAR}`)],
    [CHARGE.held, 'a charge made tomorrow', change(charges(CHARGE.held), `created_at = ${TOMORROW}`)],
    [CHARGE.held, 'a charge paid tomorrow', change(charges(CHARGE.held), `completed_at = ${TOMORROW}`)],
    [PAYOUT.paid, 'a payout paid tomorrow', change(payouts(PAYOUT.paid), `completed_at = ${TOMORROW}`)],
    [TOP_UP.paid, 'a top-up paid tomorrow', change(topUps(TOP_UP.paid), `completed_at = ${TOMORROW}`)],
    [SCHEDULE.daily, 'a schedule that ran tomorrow', change(schedules(SCHEDULE.daily), `last_run_at = ${TOMORROW}`)],
    [BATCH.first, 'a bulk call of tomorrow', change(batches(BATCH.first), `created_at = ${TOMORROW}`)],
    [
      PAYOUT.rejected,
      'a withdrawal decided tomorrow',
      `update withdrawals set decided_at = ${TOMORROW} where id = '${PAYOUT.rejected}'`,
    ],
    [
      PREPARED.rejected,
      'a prepared payout decided tomorrow',
      change(prepared(PREPARED.rejected), `decided_at = ${TOMORROW}`),
    ],
    [
      APPROVAL.rejected,
      'an approval decided tomorrow',
      change(approvals(APPROVAL.rejected), `decided_at = ${TOMORROW}`),
    ],
    [STANDING_ORDER, 'a standing order that ran tomorrow', `update standing_order_runs set ran_at = ${TOMORROW}`],
  ]),
]
