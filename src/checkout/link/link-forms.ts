import { findChargeOfLink } from '../../charges/find-charges.ts'
import type { LinkPaid, LinkPayment } from '../../payment-links/judge-payment.ts'
import { payLink } from '../../payment-links/pay-link.ts'
import { isOver } from '../../payment-links/payment-link.ts'
import { retryLink } from '../../payment-links/retry-link.ts'
import { readPhone } from '../../platform/phone.ts'
import { asSeen, hasForbiddenControl } from '../../platform/text.ts'
import { NOTHING } from '../cookies.ts'
import { chargeIdOfForm, shownBy } from '../form.ts'
import type { FormFault, Method } from '../view.ts'
import { type Checkout, type Reply, type Visit, visitor } from '../visit.ts'
import { type Found, findPaidLink, pathOf, takesPayments } from './found-link.ts'
import { pageOf } from './link-pages.ts'
import { type FormState, methodsOf, payForm, remember, rememberedBy } from './pay-form.ts'
import { closedView, expiredView } from './states.ts'
import { busyFor, usableCard } from './voucher-form.ts'

const EMAIL = /^[^@\s]+@[^@\s]+$/
const LONGEST_EMAIL = 254
const HERE = { elsewhere: 403, invalid: 400, changed: 409, prompts: 429, rail: 502 }

type Sent = { channel: Method | null; phone: string; email: string; voucher: string; token: string }
type Card = LinkPayment['card']
/** The status and fault with which the form is shown again. */
type Again = Pick<FormState, 'status' | 'fault' | 'retryAfterSeconds'>

/** POST /pay/{id}/submit (contract.md G43, G44, G50b): sends one prompt, or shows the form again with the reason. */
export async function submit(checkout: Checkout, visit: Visit): Promise<Reply> {
  const linkContext = await findPaidLink(checkout, visit)
  const input = readSent(visit)
  const showFormAgain = (state: Again) =>
    payForm(
      checkout,
      { linkContext, visit },
      {
        ...state,
        typed: { method: input.channel, phone: input.phone, email: input.email },
        typedVoucher: input.voucher,
      },
    )
  if (!visit.fromOwnPage) return showFormAgain({ status: HERE.elsewhere, fault: 'elsewhere' })
  const waitSeconds = await busyFor(checkout, linkContext, visit)
  if (waitSeconds !== null)
    return showFormAgain({ status: 429, fault: 'busy', retryAfterSeconds: waitSeconds })
  const earlierId = await madeBefore(linkContext, input)
  if (earlierId !== null) return onwards(checkout, linkContext, { input, chargeId: earlierId })
  if (isOver(linkContext.link, checkout.clock.now()))
    return pageOf(linkContext, expiredView(linkContext), 410)
  if (!takesPayments(linkContext)) return pageOf(linkContext, closedView(linkContext), 409)
  const chosen = await cardOf(checkout, { linkContext, visit, input })
  if ('refusal' in chosen) return showFormAgain(chosen.refusal)
  const { card } = chosen
  if (showedOther(input, card)) return showFormAgain({ status: HERE.changed, fault: 'voucher_changed' })
  const fault = faultOf(linkContext, input, card)
  if (fault !== null) return showFormAgain({ status: HERE.invalid, fault })
  const { shop, link } = linkContext
  const result = await payLink(shop.app, visitor(visit), {
    link: { ...link, tag: shop.tag },
    payment: paymentOf(linkContext, input, card),
  })
  return answerTo(checkout, { linkContext, input, result, showFormAgain })
}

type Answered = {
  linkContext: Found
  input: Sent
  result: LinkPaid
  showFormAgain(state: Pick<FormState, 'status' | 'fault'>): Promise<Reply>
}

async function answerTo(
  checkout: Checkout,
  { linkContext, input, result, showFormAgain }: Answered,
): Promise<Reply> {
  if (result.kind !== 'refused') return onwards(checkout, linkContext, { input, chargeId: result.chargeId })
  switch (result.why) {
    case 'inactive':
      return pageOf(linkContext, closedView(linkContext), 409)
    case 'expired':
      return pageOf(linkContext, expiredView(linkContext), 410)
    case 'method':
    case 'phone':
    case 'amount_under':
    case 'amount_over':
      return showFormAgain({ status: HERE.invalid, fault: result.why })
    case 'voucher_changed':
      return showFormAgain({ status: HERE.changed, fault: 'voucher_changed' })
    case 'prompts':
      return showFormAgain({ status: HERE.prompts, fault: 'prompts' })
    case 'rail':
      return showFormAgain({ status: HERE.rail, fault: 'rail' })
  }
}

/** Redirects to the page of the payment. Remembers the typed phone for a retry and forgets the card. */
function onwards(
  checkout: Checkout,
  linkContext: Found,
  { input, chargeId }: { input: Sent; chargeId: string },
): Reply {
  const { link } = linkContext
  const to = link.allowMultipleUses ? `/pay/${link.id}/status?charge=${chargeId}` : `/pay/${link.id}/status`
  const remembered = { ...NOTHING, phone: input.phone, email: input.email, method: input.channel }
  return { kind: 'redirect', to, cookies: [remember(checkout, linkContext, remembered)] }
}

function readSent({ fields }: Visit): Sent {
  const channel = fields.channel ?? ''
  return {
    channel: channel === 'op1_momo' || channel === 'op2_money' || channel === 'card' ? channel : null,
    phone: asSeen(fields.phone ?? '')
      .trim()
      .slice(0, 40),
    email: (fields.email ?? '').slice(0, LONGEST_EMAIL + 1),
    voucher: fields.voucher ?? '',
    token: fields.token ?? '',
  }
}

const chargeIdOf = ({ shop, link }: Pick<Found, 'shop' | 'link'>, { token }: Sent): string | null =>
  chargeIdOfForm(shop.app.vault, { tag: shop.tag, linkId: link.id, token })

/** Finds the payment that holds a one-shot link, or that this form has made before. Its page is shown whatever was typed now. */
async function madeBefore(linkContext: Found, input: Sent): Promise<string | null> {
  const { shop, link, charge } = linkContext
  if (!link.allowMultipleUses && charge !== null && charge.status !== 'failed') return charge.id
  const chargeId = chargeIdOf(linkContext, input)
  if (chargeId === null) return null
  const { merchantId, id: linkId } = link
  const earlier = await findChargeOfLink(shop.app, { merchantId, linkId, chargeId })
  return earlier?.id ?? null
}

/** Whether the customer would now pay another amount than the form showed, because the card changed or was forgotten. */
function showedOther({ token, voucher }: Sent, card: Card): boolean {
  const shownAmount = shownBy(token)
  return voucher === '' && shownAmount !== null && shownAmount !== (card?.applied ?? 0)
}

/** Chooses the card to use: by the code in the form, else the card applied before, with the amount that the page showed. */
async function cardOf(
  checkout: Checkout,
  { linkContext, visit, input }: { linkContext: Found; visit: Visit; input: Sent },
): Promise<{ card: Card } | { refusal: Again }> {
  if (input.voucher === '') {
    const { voucher } = rememberedBy(checkout, linkContext, visit)
    return { card: voucher && { id: voucher.cardId, applied: voucher.applied } }
  }
  const voucherTry = await usableCard(checkout, linkContext, { visit, code: input.voucher })
  switch (voucherTry.kind) {
    case 'usable':
      return { card: { id: voucherTry.cardId, applied: voucherTry.applied } }
    case 'busy':
      return { refusal: { status: 429, fault: 'busy', retryAfterSeconds: voucherTry.retryAfterSeconds } }
    case 'closed':
      return { refusal: { status: HERE.invalid, fault: 'voucher_closed' } }
    case 'unusable':
      return { refusal: { status: HERE.invalid, fault: 'voucher' } }
  }
}

function faultOf(linkContext: Found, { channel, phone, email }: Sent, card: Card): FormFault | null {
  if (email !== '' && !isEmail(email)) return 'email'
  if (card !== null && card.applied === linkContext.link.amount) return null
  if (channel === null || !methodsOf(linkContext).includes(channel)) return 'method'
  return readPhone(phone) === null ? 'phone' : null
}

const isEmail = (text: string) =>
  text.length <= LONGEST_EMAIL && EMAIL.test(text) && !hasForbiddenControl(text, false)

function paymentOf({ shop, link }: Found, input: Sent, card: Card): LinkPayment {
  return {
    channel: input.channel ?? 'op1_momo',
    phone: readPhone(input.phone),
    email: input.email === '' ? null : input.email,
    card,
    chargeId: chargeIdOf({ shop, link }, input),
  }
}

/** POST /pay/{id}/retry (G46): frees a link from a failed attempt, and changes nothing if its attempt has not failed. */
export async function retry(checkout: Checkout, visit: Visit): Promise<Reply> {
  const linkContext = await findPaidLink(checkout, visit)
  const { link, shop, charge } = linkContext
  const toStatus: Reply = { kind: 'redirect', to: pathOf(linkContext, 'status') }
  if (!visit.fromOwnPage || charge?.status !== 'failed') return toStatus
  // An expired order with a failed payment stays as it is (contract.md G29).
  if (isOver(link, checkout.clock.now())) return toStatus
  const isFree = link.allowMultipleUses || (await retryLink(shop.app, visitor(visit), link))
  return isFree ? { kind: 'redirect', to: `/pay/${link.id}` } : toStatus
}
