import { endCardUses, lockCardsOf } from '../gift-cards/use-card.ts'
import type { Call } from '../platform/db/database.ts'

/** The end of a charge that a gift card pays in part, or its being taken back. */
export type CardEnd = { merchantId: number; chargeId: string; to: 'taken' | 'freed' }

/**
 * Spends or frees what was reserved on the cards of these charges. Goes after the charges and before the ledger heads
 * (ledger.md section 5); without a card it sends nothing. A use that has ended before stays as it is.
 */
export function endCards(ends: readonly CardEnd[], at: Date): Call[] {
  if (ends.length === 0) return []
  return [
    lockCardsOf(ends.map(({ merchantId, chargeId: id }) => ({ merchantId, id }))),
    ...endCardUses(ends, at),
  ]
}
