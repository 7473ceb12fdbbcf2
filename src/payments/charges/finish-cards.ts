import type { Call } from '../../platform/db/database.ts'
import { endCardUses, lockCardsOf } from '../gift-cards/use-card.ts'
import type { ChargeMove } from './move-charge.ts'

/** What becomes of the gift card's part of a charge: taken when the charge succeeds, freed when it fails or is taken back. */
type CardOutcome = { merchantId: number; chargeId: string; to: 'taken' | 'freed' }

/**
 * Spends or frees the amounts reserved on the cards of these charges. Goes after the charges and before the ledger heads
 * (ledger.md section 5). Sends nothing without a card. A use of a card that is finished already stays as it is.
 */
export function finishCards(outcomes: readonly CardOutcome[], at: Date): Call[] {
  if (outcomes.length === 0) return []
  return [
    lockCardsOf(outcomes.map(({ merchantId, chargeId: id }) => ({ merchantId, id }))),
    ...endCardUses(outcomes, at),
  ]
}

export const hasCard = ({ charge }: ChargeMove): boolean => charge.giftCardAmount > 0

/** Collects what becomes of the gift cards of these charges: taken by success, freed by failure. */
export const collectCardOutcomes = (moves: readonly ChargeMove[]): CardOutcome[] =>
  moves.filter(hasCard).map(({ charge: { merchantId, id: chargeId }, to }) => ({
    merchantId,
    chargeId,
    to: to.status === 'succeeded' ? 'taken' : 'freed',
  }))
