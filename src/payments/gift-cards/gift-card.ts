/** Store credit of one merchant, live only, outside the ledger (contract.md G67, 3 k). Whole UGX; times are UTC. */
export type GiftCard = {
  merchantId: number
  id: string
  last4: string
  value: number
  /** What is left to spend. */
  balance: number
  /** Set aside for payments whose outcome is awaited. */
  reserved: number
  spent: number
  notes: string | null
  /** From this moment on the card pays nothing more. */
  expiresAt: Date
  deactivatedAt: Date | null
  createdAt: Date
}

export const GIFT_CARD_COLUMNS = `g.merchant_id as "merchantId", g.id, g.last4, g.value, g.balance, g.reserved, g.spent,
  g.notes, g.expires_at as "expiresAt", g.deactivated_at as "deactivatedAt", g.created_at as "createdAt"`

/** `spent`: nothing is left and no open payment can return anything. */
export type CardState = 'active' | 'expired' | 'deactivated' | 'spent'

export function cardState(card: GiftCard, at: Date): CardState {
  if (card.deactivatedAt !== null) return 'deactivated'
  if (card.balance === 0 && card.reserved === 0) return 'spent'
  return card.expiresAt <= at ? 'expired' : 'active'
}

/** Whether the card can pay something at this time. */
export const isUsable = (card: GiftCard, at: Date): boolean => cardState(card, at) === 'active' && card.balance > 0
