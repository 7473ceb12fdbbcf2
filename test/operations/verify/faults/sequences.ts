import type { Fault } from '../names.ts'
import { each, plant } from '../planting.ts'

const SECOND = `sequence = 2 and event = 'test.ping'`

export const SEQUENCE_FAULTS: readonly Fault[] = [
  ...plant('SQ1', [
    ['numbers 1 to 3 of 2 events', 'a gap between two numbers', `update event_seals set sequence = 3 where ${SECOND}`],
    ['numbers 2 to 2 of 1 events', 'the first number missing', `delete from event_seals where sequence = 1`],
  ]),
  ...plant('SQ2', [
    ...each([`event = 'charge.failed'`, `mode = 'test'`, 'merchant_id = 2'], (other) => [
      'evt_other',
      `a number with ${other} that is not its event's`,
      `update events set id = 'evt_other' where subject = 'ping_2';
      update event_seals set event_id = 'evt_other', ${other} where ${SECOND}`,
    ]),
    ['evt_none', 'a number of no event', `update event_seals set event_id = 'evt_none' where ${SECOND}`],
  ]),
  ...plant('SQ3', [
    [
      'evt_left_out',
      'an event that was left out',
      `delete from event_seals where ${SECOND}; update event_seal_mark set snapshot = '20:20:';
      update events set id = 'evt_left_out', written_in = '10' where subject = 'ping_2'`,
    ],
  ]),
]
