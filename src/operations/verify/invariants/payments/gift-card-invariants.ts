import { type Invariant, modeOrLive } from '../invariant.ts'

const USES = 'select count(*) from gift_card_uses'

/** Gift cards compared with their charges. Gift cards are not in the ledger. */
export const GIFT_CARD_INVARIANTS: readonly Invariant[] = [
  {
    id: 'G1',
    says: 'each gift card has set aside and spent what its uses say, and the rest of its value is left on it',
    counted: 'select count(*) from gift_cards',
    offenders: `select coalesce(g.merchant_id, u.merchant_id) as merchant_id, 'live' as mode, coalesce(g.id, u.card_id) as offender
      from gift_cards g
      full join (select merchant_id, card_id, coalesce(sum(amount) filter (where state = 'reserved'), 0) as reserved,
          coalesce(sum(amount) filter (where state = 'taken'), 0) as spent
        from gift_card_uses group by merchant_id, card_id) u on (u.merchant_id, u.card_id) = (g.merchant_id, g.id)
      where g.id is null or g.balance < 0 or g.value <> g.balance + g.reserved + g.spent
        or (g.reserved, g.spent) is distinct from (coalesce(u.reserved, 0), coalesce(u.spent, 0))`,
  },
  {
    id: 'LI4',
    says: 'a live charge that a gift card pays part of has its one use of exactly that, stored with it; no other has one',
    counted: USES,
    offenders: `select coalesce(c.merchant_id, u.merchant_id) as merchant_id, ${modeOrLive('c')}, coalesce(c.id, u.charge_id) as offender
      from (select * from charges where gift_card_amount <> 0) c
      full join gift_card_uses u on (u.merchant_id, u.charge_id) = (c.merchant_id, c.id)
      where (c.mode, u.amount, u.created_at) is distinct from ('live'::mode, c.gift_card_amount, c.created_at)`,
  },
  {
    id: 'LI5',
    says: 'a gift card is set aside for an open charge, spent on a paid, freed by a failed, restored by a refunded one, in its commit',
    counted: USES,
    offenders: `select u.merchant_id, ${modeOrLive('c')}, u.charge_id as offender
      from gift_card_uses u left join charges c on (c.merchant_id, c.id) = (u.merchant_id, u.charge_id)
      where u.state is distinct from case when c.voided_at is not null then 'freed' else case c.status
          when 'succeeded' then 'taken' when 'failed' then 'freed' when 'refunded' then 'restored'
          when 'pending' then 'reserved' when 'authorized' then 'reserved' end end
        or u.ended_at is distinct from coalesce(c.voided_at, c.refunded_at, c.completed_at)`,
  },
  {
    id: 'G2',
    says: 'what a gift card covers whole is paid and settled as it is stored, without a rail and without a fee, and at most goes back on the card',
    counted: 'select count(*) from charges where amount = gift_card_amount',
    offenders: `select merchant_id, mode, id as offender from charges
      where amount = gift_card_amount and (status not in ('succeeded', 'refunded')
        or (completed_at, hold_until, settled_at) is distinct from (created_at, created_at, created_at)
        or fee <> 0 or rail_reference is not null or settlement_id is not null or shares is not null)`,
  },
]
