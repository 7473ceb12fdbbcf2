import { createHash } from 'node:crypto'
import { BATCH, CHARGE, DIRECT, type Fault, KEY, LIVE_1, of, PAYOUT, SCHEDULE, SUBACCOUNT } from '../names.ts'
import {
  batches,
  change,
  charges,
  claims,
  copy,
  each,
  keys,
  payouts,
  plant,
  remove,
  schedules,
  subaccounts,
} from '../planting.ts'

const { held, testPaid } = CHARGE
// The key of a refusal made nothing: it is named by its digest.
const UNNAMED = `key ${createHash('sha256').update('key-refused').digest('hex').slice(0, 16)}`

export const KEY_FAULTS: readonly Fault[] = [
  ...plant('K1', [
    [
      CHARGE.sending,
      'a live charge that is hidden for ever',
      change(charges(CHARGE.sending), `created_at = '2026-03-10T08:58:59Z'`),
    ],
    [
      CHARGE.sending,
      'a hidden charge from before the clock stepped back',
      change(charges(CHARGE.sending), `created_at = '2026-03-10T10:00:00Z'`),
    ],
    [
      held,
      'a key that runs for ever',
      change(keys(held), `status = null, body = null, created_at = '2026-03-10T08:58:59Z'`),
    ],
    [
      held,
      'a running key from before the clock stepped back',
      change(keys(held), `status = null, body = null, created_at = '2026-03-10T10:00:00Z'`),
    ],
    [
      BATCH.waiting,
      'a bulk call that nobody has taken up',
      `update idempotency_keys set created_at = '2026-03-10T08:58:59Z' where status is null;
      update bulk_batches set lease_until = '2026-03-10T08:59:29Z' where ${of(BATCH.waiting)}`,
    ],
    [
      BATCH.first,
      'a finished bulk call that was never answered',
      change(keys(BATCH.first), 'status = null, body = null'),
    ],
  ]),
  ...plant('ID5', [
    ...each([401, 403, 413, 429, 500, 502, 503], (status) => [
      UNNAMED,
      `a key that keeps a ${status}`,
      `update idempotency_keys set status = ${status} where key = 'key-refused'`,
    ]),
    [UNNAMED, 'a key with half an answer', `update idempotency_keys set body = null where key = 'key-refused'`],
  ]),
  ...plant('ID6', [
    [testPaid, 'a key of a charge that is not there', remove(charges(testPaid))],
    [testPaid, 'a key in the other mode', change(keys(testPaid), `mode = 'live'`)],
    [
      CHARGE.voided,
      'a key of a charge that was taken back',
      change(keys(held), `object_id = '${CHARGE.voided}', body = '${CHARGE.voided}'`),
    ],
    [testPaid, 'two keys for one charge', copy(keys(testPaid), { key: 'key-again' })],
    [testPaid, "a key with another charge's answer", change(keys(testPaid), `body = '{"id":"${held}"}'`)],
    [PAYOUT.open, 'a key of payouts whose object is not there', remove(payouts(PAYOUT.open))],
    [BATCH.first, 'a key of bulk_batches whose object is not there', remove(batches(BATCH.first))],
    [SCHEDULE.daily, 'a key of schedules whose object is not there', remove(schedules(SCHEDULE.daily))],
    [SUBACCOUNT.farm, 'a key of subaccounts whose object is not there', remove(subaccounts(SUBACCOUNT.farm))],
    ...each([PAYOUT.open, BATCH.first, SCHEDULE.daily], (id) => [
      id,
      `the key of ${id} in the other mode`,
      change(keys(id), `mode = 'live'`),
    ]),
    [SUBACCOUNT.farm, "a subaccount's key of another merchant", change(keys(SUBACCOUNT.farm), 'merchant_id = 2')],
    ['lnk_1', 'a key of something unheard of', change(keys(PAYOUT.open), `object_id = 'lnk_1', body = 'lnk_1'`)],
    [PAYOUT.refused, 'a payout taken back whose key shows it', change(keys(PAYOUT.refused), 'status = 201')],
    [
      PAYOUT.refused,
      'a payout taken back whose key still runs',
      change(keys(PAYOUT.refused), 'status = null, body = null'),
    ],
    [
      PAYOUT.livePaid,
      'a payout that exists though its key says that it was refused',
      change(keys(PAYOUT.livePaid), 'status = 400'),
    ],
    [BATCH.first, 'a bulk call that came under another key', change(batches(BATCH.first), `key = 'other'`)],
    ...each([remove(keys(BATCH.waiting)), change(keys(BATCH.waiting), 'status = 200, body = object_id')], (sql) => [
      BATCH.waiting,
      `an unfinished bulk call whose key does not run: ${sql.slice(0, 6)}`,
      sql,
    ]),
    ...each(
      [
        remove(claims(DIRECT.delivered)),
        change(keys(DIRECT.delivered), `body = '{"charge_id":"txn_other"}'`),
        change(keys(DIRECT.delivered), `mode = 'live'`),
      ],
      (sql) => [DIRECT.delivered, `a key of a direct dispense: ${sql}`, sql],
    ),
  ]),
  ...plant('EX1', [
    [
      'merchant 1 live',
      'an account paused by an exception that was never stored',
      `update ledger_heads set payouts_paused_by = 'exc_none' where ${LIVE_1}`,
    ],
    [
      'merchant 2 live',
      'an account paused by an exception that is closed',
      `update exceptions set closed_at = opened_at, note = 'done'`,
    ],
    ['merchant 2 live', 'an account paused by a warning', `update exceptions set severity = 'warning'`],
    [
      'merchant 2 test',
      'an account paused by an exception of the other mode',
      `update ledger_heads set payouts_paused_by = (select min(id) from exceptions) where merchant_id = 2 and mode = 'test'`,
    ],
  ]),
  ...plant('EX2', [
    [
      'exc_open',
      'a pause lifted while an exception is open',
      `update exceptions set id = 'exc_open' where kind = 'mismatch'; update ledger_heads set payouts_paused_by = null`,
    ],
  ]),
  ...plant('AK1', [
    [
      KEY.ended,
      'a key revoked in the directory and open in its cell',
      `insert into api_keys (merchant_id, id, kind, last4, ciphertext, created_at)
      select merchant_id, id, kind, 'abcd', 'x', created_at from directory.api_keys where id = '${KEY.ended}'`,
    ],
  ]),
]
