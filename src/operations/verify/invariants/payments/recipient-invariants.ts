import { phoneDigestSql } from '../../../../payments/charges/write-charges.ts'
import { shortDigestSql } from '../../../../platform/text/short-digest.ts'
import { maskedPhoneSql } from '../audit-sql.ts'
import type { Invariant } from '../invariant.ts'

const PREPARED_REQUEST = `convert_from(r.request, 'UTF8')::jsonb`
const SLACK = `interval '5 minutes'`

// Whether the audit's sum of the items is exact. Items of absurd amounts are refused one by one, but the audit has the sum of all, in
// which JavaScript numbers lose small parts.
const ADDED_EXACTLY = "coalesce(bool_and(abs((item->>'amount')::numeric) <= 1e12), true)"

/** The recipients of money. The ledger does not show them, so each number is compared with the request that it was written from. */
export const RECIPIENT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'RC1',
    says: 'the phone of a charge is the one with which it was made: whoever paid gets a refund',
    counted: 'select count(*) from charges',
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
      where (c.phone_digest is not null and ${phoneDigestSql('c')} is distinct from c.phone_digest) or c.phone9 <> right(c.phone, 9)`,
  },
  {
    id: 'RC2',
    says: 'a payout, a withdrawal, the pay-out of a subaccount and a top-up have the amount and the number that whoever asked for it gave',
    counted: `select count(*) from audit where action in ('withdrawal.request', 'subaccount.payout', 'top-up.request', 'payout.create')`,
    offenders: `select p.merchant_id, p.mode, p.id as offender
      from (select merchant_id, mode, id, amount, recipient_phone as phone from payouts where kind in ('payout', 'withdrawal', 'subaccount')
        union all select merchant_id, 'live', id, amount, phone from top_ups) p
      join audit a on (a.merchant_id, a.subject) = (p.merchant_id, p.id)
        and a.action in ('payout.create', 'withdrawal.request', 'subaccount.payout', 'top-up.request')
      where ((a.after->>'amount')::bigint, a.after->>'phone') is distinct from (p.amount, ${maskedPhoneSql('p.phone')})`,
  },
  {
    id: 'RC3',
    says: 'a withdrawal goes to the number of its merchant that stood when it was asked for, and a pay-out of a subaccount to the phone of that subaccount',
    counted: `select count(*) from payouts where kind in ('withdrawal', 'subaccount')`,
    offenders: `select p.merchant_id, p.mode, p.id as offender from payouts p
        join withdrawal_numbers n on n.merchant_id = p.merchant_id and n.set_at < p.created_at - ${SLACK}
        where p.kind = 'withdrawal' and p.recipient_phone <> n.phone
      union all
      select p.merchant_id, p.mode, p.id from payouts p join subaccounts s on (s.merchant_id, s.id) = (p.merchant_id, p.subaccount_id)
        where p.kind = 'subaccount' and p.recipient_phone is distinct from s.payout_phone`,
  },
  {
    id: 'RC4',
    says: 'the bytes of a prepared payout are those that its maker wrote, and what an approval sent is what they say',
    counted: 'select count(*) from prepared_payouts',
    offenders: `select r.merchant_id, r.mode, r.id as offender from prepared_payouts r
        left join audit a on (a.merchant_id, a.subject, a.action) = (r.merchant_id, r.id, 'payout.prepare')
        where r.fingerprint <> sha256(r.request) or (r.kind, r.amount, r.recipients) is distinct from
            (coalesce(a.after->>'kind', r.kind), coalesce((a.after->>'amount')::bigint, r.amount), coalesce((a.after->>'recipients')::int, r.recipients))
          or a.after->>'digest' <> encode(r.fingerprint, 'hex')
      union all
      select r.merchant_id, r.mode, r.id from prepared_payouts r join payouts p on (p.merchant_id, p.id) = (r.merchant_id, r.object_id)
        where r.kind = 'payout' and (${PREPARED_REQUEST} #>> '{recipient,phone}', (${PREPARED_REQUEST}->>'amount')::bigint) is distinct from (p.recipient_phone, p.amount)
      union all
      select r.merchant_id, r.mode, r.id from prepared_payouts r
        join idempotency_keys k on (k.merchant_id, k.mode, k.object_id) = (r.merchant_id, r.mode, r.object_id)
        where k.fingerprint <> r.fingerprint`,
  },
  {
    id: 'RC5',
    says: 'the items of a bulk call, and the amount and recipients of a schedule, are those with which it was stored and that its maker asked for',
    counted: 'select (select count(*) from bulk_batches) + (select count(*) from schedules)',
    offenders: `select b.merchant_id, b.mode, b.id as offender from bulk_batches b
        left join audit a on (a.merchant_id, a.subject, a.action) = (b.merchant_id, b.id, 'payout.bulk')
        where b.digest <> ${shortDigestSql('b.items::text')} or (a.after->>'items')::int <> jsonb_array_length(b.items)
          or (a.after->>'amount')::numeric <> (select case when ${ADDED_EXACTLY} then coalesce(sum((item->>'amount')::numeric), 0) end
            from jsonb_array_elements(b.items) as items (item))
      union all
      select s.merchant_id, s.mode, s.id from schedules s
        left join audit a on (a.merchant_id, a.subject, a.action) = (s.merchant_id, s.id, 'schedule.create')
        where s.digest <> ${shortDigestSql(`s.amount || ' ' || s.recipients::text`)} or (a.after->>'amount')::bigint <> s.amount
          or (a.after->>'recipients')::int <> jsonb_array_length(s.recipients) or a.after->>'interval' <> s.interval`,
  },
  {
    id: 'RC6',
    says: 'the phone of a subaccount is the one that the answer to its request shows',
    counted: 'select count(*) from subaccounts',
    offenders: `select s.merchant_id, 'live'::mode as mode, s.id as offender from subaccounts s
      join idempotency_keys k on (k.merchant_id, k.object_id) = (s.merchant_id, s.id) and k.status < 300
      where position('"payout_phone":' in k.body) > 0
        and position('"payout_phone":' || coalesce('"' || s.payout_phone || '"', 'null') in k.body) = 0`,
  },
]
