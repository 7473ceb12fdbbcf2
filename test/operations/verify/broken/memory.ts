import { LIVE_1 } from '../names.ts'
import { AT, type BrokenStatement, delivery, deliveryOf, event, eventAt, fee, head, move, net } from './success.ts'

const keyValues = (values: string) =>
  `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, status, body, created_at)
   values (1, 'test', ${values}, ${AT})`
const print = `sha256('x'::bytea)`

export const MEMORY: readonly BrokenStatement[] = [
  {
    statement: 'an event in a second transaction',
    sql: move + head + net + fee + eventAt(`${AT} + interval '5 ms'`) + delivery,
    caughtBy: ['E1'],
  },
  { statement: 'an event forgotten', sql: move + head + net + fee, caughtBy: ['E1'] },
  { statement: 'a delivery forgotten', sql: move + head + net + fee + event, caughtBy: ['EV3'] },
  {
    statement: 'an event told twice',
    sql: event + event.replace('evt_1', 'evt_2'),
    refusedBy: 'events_once',
  },
  {
    statement: 'an event told to another merchant',
    sql: move + head + net + fee + eventAt(AT, 2) + deliveryOf(2),
    caughtBy: ['E1', 'EV3'],
  },
  {
    statement: 'a delivery given up too early',
    sql: `update deliveries set status = 'failed', attempts = 3, next_attempt_at = null where status = 'pending' and lease_until is null`,
    refusedBy: 'gave_up_after_eight',
  },
  {
    statement: 'a delivery claimed without a token',
    sql: `update deliveries set lease_until = ${AT} where status = 'pending' and lease_until is null`,
    refusedBy: 'lease_is_whole',
  },
  {
    statement: 'a delivery sent that is still claimed',
    sql: `update deliveries set status = 'sent', delivered_at = ${AT}, next_attempt_at = null where lease_until is not null`,
    refusedBy: 'final_is_quiet',
  },
  {
    statement: 'a key that keeps a 503',
    sql: keyValues(`'key-1', ${print}, null, 503, '{}'`),
    refusedBy: 'idempotency_keys_status_check',
  },
  {
    statement: 'a key that keeps half an answer',
    sql: keyValues(`'key-1', ${print}, null, 400, null`),
    refusedBy: 'answered_whole',
  },
  {
    statement: 'a key used a second time',
    sql: keyValues(`'key-refused', ${print}, null, null, null`),
    refusedBy: 'idempotency_keys_pkey',
  },
  {
    statement: 'a key that ran away from its charge',
    sql: keyValues(`'key-1', ${print}, 'txn_gone', 201, '{"id":"txn_gone"}'`),
    caughtBy: ['ID6'],
  },
  {
    statement: 'a pause by an exception that was never stored',
    sql: `update ledger_heads set payouts_paused_by = 'exc_none' where ${LIVE_1}`,
    caughtBy: ['EX1'],
  },
  {
    statement: 'an exception closed without lifting its pause',
    sql: `update exceptions set closed_at = ${AT}, note = 'done' where closed_at is null`,
    caughtBy: ['EX1'],
  },
  {
    statement: 'a pause lifted while an exception is open',
    sql: 'update ledger_heads set payouts_paused_by = null',
    caughtBy: ['EX2'],
  },
]
