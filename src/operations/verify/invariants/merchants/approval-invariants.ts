import { accountOf, type Invariant } from '../invariant.ts'

const APPROVED_COMMAND = `convert_from(a.command, 'UTF8')::jsonb`

/** Requests of one staff member that another decided, and the corrections that came of them. */
export const APPROVAL_INVARIANTS: readonly Invariant[] = [
  {
    id: 'AP1',
    says: 'what was approved was asked for by another person, in time, and its bytes are those that were asked for',
    counted: 'select count(*) from approvals',
    offenders: `select a.merchant_id, a.mode, a.id as offender from approvals a
      where a.digest <> sha256(a.command) or ${APPROVED_COMMAND}->>'kind' <> a.kind or (a.status = 'waiting') <> (a.decided_at is null)
        or (a.status in ('approved', 'rejected') and (a.decided_by is null or a.decided_by = a.asked_by))
        or (a.status = 'approved' and not a.waits_for_money and a.decided_at >= a.expires_at)`,
  },
  {
    id: 'AP2',
    says: 'a correction moved, when it was approved and once, exactly the money that its approval names; there is no other correction',
    counted: 'select count(*) from adjustments',
    offenders: `select coalesce(a.merchant_id, d.merchant_id, t.merchant_id) as merchant_id, coalesce(a.mode, d.mode::text, t.mode::text) as mode,
        coalesce(a.id, d.id, t.subject) as offender
      from (select * from approvals a where status = 'approved'
          and (kind = 'adjustment' or kind = 'end-as-told' and (${APPROVED_COMMAND}->>'amount')::bigint > 0)) a
      full join adjustments d on (d.merchant_id, d.approval_id) = (a.merchant_id, a.id)
      full join (select * from transfers where kind in ('correction_in', 'correction_out')) t
        on (t.merchant_id, t.subject) = (d.merchant_id, d.id)
      where a.id is null or d.id is null or t.subject is null
        or (d.mode::text, t.mode::text, d.at, t.at) is distinct from (a.mode, a.mode, a.decided_at, a.decided_at)
        or (${APPROVED_COMMAND}->>'id', ${APPROVED_COMMAND}->>'exception', ${APPROVED_COMMAND}->>'about') is distinct from (d.id, d.exception_id, d.about)
        or (d.direction, d.amount, 'correction_' || d.direction, d.amount) is distinct from
          (${APPROVED_COMMAND}->>'direction', (${APPROVED_COMMAND}->>'amount')::bigint, t.kind, t.amount)
        or split_part(case d.direction when 'in' then t.debit else t.credit end, ':', 1) is distinct from ${APPROVED_COMMAND}->>'against'`,
  },
  {
    id: 'AP3',
    says: 'an exception counts as adjusted exactly when an approved correction was to resolve it, from that moment on',
    counted: `select count(*) from exceptions where resolution is not null`,
    offenders: `select ${accountOf('e', 'd')}, coalesce(e.id, d.exception_id) as offender
      from (select * from exceptions where resolution = 'adjusted') e
      full join (select d.* from adjustments d join approvals a on (a.merchant_id, a.id) = (d.merchant_id, d.approval_id)
          where (${APPROVED_COMMAND}->>'resolve')::boolean) d
        on (d.merchant_id, d.exception_id, d.mode, d.at, d.about) = (e.merchant_id, e.id, e.mode, e.closed_at, e.subject)
      where e.id is null or d.id is null`,
  },
]
