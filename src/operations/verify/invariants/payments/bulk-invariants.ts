import { type Invariant, modeOrLive } from '../invariant.ts'

// The items of each call as requested.
const REQUESTED_ITEMS = `select b.merchant_id, b.id as batch_id, b.mode, (place - 1)::int as item_index, item->>'reference' as reference,
    (item->>'amount')::numeric as amount, item->>'phone' as phone
  from bulk_batches b cross join jsonb_array_elements(b.items) with ordinality as asked (item, place)`

/** Bulk calls, their items, and the references that accepted items have spent. */
export const BULK_INVARIANTS: readonly Invariant[] = [
  {
    id: 'B1',
    says: 'a bulk call has the results of its first items without a gap, and counts them and the accepted ones',
    counted: 'select count(*) from bulk_batches',
    offenders: `select merchant_id, ${modeOrLive('b')}, coalesce(b.id, i.id) as offender
      from bulk_batches b
      full join (select merchant_id, batch_id as id, count(*) as results, count(payout_id) as accepted,
          min(item_index) as first, max(item_index) as last
        from bulk_items group by merchant_id, batch_id) i using (merchant_id, id)
      where b.total is null or coalesce(i.results, 0) <> b.done or coalesce(i.accepted, 0) <> b.accepted
        or i.first <> 0 or i.last <> b.done - 1 or b.total <> jsonb_array_length(b.items)
        or (b.done = b.total) <> (b.lease_until is null)`,
  },
  {
    id: 'B2',
    says: 'an accepted item names the payout that its reference made: what was asked for, to whom it was asked for',
    counted: 'select count(*) from bulk_items',
    offenders: `select i.merchant_id, ${modeOrLive('w')}, format('%s item %s', i.batch_id, i.item_index) as offender
      from bulk_items i
      left join (${REQUESTED_ITEMS}) w using (merchant_id, batch_id, item_index)
      left join payouts p on (p.merchant_id, p.id, p.mode) = (i.merchant_id, i.payout_id, w.mode)
      left join bulk_references r on (r.merchant_id, r.mode, r.reference) = (i.merchant_id, w.mode, i.reference)
      where i.reference is distinct from w.reference or (i.payout_id is not null and (
        p.kind is distinct from 'bulk' or r.payout_id is distinct from p.id
        or (p.reference, p.amount, p.recipient_phone) is distinct from (w.reference, w.amount, w.phone)
        or ((p.batch_id, p.item_index) = (i.batch_id, i.item_index)) is not distinct from i.replayed
        or i.first_accepted_at is distinct from case when i.replayed then p.created_at end))`,
  },
  {
    id: 'B3',
    says: 'every bulk payout is the one that an item of its call made, and every spent reference has its payout',
    counted: `select count(*) from payouts where kind = 'bulk'`,
    offenders: `select p.merchant_id, p.mode, p.id as offender
      from payouts p left join bulk_items i
        on (i.merchant_id, i.batch_id, i.item_index, i.payout_id) = (p.merchant_id, p.batch_id, p.item_index, p.id) and not i.replayed
      where p.kind = 'bulk' and i.batch_id is null
      union all
      select r.merchant_id, r.mode, r.payout_id from bulk_references r
        left join payouts p on (p.merchant_id, p.id, p.mode, p.reference) = (r.merchant_id, r.payout_id, r.mode, r.reference)
        where p.kind is distinct from 'bulk'`,
  },
]
