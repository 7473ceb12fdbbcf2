import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { GIFT_CARD_COLUMNS, type GiftCard } from './gift-card.ts'

// A card that is deactivated twice keeps the first time.
const SWITCH_CARD = statement<GiftCard>(
  'switch gift card',
  `update gift_cards g set deactivated_at = case when $3::timestamptz is not null then coalesce(g.deactivated_at, $3) end
   where g.merchant_id = $1 and g.id = $2 returning ${GIFT_CARD_COLUMNS}`,
)

type CardOwner = { id: number; tag: string }
type SwitchInput = { owner: CardOwner; cardId: string }

/**
 * Deactivates a card. Open payments that reserved some of it still complete. Waits for a payment that is being stored;
 * after this returns, no further payment uses the card. Throws 404 `gift card not found`.
 */
export const deactivateCard = (app: App, actor: Actor, card: SwitchInput): Promise<GiftCard> =>
  switchCard(app, actor, { ...card, active: false })

/** Activates a card again; an expired or spent one still pays nothing. Throws 404 `gift card not found`. */
export const activateCard = (app: App, actor: Actor, card: SwitchInput): Promise<GiftCard> =>
  switchCard(app, actor, { ...card, active: true })

async function switchCard(
  app: App,
  actor: Actor,
  { owner, cardId, active }: SwitchInput & { active: boolean },
): Promise<GiftCard> {
  allow(actor, 'card.switch', owner.id)
  if (parseTag('gc_', cardId) !== owner.tag) throw notFound('gift card')
  const at = app.clock.now()
  const deactivatedAt = active ? null : at.toISOString()
  return app.db.transaction(async (tx) => {
    const [[card]] = await tx.send(call(SWITCH_CARD, owner.id, cardId, deactivatedAt))
    if (!card) throw notFound('gift card')
    const act = { actor, action: 'card.switch', at, merchantId: owner.id } as const
    return { value: card, last: [auditRow({ ...act, mode: 'live', subject: cardId, after: { active } })] }
  })
}
