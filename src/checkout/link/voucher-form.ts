import { coverOf } from '../../gift-cards/cover.ts'
import { findUsableCard } from '../../gift-cards/find-card.ts'
import { countVoucherMiss, voucherBox } from '../../gift-cards/voucher-misses.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Remembered } from '../cookies.ts'
import type { Checkout, Reply, Visit } from '../visit.ts'
import { type Found, findPaidLink } from './found-link.ts'
import { payForm, remember, rememberedBy } from './pay-form.ts'

/** POST /pay/{id}/apply-voucher (G47): remembers a card for this browser, or forgets it. Nothing is reserved yet. */
export async function applyVoucher(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaidLink(checkout, visit)
  const path = `/pay/${found.link.id}`
  if (!visit.fromHere) return { kind: 'redirect', to: path }
  const remembered = rememberedBy(checkout, found, visit)
  if (visit.fields.remove) return back(checkout, found, { ...remembered, voucher: null })
  const code = visit.fields.code ?? ''
  const waitSeconds = await busyFor(checkout, found, visit)
  const usable: Usable =
    waitSeconds === null
      ? await usableCard(checkout, found, { visit, code })
      : { kind: 'busy', retryAfterSeconds: waitSeconds }
  if (usable.kind === 'busy')
    return payForm(
      checkout,
      { found, visit },
      { status: 429, fault: 'busy', typedVoucher: code, retryAfterSeconds: usable.retryAfterSeconds },
    )
  if (usable.kind !== 'usable') return { kind: 'redirect', to: `${path}?voucher=${usable.kind}` }
  const { cardId, applied } = usable
  return back(checkout, found, { ...remembered, voucher: { cardId, applied } })
}

const back = (checkout: Checkout, found: Found, remembered: Remembered): Reply => ({
  kind: 'redirect',
  to: `/pay/${found.link.id}`,
  cookies: [remember(checkout, found, remembered)],
})

type Usable =
  | { kind: 'usable'; cardId: string; applied: number }
  | { kind: 'unusable' | 'closed' }
  | { kind: 'busy'; retryAfterSeconds: number }

/** Looks up a typed code, and counts it when it cannot be used here for any reason. */
export async function usableCard(
  { limits, clock }: Checkout,
  { shop, link }: Found,
  { visit, code }: { visit: Visit; code: string },
): Promise<Usable> {
  const place = { merchantId: link.merchantId, linkId: link.id }
  const misses = limits.voucherMisses
  let takenMs: number
  try {
    // Counted before the look-up and given back for a usable card, so that parallel guesses count like guesses one after
    // the other.
    takenMs = await misses.take(visit.address, clock.nowMs())
  } catch (error) {
    return { kind: 'busy', retryAfterSeconds: waitSecondsOf(error) }
  }
  if ((await voucherBox(shop.app, place)) === 'closed') {
    await misses.giveBack(visit.address, takenMs)
    return { kind: 'closed' }
  }
  const card = await findUsableCard(shop.app, { merchantId: link.merchantId, mode: link.mode, text: code })
  const leastDue = shop.app.config.railCollectMin
  const applied = card === null ? 0 : coverOf(link.amount, card.balance, leastDue).applied
  if (card !== null && applied > 0) {
    await misses.giveBack(visit.address, takenMs)
    return { kind: 'usable', cardId: card.id, applied }
  }
  return { kind: (await countVoucherMiss(shop.app, place)) === 'closed' ? 'closed' : 'unusable' }
}

/** Seconds until this browser may send again, or null when it may now. */
export async function busyFor(
  { limits, clock }: Checkout,
  { link }: Found,
  { address }: Visit,
): Promise<number | null> {
  try {
    await limits.submits.take(address, clock.nowMs())
    await limits.submitsOfLink.take(`${link.id} ${address}`, clock.nowMs())
    return null
  } catch (error) {
    return waitSecondsOf(error)
  }
}

const SECONDS_OF_MOST_WINDOWS = 60

/** The wait of a full window in seconds. Throws any other error again. */
function waitSecondsOf(error: unknown): number {
  if (error instanceof Refusal) return error.retryAfterSeconds ?? SECONDS_OF_MOST_WINDOWS
  throw error
}
