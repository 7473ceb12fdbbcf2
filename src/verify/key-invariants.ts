import type { Invariant } from './invariant.ts'

const KEYS = 'select count(*) from idempotency_keys'
const OF_CHARGES = `from idempotency_keys k where k.object_id like 'txn\\_%'`

/** Idempotency keys, and the exceptions that pause payouts. */
export const KEY_INVARIANTS: readonly Invariant[] = [
  {
    id: 'K1',
    says: 'no key has been running for longer than 60 seconds',
    counted: KEYS,
    offenders: `select key as offender from idempotency_keys
      where status is null and created_at < $1::timestamptz - interval '60 seconds'`,
  },
  {
    id: 'ID5',
    says: 'no key keeps an answer that must not be kept, or half an answer',
    counted: KEYS,
    offenders: `select key as offender from idempotency_keys
      where status in (401, 403, 413, 429, 500, 502, 503) or (status is null) <> (body is null)`,
  },
  {
    id: 'ID6',
    says: 'a key that made a charge points at it in its own merchant and mode, alone, and its answer shows it',
    counted: `select count(*) ${OF_CHARGES}`,
    // A charge that was taken back has freed its key in the same commit.
    offenders: `select k.key as offender from idempotency_keys k
        left join charges c on (c.merchant_id, c.id, c.mode) = (k.merchant_id, k.object_id, k.mode)
        where k.object_id like 'txn\\_%' and (c.id is null or c.voided_at is not null)
      union all
      select string_agg(k.key, ' ' order by k.key) ${OF_CHARGES} group by k.merchant_id, k.object_id having count(*) > 1
      union all
      select k.key ${OF_CHARGES} and position(k.object_id in k.body) = 0`,
  },
  {
    id: 'EX1',
    says: 'an account is paused only by a critical exception of its own that is open',
    counted: 'select count(*) from ledger_heads where payouts_paused_by is not null',
    offenders: `select format('merchant %s %s', h.merchant_id, h.mode) as offender
      from ledger_heads h left join exceptions e on (e.merchant_id, e.mode, e.id) = (h.merchant_id, h.mode, h.payouts_paused_by)
        and e.closed_at is null and e.severity = 'critical'
      where h.payouts_paused_by is not null and e.id is null`,
  },
  {
    id: 'EX2',
    says: 'while a critical exception is open, its account is paused',
    counted: 'select count(*) from exceptions where closed_at is null',
    offenders: `select e.id as offender
      from exceptions e left join ledger_heads h on (h.merchant_id, h.mode) = (e.merchant_id, e.mode)
      where e.closed_at is null and e.severity = 'critical' and h.payouts_paused_by is null`,
  },
]
