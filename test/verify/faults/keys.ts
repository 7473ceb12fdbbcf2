import { BATCH, CHARGE, DIRECT, type Fault, LIVE_1, of, PAYOUT, SCHEDULE, SUBACCOUNT } from '../names.ts'

const { held, testPaid } = CHARGE

export const KEY_FAULTS: readonly Fault[] = [
  {
    id: 'K1',
    fault: 'a key that runs for ever',
    sql: `update idempotency_keys set created_at = '2026-03-10T08:58:59Z' where status is null`,
    names: `key-${CHARGE.sending}`,
  },
  {
    id: 'K1',
    fault: 'a running key from before the clock stepped back',
    sql: `update idempotency_keys set created_at = '2026-03-10T10:00:00Z' where status is null`,
    names: `key-${CHARGE.sending}`,
  },
  {
    id: 'K1',
    fault: 'a bulk call that nobody has taken up',
    sql: `update idempotency_keys set created_at = '2026-03-10T08:58:59Z' where status is null;
      update bulk_batches set lease_until = '2026-03-10T08:59:29Z' where ${of(BATCH.waiting)}`,
    names: `key-${BATCH.waiting}`,
  },
  {
    id: 'K1',
    fault: 'a finished bulk call that was never answered',
    sql: `update idempotency_keys set status = null, body = null where object_id = '${BATCH.first}'`,
    names: `key-${BATCH.first}`,
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
  ...[
    ['payouts', PAYOUT.open],
    ['bulk_batches', BATCH.first],
    ['schedules', SCHEDULE.daily],
    ['subaccounts', SUBACCOUNT.farm],
  ].map(([table, id]) => ({
    id: 'ID6',
    fault: `a key of ${table} whose object is not there`,
    sql: `delete from ${table} where id = '${id}'`,
    names: `key-${id}`,
  })),
  ...[PAYOUT.open, BATCH.first, SCHEDULE.daily].map((id) => ({
    id: 'ID6',
    fault: `the key of ${id} in the other mode`,
    sql: `update idempotency_keys set mode = 'live' where object_id = '${id}'`,
    names: `key-${id}`,
  })),
  {
    id: 'ID6',
    fault: "a subaccount's key of another merchant",
    sql: `update idempotency_keys set merchant_id = 2 where object_id = '${SUBACCOUNT.farm}'`,
    names: `key-${SUBACCOUNT.farm}`,
  },
  {
    id: 'ID6',
    fault: 'a key of something unheard of',
    sql: `update idempotency_keys set object_id = 'lnk_1', body = 'lnk_1' where object_id = '${PAYOUT.open}'`,
    names: `key-${PAYOUT.open}`,
  },
  {
    id: 'ID6',
    fault: 'a payout taken back whose key shows it',
    sql: `update idempotency_keys set status = 201 where object_id = '${PAYOUT.refused}'`,
    names: `key-${PAYOUT.refused}`,
  },
  {
    id: 'ID6',
    fault: 'a payout taken back whose key still runs',
    sql: `update idempotency_keys set status = null, body = null where object_id = '${PAYOUT.refused}'`,
    names: `key-${PAYOUT.refused}`,
  },
  {
    id: 'ID6',
    fault: 'a payout that exists though its key says that it was refused',
    sql: `update idempotency_keys set status = 400 where object_id = '${PAYOUT.livePaid}'`,
    names: `key-${PAYOUT.livePaid}`,
  },
  {
    id: 'ID6',
    fault: 'a bulk call that came under another key',
    sql: `update bulk_batches set key = 'other' where ${of(BATCH.first)}`,
    names: `key-${BATCH.first}`,
  },
  ...[
    `delete from idempotency_keys where object_id = '${BATCH.waiting}'`,
    `update idempotency_keys set status = 200, body = object_id where object_id = '${BATCH.waiting}'`,
  ].map((sql) => ({
    id: 'ID6',
    fault: `an unfinished bulk call whose key does not run: ${sql.slice(0, 6)}`,
    sql,
    names: BATCH.waiting,
  })),
  ...[
    `delete from dispense_claims where ${of(DIRECT.delivered)}`,
    `update idempotency_keys set body = '{"charge_id":"txn_other"}' where object_id = '${DIRECT.delivered}'`,
    `update idempotency_keys set mode = 'live' where object_id = '${DIRECT.delivered}'`,
  ].map((sql) => ({
    id: 'ID6',
    fault: `a key of a direct dispense: ${sql}`,
    sql,
    names: `key-${DIRECT.delivered}`,
  })),
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
  {
    id: 'AK1',
    fault: 'a key revoked in the directory and open in its cell',
    sql: `insert into directory.api_keys (hash, merchant_id, id, kind, created_at, revoked_at)
        values (decode(repeat('ab', 32), 'hex'), 1, 'key_revoked', 'live', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
      insert into api_keys (merchant_id, id, kind, last4, ciphertext, created_at)
        values (1, 'key_revoked', 'live', 'abcd', 'x', '2026-01-01T00:00:00Z')`,
    names: 'key_revoked',
  },
]
