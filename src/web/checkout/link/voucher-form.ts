import { splitCover } from '../../../payments/gift-cards/cover.ts'
import { findUsableCard } from '../../../payments/gift-cards/find-card.ts'
import { countVoucherMiss, readVoucherBox } from '../../../payments/gift-cards/voucher-misses.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { RememberedInput } from '../cookies.ts'
import { linkPath } from '../payment-path.ts'
import type { Checkout, CheckoutVisit, Reply } from '../visit.ts'
import { getLinkContext, type LinkContext } from './link-context.ts'
import { buildPayForm, recallInput, rememberInput } from './pay-form.ts'

/** POST /pay/{id}/apply-voucher (G47): remembers a card for this browser, or forgets it. It reserves nothing on the card. */
export async function applyVoucher(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const path = linkPath(linkContext.link.id)
  if (!visit.fromOwnPage) return { kind: 'redirect', to: path }
  const remembered = recallInput(checkout, linkContext, visit)
  if (visit.fields.remove) return redirectToForm(checkout, linkContext, { ...remembered, voucher: null })
  const code = visit.fields.code ?? ''
  const waitSeconds = await takeSubmit(checkout, linkContext, visit)
  const voucherTry: VoucherTry =
    waitSeconds === null
      ? await tryVoucherCode(checkout, linkContext, { visit, code })
      : { kind: 'busy', retryAfterSeconds: waitSeconds }
  if (voucherTry.kind === 'busy')
    return buildPayForm(
      checkout,
      { linkContext, visit },
      { status: 429, fault: 'busy', typedVoucher: code, retryAfterSeconds: voucherTry.retryAfterSeconds },
    )
  if (voucherTry.kind !== 'usable') return { kind: 'redirect', to: `${path}?voucher=${voucherTry.kind}` }
  const { cardId, applied } = voucherTry
  return redirectToForm(checkout, linkContext, { ...remembered, voucher: { cardId, applied } })
}

const redirectToForm = (checkout: Checkout, linkContext: LinkContext, remembered: RememberedInput): Reply => ({
  kind: 'redirect',
  to: linkPath(linkContext.link.id),
  cookies: [rememberInput(checkout, linkContext, remembered)],
})

type VoucherTry =
  | { kind: 'usable'; cardId: string; applied: number }
  | { kind: 'unusable' | 'closed' }
  | { kind: 'busy'; retryAfterSeconds: number }

/** Looks up a typed code. Counts it as a miss if it cannot be used here, for any reason. */
export async function tryVoucherCode(
  { limits, clock }: Checkout,
  { shop, link }: LinkContext,
  { visit, code }: { visit: CheckoutVisit; code: string },
): Promise<VoucherTry> {
  const linkKey = { merchantId: link.merchantId, linkId: link.id }
  const misses = limits.voucherMisses
  let takenMs: number
  try {
    // Every try is counted before the look-up and given back for a usable card, so that parallel guesses count as much as
    // guesses one after the other.
    takenMs = await misses.take(visit.address, clock.nowMs())
  } catch (error) {
    return { kind: 'busy', retryAfterSeconds: getWaitSeconds(error) }
  }
  if ((await readVoucherBox(shop.app, linkKey)) === 'closed') {
    await misses.giveBack(visit.address, takenMs)
    return { kind: 'closed' }
  }
  const card = await findUsableCard(shop.app, { merchantId: link.merchantId, mode: link.mode, text: code })
  const leastDue = shop.app.config.railCollectMin
  const applied = card === null ? 0 : splitCover(link.amount, card.balance, leastDue).applied
  if (card !== null && applied > 0) {
    await misses.giveBack(visit.address, takenMs)
    return { kind: 'usable', cardId: card.id, applied }
  }
  return { kind: (await countVoucherMiss(shop.app, linkKey)) === 'closed' ? 'closed' : 'unusable' }
}

/** Counts a form against its limits. Returns null, or the seconds to wait if a limit is used up. */
export async function takeSubmit(
  { limits, clock }: Checkout,
  { link }: LinkContext,
  { address }: CheckoutVisit,
): Promise<number | null> {
  try {
    await limits.submits.take(address, clock.nowMs())
    await limits.submitsOfLink.take(`${link.id} ${address}`, clock.nowMs())
    return null
  } catch (error) {
    return getWaitSeconds(error)
  }
}

const DEFAULT_WINDOW_SECONDS = 60

/** Gets the wait (seconds) from the refusal of a full window. Rethrows any other error. */
function getWaitSeconds(error: unknown): number {
  if (error instanceof Refusal) return error.retryAfterSeconds ?? DEFAULT_WINDOW_SECONDS
  throw error
}
