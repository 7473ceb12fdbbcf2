import { CREATED_WITH_FACTS, newestByMerchant } from '../audit-sql.ts'
import type { Invariant } from '../invariant.ts'

const decidedSql = (place: string) => `select merchant_id, mode::text as mode, id, decided_at as at,
    case status when 'approved' then 'approval.approve' when 'rejected' then 'approval.reject' else 'approval.withdraw' end as action
  from ${place} where status in ('approved', 'rejected', 'withdrawn')`
// Decisions that stand in a row of their own, with the action of the audit row that must stand behind each. A withdrawal requested before
// there was an audit has none.
const DECISIONS = `select w.merchant_id, 'live' as mode, w.id, w.decided_at as at,
      case when w.state = 'cancelled' then 'withdrawal.cancel' when exists (select from standing_order_runs r
        where (r.merchant_id, r.withdrawal_id) = (w.merchant_id, w.id) and r.by_itself) then 'standing-order.run' else 'withdrawal.decide' end as action
    from withdrawals w where w.state <> 'requested' and exists (
      select from audit a where (a.merchant_id, a.subject, a.action) = (w.merchant_id, w.id, 'withdrawal.request'))
  union all
  select merchant_id, mode::text, id, decided_at,
      case status when 'approved' then 'payout.approve' when 'rejected' then 'payout.reject' else 'payout.withdraw' end
    from prepared_payouts where status in ('approved', 'rejected', 'withdrawn')
  union all ${decidedSql('approvals')}`
const FREEZE_ROWS = `select count(*) filter (where not a.after ? 'until') as unsaid, bool_or(a.after->>'until' is null) as for_good,
    max((a.after->>'until')::timestamptz) as until from audit a
  where a.merchant_id = h.merchant_id and a.action = 'payouts.freeze' and a.id > coalesce((select max(e.id) from audit e
    where e.merchant_id = h.merchant_id and e.action in ('payouts.unfreeze', 'payouts.freeze-ends')), 0)`
const ISSUED_CARDS = `select a.merchant_id, card.id, (a.after->>'value')::bigint as value, (a.after->>'expires_at')::timestamptz as expires_at from audit a
    cross join lateral jsonb_array_elements_text(a.after->'cards') card (id) where a.action = 'card.issue'`

/** Decisions: each one that stops, allows or makes money has the audit row of the person who made it. */
export const DECISION_INVARIANTS: readonly Invariant[] = [
  {
    id: 'DE1',
    says: 'every withdrawal, prepared payout and approval of an operator that was decided has the row of who decided it, of the same moment',
    counted: `select count(*) from (${DECISIONS}) d`,
    offenders: `select d.merchant_id, d.mode, d.id as offender from (${DECISIONS}) d
      where not exists (select from audit a where (a.merchant_id, a.subject, a.action, a.at) = (d.merchant_id, d.id, d.action, d.at))`,
  },
  {
    id: 'DE2',
    says: 'the payouts of an account are frozen, and until when, as the last freeze or its end says',
    counted: `select count(*) from ledger_heads where mode = 'live'`,
    offenders: `select h.merchant_id, h.mode, format('merchant %s %s', h.merchant_id, h.mode) as offender
      from (select * from ledger_heads where mode = 'live') h
      left join ${newestByMerchant('payouts.freeze', 'payouts.unfreeze', 'payouts.freeze-ends')} last on last.merchant_id = h.merchant_id
      left join lateral (${FREEZE_ROWS}) f on true
      where (h.payouts_frozen_for is null) <> (last.after->>'reason' is null)
          and (last.id is not null or h.merchant_id in (select merchant_id from ${CREATED_WITH_FACTS} b))
        or h.payouts_frozen_for is not null and last.action = 'payouts.freeze' and f.unsaid = 0
          and h.payouts_frozen_until is distinct from case when not f.for_good then f.until end`,
  },
  {
    id: 'DE3',
    says: 'the payouts of the platform are frozen as the last freeze or its end says, and what two operators decided for it has the row of who did',
    counted: 'select count(*) from directory.payout_freeze',
    offenders: `select null::bigint as merchant_id, null::text as mode, 'the freeze of the platform' as offender from directory.payout_freeze f
        join (select a.after from directory.audit a where a.action in ('payouts.freeze', 'payouts.unfreeze') and a.subject = 'platform'
          order by a.id desc limit 1) last on true
        where f.frozen <> (last.after->>'reason' is not null)
      union all
      select null, null, d.id from (${decidedSql('directory.approvals')}) d
        where not exists (select from directory.audit a where (a.subject, a.action, a.at) = (d.id, d.action, d.at))
      union all
      select null, null, id from directory.approvals where digest <> sha256(command)
        or (status in ('approved', 'rejected') and decided_by = asked_by)`,
  },
  {
    id: 'DE4',
    says: 'the rule of the second person is the one that somebody last made, with the weaker one that waits',
    counted: 'select count(*) from checker_rules',
    offenders: `select coalesce(c.merchant_id, last.merchant_id) as merchant_id, 'live' as mode,
        format('the rule of the second person of merchant %s', coalesce(c.merchant_id, last.merchant_id)) as offender
      from checker_rules c full join ${newestByMerchant('checker.set')} last on last.merchant_id = c.merchant_id
      where c.merchant_id is null or last.id is null
        or (c.above, c.next_above, c.next_from) is distinct from ((last.after->>'above')::bigint,
          (last.after#>>'{wanted,above}')::bigint, (last.after#>>'{wanted,from}')::timestamptz)`,
  },
  {
    id: 'G3',
    says: 'a gift card is worth what it was issued for, and for no longer; none was made another way',
    counted: 'select count(*) from gift_cards',
    offenders: `select g.merchant_id, 'live' as mode, g.id as offender from gift_cards g
      left join (${ISSUED_CARDS}) issued on (issued.merchant_id, issued.id) = (g.merchant_id, g.id)
      where g.value <> issued.value or g.expires_at > issued.expires_at
        or issued.id is null and g.merchant_id in (select merchant_id from ${CREATED_WITH_FACTS} b)`,
  },
]
