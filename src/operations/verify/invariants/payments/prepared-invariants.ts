import type { Invariant } from '../invariant.ts'

// The objects that an approval can have made, as its prepared payout must describe them.
const MADE_OBJECTS = `select merchant_id, mode, id, 'payout' as kind, amount, 1 as recipients, created_at from payouts where kind = 'payout'
  union all select merchant_id, mode, id, kind, amount, 1, created_at from payouts where kind = 'subaccount'
  union all select merchant_id, mode, id, 'bulk', null, total, created_at from bulk_batches
  union all select merchant_id, mode, id, 'schedule', amount * jsonb_array_length(recipients), jsonb_array_length(recipients), created_at
    from schedules`

/** Payouts that one person prepared and another decided. */
export const PREPARED_INVARIANTS: readonly Invariant[] = [
  {
    id: 'PP1',
    says: 'an approved prepared payout made the one thing that it describes, when another person approved it; no other made anything',
    counted: 'select count(*) from prepared_payouts',
    offenders: `select r.merchant_id, r.mode, r.id as offender
      from prepared_payouts r left join (${MADE_OBJECTS}) o
        on (o.merchant_id, o.id, o.mode, o.kind) = (r.merchant_id, r.object_id, r.mode, r.kind)
      where (r.status = 'approved') <> (r.object_id is not null) or (r.status = 'approved' and (o.id is null
        or o.recipients <> r.recipients or o.amount <> r.amount or o.created_at <> r.decided_at or r.decided_by = r.made_by))
      union all
      select merchant_id, max(mode), string_agg(id, ' ' order by id) from prepared_payouts where object_id is not null group by merchant_id, object_id
        having count(*) > 1`,
  },
]
