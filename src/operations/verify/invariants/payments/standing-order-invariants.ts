import { shortDigestSql } from '../../../../platform/text/short-digest.ts'
import { newestBySubject } from '../audit-sql.ts'
import type { Invariant } from '../invariant.ts'

// What staff must have approved: of each run, and of each order that runs.
const APPROVED = `select merchant_id, order_id as id, revision, day_limit as most, phone from standing_order_runs
  union all select merchant_id, id, revision, approved_limit, approved_phone from standing_orders where state = 'approved'`

/** Standing orders: what they send by themselves, compared with their withdrawals and with what staff approved. */
export const STANDING_ORDER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'SO1',
    says: 'a standing order sends at most its limit of a day by itself, each time in one withdrawal that was approved when it was made',
    counted: 'select count(*) from standing_order_runs',
    offenders: `select r.merchant_id, 'live' as mode, r.order_id as offender from standing_order_runs r
        left join payouts p on (p.merchant_id, p.id) = (r.merchant_id, r.withdrawal_id)
        left join withdrawals w on (w.merchant_id, w.id) = (r.merchant_id, r.withdrawal_id)
        where (p.kind, p.mode, p.amount, p.recipient_phone) is distinct from ('withdrawal', 'live', r.amount, r.phone)
          or r.by_itself and ((w.state, w.decided_at) is distinct from ('approved', r.ran_at) or r.day_total > r.day_limit)
      union all
      select merchant_id, 'live', max(order_id) from standing_order_runs group by merchant_id, day
        having coalesce(max(day_total) filter (where by_itself), 0) <> coalesce(sum(amount) filter (where by_itself), 0)`,
  },
  {
    id: 'SO2',
    says: 'a standing order runs as its merchant ordered it, and sends to the number and within the limit for which staff approved it',
    counted: `select count(*) from (${APPROVED}) approved`,
    offenders: `select s.merchant_id, 'live' as mode, s.id as offender from (${APPROVED}) s
        where not exists (select from audit a where (a.merchant_id, a.subject, a.action) = (s.merchant_id, s.id, 'standing-order.decide')
          and a.after->>'state' = 'approved' and (a.after->>'revision')::int = s.revision and (a.after->>'limit')::bigint = s.most
          and a.after->>'digest' = encode(${shortDigestSql('s.phone')}, 'hex'))
      union all
      select o.merchant_id, 'live', o.id from standing_orders o
        left join (${newestBySubject('standing-order.set')}) a on (a.merchant_id, a.subject) = (o.merchant_id, o.id)
        where o.state = 'approved' and (a.after->>'rhythm', (a.after->>'weekday')::int, (a.after->>'hour')::int, (a.after->>'keepBack')::bigint,
          (a.after->>'least')::bigint, (a.after->>'dayLimit')::bigint) is distinct from (o.rhythm, o.weekday, o.hour, o.keep_back, o.least, o.day_limit)`,
  },
]
