import { CHARGE, type Fault, LIVE_1, of } from '../names.ts'

const { held, testPaid } = CHARGE

export const KEY_FAULTS: readonly Fault[] = [
  {
    id: 'K1',
    fault: 'a key that runs for ever',
    sql: `update idempotency_keys set created_at = '2026-03-10T08:58:59Z' where status is null`,
    names: `key-${CHARGE.sending}`,
  },
  ...[401, 403, 413, 429, 500, 502, 503].map((status) => ({
    id: 'ID5',
    fault: `a key that keeps a ${status}`,
    sql: `update idempotency_keys set status = ${status} where key = 'key-refused'`,
    names: 'key-refused',
  })),
  {
    id: 'ID5',
    fault: 'a key with half an answer',
    sql: `update idempotency_keys set body = null where key = 'key-refused'`,
    names: 'key-refused',
  },
  {
    id: 'ID6',
    fault: 'a key of a charge that is not there',
    sql: `delete from charges where ${of(testPaid)}`,
    names: `key-${testPaid}`,
  },
  {
    id: 'ID6',
    fault: 'a key in the other mode',
    sql: `update idempotency_keys set mode = 'live' where object_id = '${testPaid}'`,
    names: `key-${testPaid}`,
  },
  {
    id: 'ID6',
    fault: 'a key of a charge that was taken back',
    sql: `update idempotency_keys set object_id = '${CHARGE.voided}', body = '${CHARGE.voided}' where object_id = '${held}'`,
    names: `key-${held}`,
  },
  {
    id: 'ID6',
    fault: 'two keys for one charge',
    sql: `insert into idempotency_keys select merchant_id, mode, 'key-again', fingerprint, object_id, status, body, created_at
      from idempotency_keys where object_id = '${testPaid}'`,
    names: `key-again key-${testPaid}`,
  },
  {
    id: 'ID6',
    fault: "a key with another charge's answer",
    sql: `update idempotency_keys set body = '{"id":"${held}"}' where object_id = '${testPaid}'`,
    names: `key-${testPaid}`,
  },
  {
    id: 'EX1',
    fault: 'an account paused by an exception that was never stored',
    sql: `update ledger_heads set payouts_paused_by = 'exc_none' where ${LIVE_1}`,
    names: 'merchant 1 live',
  },
  {
    id: 'EX1',
    fault: 'an account paused by an exception that is closed',
    sql: `update exceptions set closed_at = opened_at, note = 'done'`,
    names: 'merchant 2 live',
  },
  {
    id: 'EX1',
    fault: 'an account paused by a warning',
    sql: `update exceptions set severity = 'warning'`,
    names: 'merchant 2 live',
  },
  {
    id: 'EX1',
    fault: 'an account paused by an exception of the other mode',
    sql: `update ledger_heads set payouts_paused_by = (select min(id) from exceptions) where merchant_id = 2 and mode = 'test'`,
    names: 'merchant 2 test',
  },
  {
    id: 'EX2',
    fault: 'a pause lifted while an exception is open',
    sql: `update exceptions set id = 'exc_open' where kind = 'rail_mismatch'; update ledger_heads set payouts_paused_by = null`,
    names: 'exc_open',
  },
]
