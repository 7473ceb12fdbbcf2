import { about, CHARGE, type Fault, LIVE_1, of, settlementOf } from '../names.ts'
import { change, charges, each, plant, transfers } from '../planting.ts'

const { held, aged, testPaid, testFailed } = CHARGE

export const SETTLEMENT_FAULTS: readonly Fault[] = [
  ...plant('C4', [
    [aged, 'a settled charge that names no settlement', change(charges(aged), 'settlement_id = null')],
    [held, 'a settlement named before it is settled', change(charges(held), `settlement_id = 'setl_1'`)],
    [aged, 'a settlement that is gone', `delete from settlements where id = ${settlementOf(aged)}`],
    [aged, 'a settlement of the other mode', `update settlements set mode = 'test' where id = ${settlementOf(aged)}`],
    [aged, 'a settlement of another moment', change(charges(aged), `settled_at = settled_at + interval '1 hour'`)],
  ]),
  ...plant('CH10', [
    [aged, 'a live charge settled in its hold', change(charges(aged), 'settled_at = completed_at')],
    [
      testFailed,
      'a failed charge that is settled',
      change(charges(testFailed), 'settled_at = completed_at, hold_until = completed_at'),
    ],
    [testPaid, 'a settled charge that never had a hold', change(charges(testPaid), 'hold_until = null')],
  ]),
  ...plant('SE1', [
    ...each([aged, testPaid], (charge) => [
      'setl_more',
      `a settlement of another amount for ${charge}`,
      `update settlements set amount = amount + 1, id = 'setl_more' where id = ${settlementOf(charge)};
      update charges set settlement_id = 'setl_more' where ${of(charge)}`,
    ]),
    [
      'setl_none',
      'a release without a settlement',
      `update transfers set subject = 'setl_none' where kind = 'hold_release' and seq = 3 and ${LIVE_1}`,
    ],
    [
      'setl_less',
      'a release of another amount',
      `update settlements set id = 'setl_less' where id = ${settlementOf(aged)};
      update transfers set subject = 'setl_less', amount = amount - 1 where kind = 'hold_release' and seq = 3 and ${LIVE_1};
      update charges set settlement_id = 'setl_less' where ${of(aged)}`,
    ],
    [
      'setl_held',
      'a charge settled at once whose net went to pending',
      `update settlements set id = 'setl_held' where id = ${settlementOf(testPaid)};
      update charges set settlement_id = 'setl_held' where ${of(testPaid)};
      update transfers set credit = 'pending' where ${about(testPaid)} and kind = 'charge_net'`,
    ],
    [held, 'a held charge whose net went to available', change(transfers(held, 'charge_net'), `credit = 'available'`)],
    [
      'setl_empty',
      'a settlement whose charges are gone',
      `update charges set settlement_id = null where settlement_id = ${settlementOf(aged)}; insert into settlements values (1, 'setl_empty', 'live', 'sweep', null, 5, 1, '2026-03-10T08:00:00Z')`,
    ],
    [
      'setl_late',
      'a release at another moment',
      `update settlements set id = 'setl_late', created_at = created_at + interval '1 second' where id = ${settlementOf(aged)};
      update transfers set subject = 'setl_late' where kind = 'hold_release' and seq = 3 and ${LIVE_1};
      update charges set settlement_id = 'setl_late' where ${of(aged)}`,
    ],
  ]),
  ...plant('SE2', [
    [
      'setl_three',
      'a settlement that counts one charge too many',
      `update settlements set charge_count = 3, id = 'setl_three' where id = ${settlementOf(CHARGE.released)};
      update charges set settlement_id = 'setl_three' where id in ('${CHARGE.released}', '${CHARGE.releasedToo}')`,
    ],
  ]),
]
