import type { Invariant } from '../invariant.ts'

// Objects that a request with an Idempotency-Key has made and that were not taken back, of the days in which no key is pruned.
const MADE_BY_REQUEST = `select merchant_id, mode, id from charges where payment_link_id is null and voided_at is null and created_at > $2::timestamptz
  union all select merchant_id, mode, id from payouts where kind = 'payout' and voided_at is null and created_at > $2::timestamptz
  union all select merchant_id, mode, id from bulk_batches where created_at > $2::timestamptz
  union all select merchant_id, mode, id from schedules where created_at > $2::timestamptz
  union all select merchant_id, mode, id from prepared_payouts where created_at > $2::timestamptz`
const KEYS_WITH_OBJECT = 'from idempotency_keys where object_id is not null'

/** The condition that our JSON contains this field: a name in quotes, which no value of a client can contain, and its value. */
const showsSql = (body: string, name: string, value: string, end: string): string =>
  `position('"${name}":' || ${value} || '${end}' in ${body}) > 0`
const quotedSql = (value: string) => `'"' || ${value} || '"'`
/** The condition that an answer or event shows another recipient or amount than the payout's, where it shows them at all. */
const differsSql = (body: string) => `position('"recipient_phone":"' in ${body}) > 0 and not (
  ${showsSql(body, 'recipient_phone', quotedSql('p.recipient_phone'), '')} and ${showsSql(body, 'amount', 'p.amount', ',')})`

/** Requests and their answers: without the row of its key, a repeated request would make a second payment. */
export const REQUEST_INVARIANTS: readonly Invariant[] = [
  {
    id: 'ID8',
    says: 'every charge, payout, bulk call, schedule and prepared payout of the last 29 days that a request made is named by its key',
    counted: `select count(*) from (${MADE_BY_REQUEST}) made`,
    offenders: `select o.merchant_id, o.mode, o.id as offender from (${MADE_BY_REQUEST}) o
      where not exists (select from idempotency_keys k where (k.merchant_id, k.mode, k.object_id) = (o.merchant_id, o.mode, o.id))`,
  },
  {
    id: 'RQ1',
    says: 'a payout goes to the recipient, in the amount, that the stored answer to its request and the event of its end show',
    counted: `select count(*) from payouts where kind = 'payout'`,
    offenders: `select p.merchant_id, p.mode, p.id as offender from payouts p
        join (select merchant_id, mode, object_id, body ${KEYS_WITH_OBJECT} and status < 300) k on (k.merchant_id, k.mode, k.object_id) = (p.merchant_id, p.mode, p.id)
        where p.kind = 'payout' and ${differsSql('k.body')}
      union all
      select p.merchant_id, p.mode, p.id from payouts p
        join events e on (e.merchant_id, e.subject) = (p.merchant_id, p.id) and e.type in ('payout.succeeded', 'payout.failed')
        where ${differsSql('e.body')}`,
  },
]
