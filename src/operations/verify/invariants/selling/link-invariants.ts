import { CLOCK_SLACK, type Invariant } from '../invariant.ts'

const ON_LINKS = 'select count(*) from charges where payment_link_id is not null'

/** Payment links and the charges created on them. */
export const LINK_INVARIANTS: readonly Invariant[] = [
  {
    id: 'LI1',
    says: 'a one-shot link has at most one charge that is open or paid, and that charge holds it',
    counted: 'select count(*) from payment_links where not allow_multiple_uses',
    offenders: `select l.merchant_id, l.mode, l.id as offender
      from payment_links l join charges c on (c.merchant_id, c.payment_link_id) = (l.merchant_id, l.id)
      where not l.allow_multiple_uses and c.status <> 'failed' and c.voided_at is null
      group by l.merchant_id, l.mode, l.id, l.charge_id having count(*) > 1 or min(c.id) is distinct from l.charge_id
      union all
      select l.merchant_id, l.mode, l.id from payment_links l left join charges c on (c.merchant_id, c.id, c.payment_link_id) = (l.merchant_id, l.charge_id, l.id)
      where l.charge_id is not null and (c.id is null or l.allow_multiple_uses)`,
  },
  {
    id: 'LI3',
    says: 'a charge born on a link has its merchant, mode, price and reference, and pays once where the link is paid once',
    counted: ON_LINKS,
    offenders: `select c.merchant_id, c.mode, c.id as offender
      from charges c left join payment_links l on (l.merchant_id, l.id) = (c.merchant_id, c.payment_link_id)
      where (c.payment_link_id is not null and (l.id is null or c.pays_once = l.allow_multiple_uses
          or (c.mode, c.amount, c.reference, c.shares) is distinct from (l.mode, l.amount, l.reference, null)
          or c.created_at < l.created_at - ${CLOCK_SLACK}))
        or (c.payment_link_id is null and c.pays_once)`,
  },
]

/** The items of public pages. */
export const STOREFRONT_INVARIANTS: readonly Invariant[] = [
  {
    id: 'SF1',
    says: 'an item of a storefront is a reusable link of its own merchant, and of no other item',
    counted: 'select count(*) from storefront_items',
    // Removed items included: their link may be switched on again like any other.
    offenders: `select i.merchant_id, coalesce(l.mode, 'live') as mode, i.id as offender
      from storefront_items i left join payment_links l on (l.merchant_id, l.id) = (i.merchant_id, i.link_id)
      where (l.kind = 'link' and l.allow_multiple_uses) is not true
      union all
      select merchant_id, 'live', link_id from storefront_items group by merchant_id, link_id having count(*) > 1`,
  },
]
