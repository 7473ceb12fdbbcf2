import { type Cover, coverOf } from '../../gift-cards/cover.ts'
import { findCard } from '../../gift-cards/find-card.ts'
import { type GiftCard, isUsable } from '../../gift-cards/gift-card.ts'
import { voucherBox } from '../../gift-cards/voucher-misses.ts'
import { CHANNELS, LIVE_CHANNELS } from '../../rails/rail.ts'
import { type Remembered, readRemembered, rememberedCookie } from '../cookies.ts'
import { newFormToken } from '../form.ts'
import type { FormFault, Method, PayView } from '../view.ts'
import type { Checkout, Reply, Visit } from '../visit.ts'
import type { Found } from './found-link.ts'

/** The response status, the fault to show, and the values typed before. */
export type FormState = {
  status: number
  fault: FormFault | null
  typed?: Partial<PayView['typed']>
  typedVoucher?: string
  retryAfterSeconds?: number
}

/** A gift card that this browser has applied, as it is now. */
type Applied = { card: GiftCard; cover: Cover }

export const methodsOf = ({ link }: Found): readonly Method[] =>
  link.mode === 'live' ? CHANNELS.filter((channel) => LIVE_CHANNELS.includes(channel)) : CHANNELS

export const rememberedBy = ({ clock }: Checkout, { shop, link }: Found, visit: Visit): Remembered =>
  readRemembered(shop.app.vault, link, { cookies: visit.cookies, nowMs: clock.nowMs() })

export const remember = ({ clock, https }: Checkout, { shop, link }: Found, remembered: Remembered): string =>
  rememberedCookie(shop.app.vault, link, { remembered, nowMs: clock.nowMs(), https })

/** Finds the remembered card; null if it can pay nothing here any more. */
async function appliedCard(linkContext: Found, remembered: Remembered): Promise<Applied | null> {
  const { shop, link } = linkContext
  if (remembered.voucher === null || link.mode !== 'live') return null
  const { merchantId } = link
  const card = await findCard(shop.app, { merchantId, cardId: remembered.voucher.cardId })
  if (card === null || !isUsable(card, shop.app.clock.now())) return null
  const cover = coverOf(link.amount, card.balance, shop.app.config.railCollectMin)
  return cover.applied > 0 ? { card, cover } : null
}

/** Makes the form, filled with earlier input. The customer pays exactly the amount that it shows after the card. */
export async function payForm(
  checkout: Checkout,
  { linkContext, visit }: { linkContext: Found; visit: Visit },
  state: FormState,
): Promise<Reply> {
  const { shop, link } = linkContext
  const remembered = rememberedBy(checkout, linkContext, visit)
  const applied = await appliedCard(linkContext, remembered)
  const voucher = applied && { cardId: applied.card.id, applied: applied.cover.applied }
  const lost = remembered.voucher !== null && voucher === null
  const changed = lost || voucher?.applied !== remembered.voucher?.applied
  const cardFault = voucher === null ? 'voucher_lost' : 'voucher_changed'
  return {
    kind: 'page',
    status: state.status,
    shop,
    mode: link.mode,
    here: `/pay/${link.id}`,
    view: {
      kind: 'pay',
      linkId: link.id,
      amount: link.amount,
      description: linkContext.description,
      methods: methodsOf(linkContext),
      voucher: await voucherOf(linkContext, applied, state.typedVoucher ?? ''),
      typed: {
        method: remembered.method,
        phone: remembered.phone,
        email: remembered.email,
        ...state.typed,
      },
      token: newFormToken(voucher?.applied ?? 0),
      // A customer who sent an older form is told the present state of the card.
      fault: state.fault === 'voucher_changed' ? cardFault : (state.fault ?? (changed ? cardFault : null)),
      cancelUrl: link.cancelUrl,
    },
    cookies: changed ? [remember(checkout, linkContext, { ...remembered, voucher })] : [],
    ...(state.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: state.retryAfterSeconds }),
  }
}

async function voucherOf(
  { shop, link }: Found,
  applied: Applied | null,
  typed: string,
): Promise<PayView['voucher']> {
  if (link.mode === 'test') return null
  if (applied !== null) return { applied: { last4: applied.card.last4, ...applied.cover }, typed }
  const box = await voucherBox(shop.app, { merchantId: link.merchantId, linkId: link.id })
  return box === 'open' ? { applied: null, typed } : null
}
