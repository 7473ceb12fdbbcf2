import { coverOf } from '../gift-cards/cover.ts'
import { findUsableCard } from '../gift-cards/find-card.ts'
import { countVoucherMiss, voucherBox } from '../gift-cards/voucher-misses.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Remembered } from './cookies.ts'
import { type Found, findPaidLink } from './found-link.ts'
import { remember, rememberedBy } from './pay-form.ts'
import type { Checkout, Reply, Visit } from './visit.ts'

/** POST /pay/{id}/apply-voucher (G47): remembers a card for this browser, or takes it off. Nothing is reserved yet. */
export async function applyVoucher(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaidLink(checkout, visit)
  const path = `/pay/${found.link.id}`
  if (!visit.fromHere) return { kind: 'redirect', to: path }
  const remembered = rememberedBy(checkout, found, visit)
  if (visit.fields.remove) return back(checkout, found, { ...remembered, voucher: null })
  if (busyFor(checkout, found, visit) !== null) return { kind: 'redirect', to: `${path}?voucher=busy` }
  const usable = await usableCard(checkout, found, { visit, code: visit.fields.code ?? '' })
  if (usable.kind !== 'usable') return { kind: 'redirect', to: `${path}?voucher=${usable.kind}` }
  const { cardId, applied } = usable
  return back(checkout, found, { ...remembered, voucher: { cardId, applied } })
}

const back = (checkout: Checkout, found: Found, remembered: Remembered): Reply => ({
  kind: 'redirect',
  to: `/pay/${found.link.id}`,
  cookies: [remember(checkout, found, remembered)],
})

type Usable = { kind: 'usable'; cardId: string; applied: number } | { kind: 'unusable' | 'closed' | 'busy' }

/** Looks for a typed code, and counts it when it cannot be used here, for whatever reason. */
export async function usableCard(
  { limits, clock }: Checkout,
  { shop, link }: Found,
  { visit, code }: { visit: Visit; code: string },
): Promise<Usable> {
  const place = { merchantId: link.merchantId, linkId: link.id }
  try {
    limits.voucherMisses.check(visit.address, clock.nowMs())
  } catch {
    return { kind: 'busy' }
  }
  if ((await voucherBox(shop.app, place)) === 'closed') return { kind: 'closed' }
  const card = await findUsableCard(shop.app, { merchantId: link.merchantId, mode: link.mode, text: code })
  const applied = card === null ? 0 : coverOf(link.amount, card.balance).applied
  if (card !== null && applied > 0) return { kind: 'usable', cardId: card.id, applied }
  takeQuietly(() => limits.voucherMisses.take(visit.address, clock.nowMs()))
  return { kind: (await countVoucherMiss(shop.app, place)) === 'closed' ? 'closed' : 'unusable' }
}

// Parallel misses may fill the window between the check and here; the answer stays the same.
function takeQuietly(take: () => void): void {
  try {
    take()
  } catch {}
}

/** Seconds until this browser may send again, or null when it may now. */
export function busyFor({ limits, clock }: Checkout, { link }: Found, { address }: Visit): number | null {
  try {
    limits.submits.take(address, clock.nowMs())
    limits.submitsOfLink.take(`${link.id} ${address}`, clock.nowMs())
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.retryAfterSeconds ?? 60
    throw error
  }
}
