import { about, CHARGE, eventOf, type Fault, PAYOUT, REFUNDED } from '../names.ts'
import { change, charges, copy, each, events, plant, remove } from '../planting.ts'

const { held, aged, testFailed } = CHARGE

export const EVENT_FAULTS: readonly Fault[] = [
  ...plant('E1', [
    [held, 'a paid charge without its event', remove(events(held))],
    [testFailed, 'a failed charge without its event', remove(events(testFailed))],
    [held, 'an event told twice', copy(events(held), { id: 'evt_again', occurrence: 1 })],
    [held, 'an event of another moment', change(events(held), `created_at = created_at + interval '1 ms'`)],
    [held, 'a paid charge told as failed', change(events(held), `type = 'charge.failed'`)],
    [CHARGE.liveOpen, 'an event of an open charge', change(events(held), `subject = '${CHARGE.liveOpen}'`)],
    [
      aged,
      'a refund that nobody was told of',
      change(charges(aged), `status = 'refunded', refunded_at = settled_at, refund_id = 'pout_1'`),
    ],
    ...each([PAYOUT.paid, PAYOUT.unpaid, PAYOUT.rejected, PAYOUT.subUnpaid, REFUNDED.paid], (subject) => [
      subject,
      `the end of ${subject} untold`,
      remove(events(subject)),
    ]),
    [PAYOUT.paid, 'a paid payout told as failed', change(events(PAYOUT.paid), `type = 'payout.failed'`)],
    [
      PAYOUT.livePaid,
      "a payout's event of another moment",
      change(events(PAYOUT.livePaid), `created_at = created_at + interval '5 ms'`),
    ],
    [PAYOUT.paid, "a payout's event told twice", copy(events(PAYOUT.paid), { id: 'evt_again', occurrence: 1 })],
    ...each([PAYOUT.open, PAYOUT.voided], (payout) => [
      payout,
      `an event of ${payout}, which nobody may hear of`,
      change(events(PAYOUT.paid), `subject = '${payout}'`),
    ]),
  ]),
  ...plant('EV3', [
    ...each([`mode = 'live'`, 'merchant_id = 2'], (other) => [
      'evt_payout',
      `a payout's event with ${other}`,
      `update deliveries set ${other}, event_id = 'evt_payout' where event_id = ${eventOf(PAYOUT.paid)};
      update events set ${other}, id = 'evt_payout' where ${about(PAYOUT.paid)}`,
    ]),
    ['evt_mode', 'an event in the other mode', change(events(aged), `mode = 'test', id = 'evt_mode'`)],
    [
      'evt_foreign',
      "an event about another merchant's charge",
      change(events(aged), `merchant_id = 2, id = 'evt_foreign'`),
    ],
    [
      'evt_silent',
      'an event without its delivery',
      `delete from deliveries where event_id = ${eventOf(held)}; update events set id = 'evt_silent' where ${about(held)}`,
    ],
    ...each([`event = 'charge.failed'`, `mode = 'test'`, 'merchant_id = 2'], (other) => [
      'evt_other',
      `a delivery with ${other} that is not its event's`,
      `update events set id = 'evt_other' where ${about(held)};
      update deliveries set event_id = 'evt_other', ${other} where not exists (select from events where id = event_id)`,
    ]),
  ]),
  ...plant('EV10', [
    [
      'evt_early',
      'a delivery given up too early',
      `update deliveries set attempts = 7, event_id = 'evt_early' where status = 'failed'`,
    ],
    [
      'evt_early',
      'a delivery to a further address given up too early',
      `update address_deliveries set attempts = 7, status = 'failed', delivered_at = null, event_id = 'evt_early'`,
    ],
  ]),
  ...plant('EV5', [
    [
      'evt_claimed',
      'a delivery claimed for ever',
      `update deliveries set lease_until = '2026-03-10T08:54:59Z', event_id = 'evt_claimed' where lease_until is not null`,
    ],
    [
      'evt_claimed',
      'a delivery to a further address claimed for ever',
      `update address_deliveries set lease_until = '2026-03-10T08:54:59Z', event_id = 'evt_claimed'`,
    ],
  ]),
  ...plant('EV11', [
    ['evt_astray', 'a delivery of no event', `update address_deliveries set event_id = 'evt_astray'`],
    ...each([`address_id = 'wha_none'`, 'delivered_at = null'], (other) => [
      'evt_ping',
      `a delivery to a further address with ${other}`,
      `update address_deliveries set event_id = 'evt_ping', ${other};
      update events set id = 'evt_ping' where subject = 'ping_1'`,
    ]),
  ]),
  ...plant('EV7', [
    ...each([held, PAYOUT.paid], (subject) => [
      'evt_changed',
      `what was told of ${subject} changed`,
      `update events set id = 'evt_changed', body = replace(body, '"amount":', '"amount":1') where ${about(subject)}`,
    ]),
  ]),
]
