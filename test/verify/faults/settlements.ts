import { about, CHARGE, type Fault, LIVE_1, of, settlementOf } from '../names.ts'

const { held, aged, testPaid, testFailed } = CHARGE

export const SETTLEMENT_FAULTS: readonly Fault[] = [
  {
    id: 'C4',
    fault: 'a settled charge that names no settlement',
    sql: `update charges set settlement_id = null where ${of(aged)}`,
    names: aged,
  },
  {
    id: 'C4',
    fault: 'a settlement named before it is settled',
    sql: `update charges set settlement_id = 'setl_1' where ${of(held)}`,
    names: held,
  },
  {
    id: 'C4',
    fault: 'a settlement that is gone',
    sql: `delete from settlements where id = ${settlementOf(aged)}`,
    names: aged,
  },
  {
    id: 'C4',
    fault: 'a settlement of the other mode',
    sql: `update settlements set mode = 'test' where id = ${settlementOf(aged)}`,
    names: aged,
  },
  {
    id: 'C4',
    fault: 'a settlement of another moment',
    sql: `update charges set settled_at = settled_at + interval '1 hour' where ${of(aged)}`,
    names: aged,
  },
  {
    id: 'CH10',
    fault: 'a live charge settled in its hold',
    sql: `update charges set settled_at = completed_at where ${of(aged)}`,
    names: aged,
  },
  {
    id: 'CH10',
    fault: 'a failed charge that is settled',
    sql: `update charges set settled_at = completed_at, hold_until = completed_at where ${of(testFailed)}`,
    names: testFailed,
  },
  {
    id: 'CH10',
    fault: 'a settled charge that never had a hold',
    sql: `update charges set hold_until = null where ${of(testPaid)}`,
    names: testPaid,
  },
  ...[aged, testPaid].map((charge) => ({
    id: 'SE1',
    fault: `a settlement of another amount for ${charge}`,
    sql: `update settlements set amount = amount + 1, id = 'setl_more' where id = ${settlementOf(charge)};
      update charges set settlement_id = 'setl_more' where ${of(charge)}`,
    names: 'setl_more',
  })),
  {
    id: 'SE1',
    fault: 'a release without a settlement',
    sql: `update transfers set subject = 'setl_none' where kind = 'hold_release' and seq = 3 and ${LIVE_1}`,
    names: 'setl_none',
  },
  {
    id: 'SE1',
    fault: 'a release of another amount',
    sql: `update settlements set id = 'setl_less' where id = ${settlementOf(aged)};
      update transfers set subject = 'setl_less', amount = amount - 1 where kind = 'hold_release' and seq = 3 and ${LIVE_1};
      update charges set settlement_id = 'setl_less' where ${of(aged)}`,
    names: 'setl_less',
  },
  {
    id: 'SE1',
    fault: 'a charge settled at once whose net went to pending',
    sql: `update settlements set id = 'setl_held' where id = ${settlementOf(testPaid)};
      update charges set settlement_id = 'setl_held' where ${of(testPaid)};
      update transfers set credit = 'pending' where ${about(testPaid)} and kind = 'charge_net'`,
    names: 'setl_held',
  },
  {
    id: 'SE1',
    fault: 'a held charge whose net went to available',
    sql: `update transfers set credit = 'available' where ${about(held)} and kind = 'charge_net'`,
    names: held,
  },
  {
    id: 'SE1',
    fault: 'a settlement whose charges are gone',
    sql: `update charges set settlement_id = null where settlement_id = ${settlementOf(aged)}; insert into settlements values (1, 'setl_empty', 'live', 'sweep', null, 5, 1, '2026-03-10T08:00:00Z')`,
    names: 'setl_empty',
  },
  {
    id: 'SE1',
    fault: 'a release at another moment',
    sql: `update settlements set id = 'setl_late', created_at = created_at + interval '1 second' where id = ${settlementOf(aged)};
      update transfers set subject = 'setl_late' where kind = 'hold_release' and seq = 3 and ${LIVE_1};
      update charges set settlement_id = 'setl_late' where ${of(aged)}`,
    names: 'setl_late',
  },
  {
    id: 'SE2',
    fault: 'a settlement that counts one charge too many',
    sql: `update settlements set charge_count = 3, id = 'setl_three' where id = ${settlementOf(CHARGE.released)};
      update charges set settlement_id = 'setl_three' where id in ('${CHARGE.released}', '${CHARGE.releasedToo}')`,
    names: 'setl_three',
  },
]
