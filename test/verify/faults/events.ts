import { about, CHARGE, eventOf, type Fault, of } from '../names.ts'

const { held, aged, testFailed } = CHARGE

export const EVENT_FAULTS: readonly Fault[] = [
  {
    id: 'E1',
    fault: 'a paid charge without its event',
    sql: `delete from events where ${about(held)}`,
    names: held,
  },
  {
    id: 'E1',
    fault: 'a failed charge without its event',
    sql: `delete from events where ${about(testFailed)}`,
    names: testFailed,
  },
  {
    id: 'E1',
    fault: 'an event told twice',
    sql: `insert into events select merchant_id, 'evt_again', mode, type, subject, 1, body, created_at from events where ${about(held)}`,
    names: held,
  },
  {
    id: 'E1',
    fault: 'an event of another moment',
    sql: `update events set created_at = created_at + interval '1 ms' where ${about(held)}`,
    names: held,
  },
  {
    id: 'E1',
    fault: 'a paid charge told as failed',
    sql: `update events set type = 'charge.failed' where ${about(held)}`,
    names: held,
  },
  {
    id: 'E1',
    fault: 'an event of an open charge',
    sql: `update events set subject = '${CHARGE.liveOpen}' where ${about(held)}`,
    names: CHARGE.liveOpen,
  },
  {
    id: 'E1',
    fault: 'a refund that nobody was told of',
    sql: `update charges set status = 'refunded', refunded_at = settled_at, refund_id = 'pout_1' where ${of(aged)}`,
    names: aged,
  },
  {
    id: 'EV3',
    fault: 'an event in the other mode',
    sql: `update events set mode = 'test', id = 'evt_mode' where ${about(held)}`,
    names: 'evt_mode',
  },
  {
    id: 'EV3',
    fault: "an event about another merchant's charge",
    sql: `update events set merchant_id = 2, id = 'evt_foreign' where ${about(held)}`,
    names: 'evt_foreign',
  },
  {
    id: 'EV3',
    fault: 'an event without its delivery',
    sql: `delete from deliveries where event_id = ${eventOf(held)}; update events set id = 'evt_silent' where ${about(held)}`,
    names: 'evt_silent',
  },
  ...[`event = 'charge.failed'`, `mode = 'test'`, 'merchant_id = 2'].map((other) => ({
    id: 'EV3',
    fault: `a delivery with ${other} that is not its event's`,
    sql: `update events set id = 'evt_other' where ${about(held)};
      update deliveries set event_id = 'evt_other', ${other} where not exists (select from events where id = event_id)`,
    names: 'evt_other',
  })),
  {
    id: 'EV5',
    fault: 'a delivery given up too early',
    sql: `update deliveries set attempts = 7, event_id = 'evt_early' where status = 'failed'`,
    names: 'evt_early',
  },
  {
    id: 'EV5',
    fault: 'a delivery claimed for ever',
    sql: `update deliveries set lease_until = '2026-03-10T08:54:59Z', event_id = 'evt_claimed' where lease_until is not null`,
    names: 'evt_claimed',
  },
]
