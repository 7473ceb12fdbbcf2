import type { Invariant } from '../invariant.ts'

/** The items of public pages. */
export const STOREFRONT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'SF1',
    says: 'an item of a storefront is a reusable live link of its own merchant, and of no other item',
    counted: 'select count(*) from storefront_items',
    // Removed items included: their link may be switched on again like any other.
    offenders: `select i.merchant_id, 'live' as mode, i.id as offender
      from storefront_items i left join payment_links l on (l.merchant_id, l.id) = (i.merchant_id, i.link_id)
      where (l.mode = 'live' and l.kind = 'link' and l.allow_multiple_uses) is not true
      union all
      select merchant_id, 'live', link_id from storefront_items group by merchant_id, link_id having count(*) > 1`,
  },
]
