import { about, CHARGE, eventOf, type Fault, of, PAYOUT, REFUNDED } from '../names.ts'

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
  ...[PAYOUT.paid, PAYOUT.unpaid, PAYOUT.rejected, PAYOUT.subUnpaid, REFUNDED.paid].map((subject) => ({
    id: 'E1',
    fault: `the end of ${subject} untold`,
    sql: `delete from events where ${about(subject)}`,
    names: subject,
  })),
  {
    id: 'E1',
    fault: 'a paid payout told as failed',
    sql: `update events set type = 'payout.failed' where ${about(PAYOUT.paid)}`,
    names: PAYOUT.paid,
  },
  {
    id: 'E1',
    fault: "a payout's event of another moment",
    sql: `update events set created_at = created_at + interval '5 ms' where ${about(PAYOUT.livePaid)}`,
    names: PAYOUT.livePaid,
  },
  {
    id: 'E1',
    fault: "a payout's event told twice",
    sql: `insert into events select merchant_id, 'evt_again', mode, type, subject, 1, body, created_at from events where ${about(PAYOUT.paid)}`,
    names: PAYOUT.paid,
  },
  ...[PAYOUT.open, PAYOUT.voided].map((payout) => ({
    id: 'E1',
    fault: `an event of ${payout}, which nobody may hear of`,
    sql: `update events set subject = '${payout}' where ${about(PAYOUT.paid)}`,
    names: payout,
  })),
  ...[`mode = 'live'`, 'merchant_id = 2'].map((other) => ({
    id: 'EV3',
    fault: `a payout's event with ${other}`,
    sql: `update deliveries set ${other}, event_id = 'evt_payout' where event_id = ${eventOf(PAYOUT.paid)};
      update events set ${other}, id = 'evt_payout' where ${about(PAYOUT.paid)}`,
    names: 'evt_payout',
  })),
  {
    id: 'EV3',
    fault: 'an event in the other mode',
    sql: `update events set mode = 'test', id = 'evt_mode' where ${about(aged)}`,
    names: 'evt_mode',
  },
  {
    id: 'EV3',
    fault: "an event about another merchant's charge",
    sql: `update events set merchant_id = 2, id = 'evt_foreign' where ${about(aged)}`,
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
