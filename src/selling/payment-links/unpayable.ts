import { hasCardWorth } from '../../payments/gift-cards/find-card.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Mode } from '../../platform/mode.ts'
import { type RailLimits, railRefusal } from '../../rails/rail-amounts.ts'

type PayableInput = { merchantId: number; mode: Mode; amount: number; at: Date; limits: RailLimits }

/**
 * Returns why no customer can pay this amount on a page, for the person who creates the link; null if one can. The amount is outside what
 * the operator collects at once, and no gift card of the merchant is worth the part that a phone cannot pay.
 */
export async function findUnpayableReason(tx: Tx, input: PayableInput): Promise<string | null> {
  const { merchantId, mode, amount, at, limits } = input
  const refusal = railRefusal({ mode, side: 'collect', amount }, limits)
  if (refusal === null) return null
  const { railCollectMin: least, railCollectMax: most } = limits
  const cardPart = amount < least ? amount : amount - most
  const [[match]] = await tx.send(hasCardWorth(merchantId, cardPart, at))
  if (match?.any) return null
  const bounds = amount < least ? `at least ${least}` : `at most ${most}`
  return `no customer can pay this: the operator collects ${bounds} at once, and no gift card of yours could cover the rest`
}
