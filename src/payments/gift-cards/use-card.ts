import { assert } from '../../platform/assert.ts'
import { numberColumn, textColumn, toColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { GIFT_CARD_COLUMNS, type GiftCard } from './gift-card.ts'

/** The use of one card by one charge. Whole UGX. `restored`: spent, then put back by a refund. */
export type CardUse = {
  merchantId: number
  chargeId: string
  cardId: string
  amount: number
  state: 'reserved' | 'taken' | 'freed' | 'restored'
}
type CardChargeKey = { merchantId: number; id: string }

const LOCK_CARD = statement<GiftCard>(
  'lock gift card',
  `select ${GIFT_CARD_COLUMNS} from gift_cards g where g.merchant_id = $1 and g.id = $2 for no key update`,
)
const RESERVE_ON_CARD = statement(
  'reserve on gift card',
  `update gift_cards g set balance = g.balance - $3::bigint,
     reserved = g.reserved + case when $4 = 'reserved' then $3::bigint else 0 end,
     spent = g.spent + case when $4 = 'taken' then $3::bigint else 0 end
   where g.merchant_id = $1 and g.id = $2`,
)
const ADD_USE = statement(
  'add gift card use',
  `insert into gift_card_uses (merchant_id, charge_id, card_id, amount, state, created_at, ended_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)
const LOCK_CARDS_OF_CHARGES = statement<CardUse>(
  'lock gift cards of charges',
  `select u.merchant_id as "merchantId", u.charge_id as "chargeId", u.card_id as "cardId", u.amount, u.state
   from unnest($1::bigint[], $2::text[]) as n (merchant_id, charge_id)
   join gift_card_uses u on u.merchant_id = n.merchant_id and u.charge_id = n.charge_id
   join gift_cards g on g.merchant_id = u.merchant_id and g.id = u.card_id
   order by u.merchant_id, u.card_id, u.charge_id for no key update of g`,
)

// Uses change only in transactions that have locked their card, and lockCardsOf has locked these cards in an earlier
// statement, so the sums are over exactly the rows written here.
const MOVE_ENDED_AMOUNTS = statement(
  'move ended uses on gift cards',
  `update gift_cards g set reserved = g.reserved - n.taken - n.freed, spent = g.spent + n.taken, balance = g.balance + n.freed
   from (select u.merchant_id, u.card_id, coalesce(sum(u.amount) filter (where e.to_state = 'taken'), 0)::bigint as taken,
       coalesce(sum(u.amount) filter (where e.to_state = 'freed'), 0)::bigint as freed
     from unnest($1::bigint[], $2::text[], $3::text[]) as e (merchant_id, charge_id, to_state)
     join gift_card_uses u on u.merchant_id = e.merchant_id and u.charge_id = e.charge_id and u.state = 'reserved'
     group by u.merchant_id, u.card_id) n
   where g.merchant_id = n.merchant_id and g.id = n.card_id`,
)
const END_USES = statement(
  'end gift card uses',
  `update gift_card_uses u set state = e.to_state, ended_at = $4
   from unnest($1::bigint[], $2::text[], $3::text[]) as e (merchant_id, charge_id, to_state)
   where u.merchant_id = e.merchant_id and u.charge_id = e.charge_id and u.state = 'reserved'`,
)
const MOVE_RESTORED_AMOUNTS = statement(
  'move restored uses on gift cards',
  `update gift_cards g set spent = g.spent - n.restored, balance = g.balance + n.restored
   from (select u.merchant_id, u.card_id, sum(u.amount)::bigint as restored
     from unnest($1::bigint[], $2::text[]) as c (merchant_id, charge_id)
     join gift_card_uses u on u.merchant_id = c.merchant_id and u.charge_id = c.charge_id and u.state = 'taken'
     group by u.merchant_id, u.card_id) n
   where g.merchant_id = n.merchant_id and g.id = n.card_id`,
)
const RESTORE_USES = statement(
  'restore gift card uses',
  `update gift_card_uses u set state = 'restored', ended_at = $3
   from unnest($1::bigint[], $2::text[]) as c (merchant_id, charge_id)
   where u.merchant_id = c.merchant_id and u.charge_id = c.charge_id and u.state = 'taken'`,
)

/** Locks the card until the commit. How much it pays is decided on this row. */
export const lockCard = (merchantId: number, cardId: string): Call<GiftCard> => call(LOCK_CARD, merchantId, cardId)

/**
 * Takes a new charge's part from a locked card: reserved while the charge is open, or spent at once. Must be sent after
 * the charge itself. If the card has less, a CHECK fails the whole transaction.
 */
export function reserveCard(use: CardUse & { state: 'reserved' | 'taken'; at: Date }): Call[] {
  const { merchantId, chargeId, cardId, amount, state } = use
  assert(amount > 0, 'a card that pays nothing is not used')
  const at = use.at.toISOString()
  return [
    call(RESERVE_ON_CARD, merchantId, cardId, amount, state),
    call(ADD_USE, merchantId, chargeId, cardId, amount, state, at, state === 'taken' ? at : null),
  ]
}

/**
 * Locks the cards that these charges use until the commit, in the one order that all transactions follow. The charges must
 * have been locked by an earlier statement.
 */
export const lockCardsOf = (charges: readonly CardChargeKey[]): Call<CardUse> =>
  call(
    LOCK_CARDS_OF_CHARGES,
    numberColumn(charges.map((charge) => charge.merchantId)),
    textColumn(charges.map((charge) => charge.id)),
  )

export type CardUseEnd = { merchantId: number; chargeId: string; to: 'taken' | 'freed' }

/** Turns what is still reserved for these charges into spent (`taken`) or returns it to the card (`freed`). lockCardsOf has locked the cards. */
export function endCardUses(ends: readonly CardUseEnd[], at: Date): Call[] {
  if (ends.length === 0) return []
  assertOnce(ends.map((end) => `${end.merchantId} ${end.chargeId}`))
  const each = toColumns(ends)
  const columns = [...each.numbers('merchantId'), ...each.texts('chargeId', 'to')]
  return [call(MOVE_ENDED_AMOUNTS, ...columns), call(END_USES, ...columns, at.toISOString())]
}

/** Returns what these charges spent to their cards, even to expired ones (G68). lockCardsOf has locked the cards. */
export function restoreCards(charges: readonly CardChargeKey[], at: Date): Call[] {
  if (charges.length === 0) return []
  assertOnce(charges.map((charge) => `${charge.merchantId} ${charge.id}`))
  const columns = [
    numberColumn(charges.map((charge) => charge.merchantId)),
    textColumn(charges.map((charge) => charge.id)),
  ]
  return [call(MOVE_RESTORED_AMOUNTS, ...columns), call(RESTORE_USES, ...columns, at.toISOString())]
}

// A charge that is named twice would move its card twice.
const assertOnce = (names: readonly string[]) =>
  assert(new Set(names).size === names.length, 'each charge is named once')
