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
const HERE = { again: 403, bad: 400, changed: 409, prompts: 429, rail: 502 }

type Sent = { channel: Method | null; phone: string; email: string; voucher: string; token: string }
type Card = LinkPayment['card']
/** Why the form is shown again. */
type Again = Pick<FormState, 'status' | 'fault' | 'retryAfterSeconds'>

/** POST /pay/{id}/submit (contract.md G43, G44, G50b): one prompt, or the form again with the reason. */
export async function submit(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaidLink(checkout, visit)
  const sent = readSent(visit)
  const again = (state: Again) =>
    payForm(
      checkout,
      { found, visit },
      {
        ...state,
        typed: { method: sent.channel, phone: sent.phone, email: sent.email },
        typedVoucher: sent.voucher,
      },
    )
  if (!visit.fromHere) return again({ status: HERE.again, fault: 'elsewhere' })
  const waitSeconds = await busyFor(checkout, found, visit)
  if (waitSeconds !== null) return again({ status: 429, fault: 'busy', retryAfterSeconds: waitSeconds })
  const before = await madeBefore(found, sent)
  if (before !== null) return onwards(checkout, found, { sent, chargeId: before })
  if (isOver(found.link, checkout.clock.now())) return pageOf(found, expiredView(found), 410)
  if (!takesPayments(found)) return pageOf(found, closedView(found), 409)
  const chosen = await cardOf(checkout, { found, visit, sent })
  if ('again' in chosen) return again(chosen.again)
  const { card } = chosen
  if (showedOther(sent, card)) return again({ status: HERE.changed, fault: 'voucher_changed' })
  const fault = faultOf(found, sent, card)
  if (fault !== null) return again({ status: HERE.bad, fault })
  const { shop, link } = found
  const paid = await payLink(shop.app, visitor(visit), {
    link: { ...link, tag: shop.tag },
    payment: paymentOf(found, sent, card),
  })
  return answerTo(checkout, { found, sent, paid, again })
}

type Answered = {
  found: Found
  sent: Sent
  paid: LinkPaid
  again(state: Pick<FormState, 'status' | 'fault'>): Promise<Reply>
}

async function answerTo(checkout: Checkout, { found, sent, paid, again }: Answered): Promise<Reply> {
  if (paid.kind !== 'refused') return onwards(checkout, found, { sent, chargeId: paid.chargeId })
  switch (paid.why) {
    case 'inactive':
      return pageOf(found, closedView(found), 409)
    case 'expired':
      return pageOf(found, expiredView(found), 410)
    case 'method':
    case 'phone':
    case 'amount_under':
    case 'amount_over':
      return again({ status: HERE.bad, fault: paid.why })
    case 'voucher_changed':
      return again({ status: HERE.changed, fault: 'voucher_changed' })
    case 'prompts':
      return again({ status: HERE.prompts, fault: 'prompts' })
    case 'rail':
      return again({ status: HERE.rail, fault: 'rail' })
  }
}

/** Redirects to the page of the payment. The typed phone is remembered for a retry, the card is forgotten. */
function onwards(
  checkout: Checkout,
  found: Found,
  { sent, chargeId }: { sent: Sent; chargeId: string },
): Reply {
  const { link } = found
  const to = link.allowMultipleUses ? `/pay/${link.id}/status?charge=${chargeId}` : `/pay/${link.id}/status`
  const remembered = { ...NOTHING, phone: sent.phone, email: sent.email, method: sent.channel }
  return { kind: 'redirect', to, cookies: [remember(checkout, found, remembered)] }
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

/** The payment that holds a one-shot link, or that this form made before. Its page is the answer, whatever was typed now. */
async function madeBefore(found: Found, sent: Sent): Promise<string | null> {
  const { shop, link, charge } = found
  if (!link.allowMultipleUses && charge !== null && charge.status !== 'failed') return charge.id
  const chargeId = chargeIdOf(found, sent)
  if (chargeId === null) return null
  const { merchantId, id: linkId } = link
  const made = await findChargeOfLink(shop.app, { merchantId, linkId, chargeId })
  return made?.id ?? null
}

/** Whether the customer would now pay another sum than the form showed, because the card changed or was forgotten. */
function showedOther({ token, voucher }: Sent, card: Card): boolean {
  const shown = shownBy(token)
  return voucher === '' && shown !== null && shown !== (card?.applied ?? 0)
}

/** The card to use: that of a code in the form, else the one applied before, as the page showed it. */
async function cardOf(
  checkout: Checkout,
  { found, visit, sent }: { found: Found; visit: Visit; sent: Sent },
): Promise<{ card: Card } | { again: Again }> {
  if (sent.voucher === '') {
    const { voucher } = rememberedBy(checkout, found, visit)
    return { card: voucher && { id: voucher.cardId, applied: voucher.applied } }
  }
  const usable = await usableCard(checkout, found, { visit, code: sent.voucher })
  switch (usable.kind) {
    case 'usable':
      return { card: { id: usable.cardId, applied: usable.applied } }
    case 'busy':
      return { again: { status: 429, fault: 'busy', retryAfterSeconds: usable.retryAfterSeconds } }
    case 'closed':
      return { again: { status: HERE.bad, fault: 'voucher_closed' } }
    case 'unusable':
      return { again: { status: HERE.bad, fault: 'voucher' } }
  }
}

function faultOf(found: Found, { channel, phone, email }: Sent, card: Card): FormFault | null {
  if (email !== '' && !isEmail(email)) return 'email'
  if (card !== null && card.applied === found.link.amount) return null
  if (channel === null || !methodsOf(found).includes(channel)) return 'method'
  return readPhone(phone) === null ? 'phone' : null
}

const isEmail = (text: string) =>
  text.length <= LONGEST_EMAIL && EMAIL.test(text) && !hasForbiddenControl(text, false)

function paymentOf({ shop, link }: Found, sent: Sent, card: Card): LinkPayment {
  return {
    channel: sent.channel ?? 'op1_momo',
    phone: readPhone(sent.phone),
    email: sent.email === '' ? null : sent.email,
    card,
    chargeId: chargeIdOf({ shop, link }, sent),
  }
}

/** POST /pay/{id}/retry (G46): frees a link from a failed attempt; anything else changes nothing. */
export async function retry(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaidLink(checkout, visit)
  const { link, shop, charge } = found
  const toStatus: Reply = { kind: 'redirect', to: pathOf(found, 'status') }
  if (!visit.fromHere || charge?.status !== 'failed') return toStatus
  // An expired order with a failed payment stays as it is (contract.md G29).
  if (isOver(link, checkout.clock.now())) return toStatus
  const free = link.allowMultipleUses || (await retryLink(shop.app, visitor(visit), link))
  return free ? { kind: 'redirect', to: `/pay/${link.id}` } : toStatus
}
