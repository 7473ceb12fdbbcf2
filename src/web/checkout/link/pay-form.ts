import { type Cover, splitCover } from '../../../payments/gift-cards/cover.ts'
import { findCard } from '../../../payments/gift-cards/find-card.ts'
import { type GiftCard, isUsable } from '../../../payments/gift-cards/gift-card.ts'
import { readVoucherBox } from '../../../payments/gift-cards/voucher-misses.ts'
import { dayBounds } from '../../../platform/time/kampala.ts'
import { isLiveChannel } from '../../../rails/live-rails.ts'
import { CHANNELS } from '../../../rails/rail.ts'
import { recordInvoiceSeen } from '../../../selling/invoices/change-invoice.ts'
import { findInvoice } from '../../../selling/invoices/find-invoices.ts'
import { formatInvoiceNumber } from '../../../selling/invoices/invoice.ts'
import { openInputCookie, type RememberedInput, sealInputCookie } from '../cookies.ts'
import { newPayFormToken } from '../form-token.ts'
import { linkPath } from '../payment-path.ts'
import type { FormFault, InvoiceView, Method, OtherOperator, PayView } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'
import type { LinkContext } from './link-context.ts'

/** The response status, the fault to show, and the values typed before. */
export type PayFormState = {
  status: number
  fault: FormFault | null
  otherOperator?: OtherOperator
  typed?: Partial<PayView['typed']>
  typedVoucher?: string
  retryAfterSeconds?: number
}

/** A gift card that this browser has applied, as it is now. */
type AppliedGiftCard = { card: GiftCard; cover: Cover }

export const listMethods = ({ shop, link }: LinkContext): readonly Method[] =>
  link.mode === 'live' ? CHANNELS.filter((channel) => isLiveChannel(shop.app, channel)) : CHANNELS

export const recallInput = ({ clock }: Checkout, { shop, link }: LinkContext, visit: CheckoutVisit): RememberedInput =>
  openInputCookie(shop.app.vault, link, { cookies: visit.cookies, nowMs: clock.nowMs() })

export const rememberInput = (
  { clock, https }: Checkout,
  { shop, link }: LinkContext,
  remembered: RememberedInput,
): string => sealInputCookie(shop.app.vault, link, { remembered, nowMs: clock.nowMs(), https })

/** Finds the remembered card; null if it can pay nothing here any more. */
async function findAppliedCard(linkContext: LinkContext, remembered: RememberedInput): Promise<AppliedGiftCard | null> {
  const { shop, link } = linkContext
  if (remembered.voucher === null || link.mode !== 'live') return null
  const { merchantId } = link
  const card = await findCard(shop.app, { merchantId, cardId: remembered.voucher.cardId })
  if (card === null || !isUsable(card, shop.app.clock.now())) return null
  const cover = splitCover(link.amount, card.balance, shop.app.config.railCollectMin)
  return cover.applied > 0 ? { card, cover } : null
}

/** Makes the form, filled with earlier input. The customer pays exactly the amount that it shows after the card. */
export async function buildPayForm(
  checkout: Checkout,
  { linkContext, visit }: { linkContext: LinkContext; visit: CheckoutVisit },
  state: PayFormState,
): Promise<Reply> {
  const { shop, link } = linkContext
  const remembered = recallInput(checkout, linkContext, visit)
  const applied = await findAppliedCard(linkContext, remembered)
  const voucher = applied && { cardId: applied.card.id, applied: applied.cover.applied }
  const lost = remembered.voucher !== null && voucher === null
  const changed = lost || voucher?.applied !== remembered.voucher?.applied
  const cardFault = voucher === null ? 'voucher_lost' : 'voucher_changed'
  return {
    kind: 'page',
    status: state.status,
    shop,
    mode: link.mode,
    here: linkPath(link.id),
    view: {
      kind: 'pay',
      linkId: link.id,
      amount: link.amount,
      description: linkContext.description,
      invoice: await presentInvoice(linkContext, visit),
      methods: listMethods(linkContext),
      testOnly: listMethods(linkContext).filter((method) => !isLiveChannel(shop.app, method)),
      voucher: await presentVoucher(linkContext, applied, state.typedVoucher ?? ''),
      typed: {
        method: remembered.method,
        phone: remembered.phone,
        email: remembered.email,
        ...state.typed,
      },
      token: newPayFormToken(voucher?.applied ?? 0),
      // A customer who sent an older form is told the present state of the card.
      fault: state.fault === 'voucher_changed' ? cardFault : (state.fault ?? (changed ? cardFault : null)),
      otherOperator: state.otherOperator ?? null,
      cancelUrl: link.cancelUrl,
    },
    cookies: changed ? [rememberInput(checkout, linkContext, { ...remembered, voucher })] : [],
    ...(state.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: state.retryAfterSeconds }),
  }
}

/** Makes what the page shows of the invoice of a link, and records that its customer has seen it; null for any other link. */
async function presentInvoice({ shop, link }: LinkContext, visit: CheckoutVisit): Promise<InvoiceView | null> {
  if (link.kind !== 'link' || link.allowMultipleUses) return null
  const invoice = await findInvoice(shop.app, link)
  if (invoice === null) return null
  if (visit.byCustomer && invoice.seenAt === null) await recordInvoiceSeen(shop.app, newCustomerCaller(visit), invoice)
  const { number, name, dueOn, status, lines, note } = invoice
  return {
    number: formatInvoiceNumber(number),
    name,
    dueOn: dayBounds(dueOn).start,
    isLate: status === 'late',
    lines,
    note,
  }
}

async function presentVoucher(
  { shop, link }: LinkContext,
  applied: AppliedGiftCard | null,
  typed: string,
): Promise<PayView['voucher']> {
  if (link.mode === 'test') return null
  if (applied !== null) return { applied: { last4: applied.card.last4, ...applied.cover }, typed }
  const box = await readVoucherBox(shop.app, { merchantId: link.merchantId, linkId: link.id })
  return box === 'open' ? { applied: null, typed } : null
}
