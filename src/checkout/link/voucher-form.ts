import { coverOf } from '../../gift-cards/cover.ts'
import { findUsableCard } from '../../gift-cards/find-card.ts'
import { countVoucherMiss, voucherBox } from '../../gift-cards/voucher-misses.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Remembered } from '../cookies.ts'
import type { Checkout, Reply, Visit } from '../visit.ts'
import { type Found, findPaidLink } from './found-link.ts'
import { payForm, remember, rememberedBy } from './pay-form.ts'

/** POST /pay/{id}/apply-voucher (G47): remembers a card for this browser, or forgets it. It reserves nothing on the card. */
export async function applyVoucher(checkout: Checkout, visit: Visit): Promise<Reply> {
  const linkContext = await findPaidLink(checkout, visit)
  const path = `/pay/${linkContext.link.id}`
  if (!visit.fromOwnPage) return { kind: 'redirect', to: path }
  const remembered = rememberedBy(checkout, linkContext, visit)
  if (visit.fields.remove) return back(checkout, linkContext, { ...remembered, voucher: null })
  const code = visit.fields.code ?? ''
  const waitSeconds = await busyFor(checkout, linkContext, visit)
  const voucherTry: Usable =
    waitSeconds === null
      ? await usableCard(checkout, linkContext, { visit, code })
      : { kind: 'busy', retryAfterSeconds: waitSeconds }
  if (voucherTry.kind === 'busy')
    return payForm(
      checkout,
      { linkContext, visit },
      { status: 429, fault: 'busy', typedVoucher: code, retryAfterSeconds: voucherTry.retryAfterSeconds },
    )
  if (voucherTry.kind !== 'usable') return { kind: 'redirect', to: `${path}?voucher=${voucherTry.kind}` }
  const { cardId, applied } = voucherTry
  return back(checkout, linkContext, { ...remembered, voucher: { cardId, applied } })
}

const back = (checkout: Checkout, linkContext: Found, remembered: Remembered): Reply => ({
  kind: 'redirect',
  to: `/pay/${linkContext.link.id}`,
  cookies: [remember(checkout, linkContext, remembered)],
})

type Usable =
  | { kind: 'usable'; cardId: string; applied: number }
  | { kind: 'unusable' | 'closed' }
  | { kind: 'busy'; retryAfterSeconds: number }

/** Looks up a typed code. Counts it as a miss if it cannot be used here, for any reason. */
export async function usableCard(
  { limits, clock }: Checkout,
  { shop, link }: Found,
  { visit, code }: { visit: Visit; code: string },
): Promise<Usable> {
  const linkKey = { merchantId: link.merchantId, linkId: link.id }
  const misses = limits.voucherMisses
  let takenMs: number
  try {
    // Every try is counted before the look-up and given back for a usable card, so that parallel guesses count as much as
    // guesses one after the other.
    takenMs = await misses.take(visit.address, clock.nowMs())
  } catch (error) {
    return { kind: 'busy', retryAfterSeconds: waitSecondsOf(error) }
  }
  if ((await voucherBox(shop.app, linkKey)) === 'closed') {
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
  return { kind: (await countVoucherMiss(shop.app, linkKey)) === 'closed' ? 'closed' : 'unusable' }
}

/** Counts a form against its limits. Returns null, or the seconds to wait if a limit is used up. */
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

/** Gets the wait (seconds) from the refusal of a full window. Rethrows any other error. */
function waitSecondsOf(error: unknown): number {
  if (error instanceof Refusal) return error.retryAfterSeconds ?? SECONDS_OF_MOST_WINDOWS
  throw error
}
