import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { GIFT_CARD_COLUMNS, type GiftCard } from './gift-card.ts'

const DEACTIVATE = statement<GiftCard>(
  'deactivate gift card',
  `update gift_cards g set deactivated_at = coalesce(g.deactivated_at, $3) where g.merchant_id = $1 and g.id = $2
   returning ${GIFT_CARD_COLUMNS}`,
)
const ACTIVATE = statement<GiftCard>(
  'activate gift card',
  `update gift_cards g set deactivated_at = null where g.merchant_id = $1 and g.id = $2 returning ${GIFT_CARD_COLUMNS}`,
)

type Owner = { id: number; tag: string }

/**
 * Deactivates a card. Open payments that reserved some of it still complete. It waits for a payment that is being stored;
 * after it returns, no further one uses the card. Throws 404 `gift card not found`.
 */
export async function deactivateCard(app: App, owner: Owner, cardId: string): Promise<GiftCard> {
  const at = app.clock.now().toISOString()
  return known(isOwn(owner, cardId) ? await app.db.query(DEACTIVATE, [owner.id, cardId, at]) : [])
}

/** Activates a card again; an expired or spent one still pays nothing. Throws 404 `gift card not found`. */
export async function activateCard(app: App, owner: Owner, cardId: string): Promise<GiftCard> {
  return known(isOwn(owner, cardId) ? await app.db.query(ACTIVATE, [owner.id, cardId]) : [])
}

const isOwn = ({ tag }: Owner, cardId: string) => tagOf('gc_', cardId) === tag

function known([card]: readonly GiftCard[]): GiftCard {
  if (!card) throw notFound('gift card')
  return card
}
