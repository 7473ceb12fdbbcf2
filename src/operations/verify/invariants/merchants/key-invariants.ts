import { fromDirectory, type Invariant } from '../invariant.ts'

const KEYS = 'select count(*) from idempotency_keys'
const KEYS_WITH_OBJECT = 'from idempotency_keys k where k.object_id is not null'

// All objects that a key can have made. `shown` is the id in the answer: for a direct dispense the charge. A subaccount has the same id
// in both modes; a bulk call stores its key.
const OBJECTS = `select merchant_id, mode, id, null as key, voided_at is not null as voided, false as refused, id as shown from charges
  union all select merchant_id, mode, id, null, voided_at is not null, voided_at is not null, id from payouts
  union all select merchant_id, mode, id, key, false, false, id from bulk_batches
  union all select merchant_id, mode, id, null, false, false, id from schedules
  union all select merchant_id, mode, id, null, false, false, id from prepared_payouts
  union all select merchant_id, mode, id, null, false, false, id from payment_links
  union all select merchant_id, mode, id, null, false, false, charge_id from dispense_claims where kind = 'direct'
  union all select parent_id, 'test', public_id, null, false, false, public_id from merchants where parent_id is not null
  union all select merchant_id, either, id, null, false, false, id from subaccounts cross join unnest(enum_range(null::mode)) as modes (either)`

// A key is a text of the client, which may contain anything: it is named by the object it made, otherwise by its digest.
const KEY_NAME = `coalesce(k.object_id, 'key ' || left(encode(sha256(convert_to(k.key, 'UTF8')), 'hex'), 16))`

/** Idempotency keys, and the exceptions that pause payouts. */
export const KEY_INVARIANTS: readonly Invariant[] = [
  {
    id: 'K1',
    says: 'no key has been running, and no live charge hidden, for longer than 60 seconds, by any clock, unless somebody is at work on a bulk call',
    late: true,
    counted: KEYS,
    // An expired lease is taken by the finisher within seconds.
    offenders: `select k.merchant_id, k.mode, ${KEY_NAME} as offender
      from idempotency_keys k left join bulk_batches b on (b.merchant_id, b.id) = (k.merchant_id, k.object_id)
      where k.status is null
        and (k.created_at < $1::timestamptz - interval '60 seconds' or k.created_at > $1::timestamptz + interval '60 seconds')
        and (b.lease_until is null or b.lease_until < $1::timestamptz - interval '30 seconds' or b.lease_until > $1::timestamptz + interval '90 seconds')
      union all
      select c.merchant_id, c.mode, c.id from charges c
      where c.mode = 'live' and not c.published and c.follow_at is not null
        and (c.created_at < $1::timestamptz - interval '60 seconds' or c.created_at > $1::timestamptz + interval '60 seconds')`,
  },
  {
    id: 'ID5',
    says: 'no key keeps an answer that must not be kept, or half an answer',
    counted: KEYS,
    offenders: `select merchant_id, mode, ${KEY_NAME} as offender from idempotency_keys k
      where status in (401, 403, 413, 429, 500, 502, 503) or (status is null) <> (body is null)`,
  },
  {
    id: 'ID6',
    says: 'a key that made something points at it in its own merchant and mode, alone, and its answer shows it',
    counted: `select count(*) ${KEYS_WITH_OBJECT}`,
    // An object that was taken back has freed its key in the same commit; only the 400 for a payout that the rail will not
    // serve is kept.
    offenders: `select k.merchant_id, k.mode, ${KEY_NAME} as offender from idempotency_keys k left join (${OBJECTS}) o on (o.merchant_id, o.id, o.mode) = (k.merchant_id, k.object_id, k.mode)
        where k.object_id is not null and (o.id is null or o.key <> k.key or o.voided <> o.refused
          or (o.refused and k.status is distinct from 400) or (not o.refused and (k.status >= 300 or position(o.shown in k.body) = 0)))
      union all
      select k.merchant_id, max(k.mode), k.object_id ${KEYS_WITH_OBJECT} group by k.merchant_id, k.object_id having count(*) > 1
      union all
      select b.merchant_id, b.mode, b.id from bulk_batches b left join idempotency_keys k on (k.merchant_id, k.mode, k.key, k.object_id) = (b.merchant_id, b.mode, b.key, b.id)
        where b.lease_until is not null and (k.key is null or k.status is not null)`,
  },
  {
    id: 'EX1',
    says: 'an account is paused only by a critical exception of its own that is open',
    counted: 'select count(*) from ledger_heads where payouts_paused_by is not null',
    offenders: `select h.merchant_id, h.mode, format('merchant %s %s', h.merchant_id, h.mode) as offender
      from ledger_heads h left join exceptions e on (e.merchant_id, e.mode, e.id) = (h.merchant_id, h.mode, h.payouts_paused_by)
        and e.closed_at is null and e.severity = 'critical'
      where h.payouts_paused_by is not null and e.id is null`,
  },
  {
    id: 'EX2',
    says: 'while a critical exception is open, its account is paused',
    counted: 'select count(*) from exceptions where closed_at is null',
    offenders: `select e.merchant_id, e.mode, e.id as offender
      from exceptions e left join ledger_heads h on (h.merchant_id, h.mode) = (e.merchant_id, e.mode)
      where e.closed_at is null and e.severity = 'critical' and h.payouts_paused_by is null`,
  },
  {
    id: 'AK1',
    says: 'no merchant has a key that is open in its cell minutes after it was revoked',
    late: true,
    counted: 'select count(*) from merchants',
    // The directory has the keys for calls, the cell those for signing callbacks. A difference after a crash is repaired
    // within seconds.
    offenders: `select k.merchant_id, split_part(d.kind, '_', 1) as mode, k.id as offender
      from ${fromDirectory('api_keys', 'merchant_id, id, kind, revoked_at')} d join api_keys k on (k.merchant_id, k.id) = (d.merchant_id, d.id)
      where k.revoked_at is null and d.revoked_at < $1::timestamptz - interval '5 minutes'`,
  },
]
