import { anyCardWorth } from '../gift-cards/find-card.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Mode } from '../platform/mode.ts'
import { type RailLimits, railRefusal } from '../rails/rail-amounts.ts'

type Asked = { merchantId: number; mode: Mode; amount: number; at: Date; limits: RailLimits }

/**
 * Why nobody can pay this amount on a page, for whoever makes the link; null where somebody can. Its operator collects neither less nor
 * more at once, and no gift card of the merchant is worth what a phone cannot pay.
 */
export async function whyUnpayable(tx: Tx, asked: Asked): Promise<string | null> {
  const { merchantId, mode, amount, at, limits } = asked
  const refusal = railRefusal({ mode, side: 'collect', amount }, limits)
  if (refusal === null) return null
  const { railCollectMin: least, railCollectMax: most } = limits
  const ofCard = amount < least ? amount : amount - most
  const [[found]] = await tx.send(anyCardWorth(merchantId, ofCard, at))
  if (found?.any) return null
  const bounds = amount < least ? `at least ${least}` : `at most ${most}`
  return `no customer can pay this: the operator collects ${bounds} at once, and no gift card of yours could cover the rest`
}
