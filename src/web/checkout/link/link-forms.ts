import { findChargeOfLink } from '../../../payments/charges/find-charges.ts'
import { isLandline, parsePhone } from '../../../platform/text/phone.ts'
import { cleanTyped, hasForbiddenControl } from '../../../platform/text/text.ts'
import { findOtherChannel } from '../../../rails/number-ranges.ts'
import { CHANNELS, DEFAULT_CHANNEL } from '../../../rails/rail.ts'
import { retryLink } from '../../../selling/payment-links/change-link.ts'
import type { LinkPayment, LinkPaymentResult } from '../../../selling/payment-links/judge-payment.ts'
import { payLink } from '../../../selling/payment-links/pay-link.ts'
import { isLinkExpired } from '../../../selling/payment-links/payment-link.ts'
import { NOTHING_REMEMBERED } from '../cookies.ts'
import { deriveChargeId, parseShownCardAmount } from '../form-token.ts'
import { linkPath, paymentPath } from '../payment-path.ts'
import type { FormFault, Method, OtherOperator } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'
import { getLinkContext, type LinkContext, linkPagePath, takesPayments } from './link-context.ts'
import { buildLinkPage } from './link-pages.ts'
import { buildClosedView, buildExpiredView } from './link-views.ts'
import { buildPayForm, listMethods, type PayFormState, recallInput, rememberInput } from './pay-form.ts'
import { takeSubmit, tryVoucherCode } from './voucher-form.ts'

const EMAIL_PATTERN = /^[^@\s]+@[^@\s]+$/
const MAX_EMAIL_LENGTH = 254
const FORM_STATUS = { elsewhere: 403, invalid: 400, changed: 409, prompts: 429, rail: 502 }

type PayFormInput = {
  channel: Method | null
  phone: string
  email: string
  voucher: string
  token: string
  /** For which way to pay and number the customer has said that they belong together. */
  sure: string
}
type ChosenCard = LinkPayment['card']
/** The status and fault with which the form is shown again. */
type FormRefusal = Pick<PayFormState, 'status' | 'fault' | 'otherOperator' | 'retryAfterSeconds'>

/** POST /pay/{id}/submit (contract.md G43, G44, G50b): sends one prompt, or shows the form again with the reason. */
export async function submitPayForm(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const input = parsePayForm(visit)
  const showFormAgain = (state: FormRefusal) =>
    buildPayForm(
      checkout,
      { linkContext, visit },
      {
        ...state,
        typed: { method: input.channel, phone: input.phone, email: input.email },
        typedVoucher: input.voucher,
      },
    )
  if (!visit.fromOwnPage) return showFormAgain({ status: FORM_STATUS.elsewhere, fault: 'elsewhere' })
  const waitSeconds = await takeSubmit(checkout, linkContext, visit)
  if (waitSeconds !== null) return showFormAgain({ status: 429, fault: 'busy', retryAfterSeconds: waitSeconds })
  const earlierId = await findEarlierPayment(linkContext, input)
  if (earlierId !== null) return redirectToPayment(checkout, linkContext, { input, chargeId: earlierId })
  if (isLinkExpired(linkContext.link, checkout.clock.now()))
    return buildLinkPage(linkContext, buildExpiredView(linkContext), 410)
  if (!takesPayments(linkContext)) return buildLinkPage(linkContext, buildClosedView(linkContext), 409)
  const chosen = await chooseCard(checkout, { linkContext, visit, input })
  if ('refusal' in chosen) return showFormAgain(chosen.refusal)
  const { card } = chosen
  if (hasCardChanged(input, card)) return showFormAgain({ status: FORM_STATUS.changed, fault: 'voucher_changed' })
  const fault = findFault(linkContext, input, card)
  if (fault !== null) return showFormAgain({ status: FORM_STATUS.invalid, fault })
  const otherOperator = findOtherOperator(linkContext, input, card)
  if (otherOperator !== null) return showFormAgain({ status: FORM_STATUS.invalid, fault: null, otherOperator })
  const { shop, link } = linkContext
  const result = await payLink(shop.app, newCustomerCaller(visit), {
    link: { ...link, tag: shop.tag },
    payment: buildLinkPayment(linkContext, input, card),
  })
  return replyToPayResult(checkout, { linkContext, input, result, showFormAgain })
}

type PayResultInput = {
  linkContext: LinkContext
  input: PayFormInput
  result: LinkPaymentResult
  showFormAgain(state: Pick<PayFormState, 'status' | 'fault'>): Promise<Reply>
}

async function replyToPayResult(
  checkout: Checkout,
  { linkContext, input, result, showFormAgain }: PayResultInput,
): Promise<Reply> {
  if (result.kind !== 'refused') return redirectToPayment(checkout, linkContext, { input, chargeId: result.chargeId })
  switch (result.why) {
    case 'inactive':
      return buildLinkPage(linkContext, buildClosedView(linkContext), 409)
    case 'expired':
      return buildLinkPage(linkContext, buildExpiredView(linkContext), 410)
    case 'method':
    case 'phone':
    case 'amount_under':
    case 'amount_over':
      return showFormAgain({ status: FORM_STATUS.invalid, fault: result.why })
    case 'voucher_changed':
      return showFormAgain({ status: FORM_STATUS.changed, fault: 'voucher_changed' })
    case 'prompts':
      return showFormAgain({ status: FORM_STATUS.prompts, fault: 'prompts' })
    case 'rail':
      return showFormAgain({ status: FORM_STATUS.rail, fault: 'rail' })
  }
}

/** Redirects to the page of the payment. Remembers the typed phone for a retry and forgets the card. */
function redirectToPayment(
  checkout: Checkout,
  linkContext: LinkContext,
  { input, chargeId }: { input: PayFormInput; chargeId: string },
): Reply {
  const { link } = linkContext
  const to = paymentPath(link.id, 'status', link.allowMultipleUses ? chargeId : null)
  const remembered = { ...NOTHING_REMEMBERED, phone: input.phone, email: input.email, method: input.channel }
  return { kind: 'redirect', to, cookies: [rememberInput(checkout, linkContext, remembered)] }
}

function parsePayForm({ fields }: CheckoutVisit): PayFormInput {
  const channel = fields.channel ?? ''
  return {
    channel: CHANNELS.find((name) => name === channel) ?? null,
    phone: cleanTyped(fields.phone ?? '')
      .trim()
      .slice(0, 40),
    email: (fields.email ?? '').slice(0, MAX_EMAIL_LENGTH + 1),
    voucher: fields.voucher ?? '',
    token: fields.token ?? '',
    sure: fields.sure ?? '',
  }
}

const deriveFormChargeId = (
  { shop, link }: Pick<LinkContext, 'shop' | 'link'>,
  { token }: PayFormInput,
): string | null => deriveChargeId(shop.app.vault, { tag: shop.tag, linkId: link.id, token })

/** Finds the payment that holds a one-shot link, or that this form has made before. Its page is shown whatever was typed now. */
async function findEarlierPayment(linkContext: LinkContext, input: PayFormInput): Promise<string | null> {
  const { shop, link, charge } = linkContext
  if (!link.allowMultipleUses && charge !== null && charge.status !== 'failed') return charge.id
  const chargeId = deriveFormChargeId(linkContext, input)
  if (chargeId === null) return null
  const { merchantId, id: linkId } = link
  const earlier = await findChargeOfLink(shop.app, { merchantId, linkId, chargeId })
  return earlier?.id ?? null
}

/** Whether the customer would now pay another amount than the form showed, because the card changed or was forgotten. */
function hasCardChanged({ token, voucher }: PayFormInput, card: ChosenCard): boolean {
  const shownAmount = parseShownCardAmount(token)
  return voucher === '' && shownAmount !== null && shownAmount !== (card?.applied ?? 0)
}

/** Chooses the card to use: by the code in the form, else the card applied before, with the amount that the page showed. */
async function chooseCard(
  checkout: Checkout,
  { linkContext, visit, input }: { linkContext: LinkContext; visit: CheckoutVisit; input: PayFormInput },
): Promise<{ card: ChosenCard } | { refusal: FormRefusal }> {
  if (input.voucher === '') {
    const { voucher } = recallInput(checkout, linkContext, visit)
    return { card: voucher && { id: voucher.cardId, applied: voucher.applied } }
  }
  const voucherTry = await tryVoucherCode(checkout, linkContext, { visit, code: input.voucher })
  switch (voucherTry.kind) {
    case 'usable':
      return { card: { id: voucherTry.cardId, applied: voucherTry.applied } }
    case 'busy':
      return { refusal: { status: 429, fault: 'busy', retryAfterSeconds: voucherTry.retryAfterSeconds } }
    case 'closed':
      return { refusal: { status: FORM_STATUS.invalid, fault: 'voucher_closed' } }
    case 'unusable':
      return { refusal: { status: FORM_STATUS.invalid, fault: 'voucher' } }
  }
}

function findFault(
  linkContext: LinkContext,
  { channel, phone, email }: PayFormInput,
  card: ChosenCard,
): FormFault | null {
  if (email !== '' && !isEmail(email)) return 'email'
  if (card !== null && card.applied === linkContext.link.amount) return null
  if (channel === null || !listMethods(linkContext).includes(channel)) return 'method'
  const parsed = parsePhone(phone)
  if (parsed === null) return 'phone'
  return isLandline(parsed) ? 'landline' : null
}

/**
 * Finds whether the number seems to be of another operator than the chosen one, and the customer has not said that it is right. In test
 * mode every number is as good as another.
 */
function findOtherOperator({ link }: LinkContext, input: PayFormInput, card: ChosenCard): OtherOperator | null {
  const { channel: chosen, sure } = input
  const phone = parsePhone(input.phone)
  if (link.mode === 'test' || chosen === null || phone === null || card?.applied === link.amount) return null
  const operator = findOtherChannel(phone, chosen)
  const pair = `${chosen} ${phone}`
  return operator === null || sure === pair ? null : { operator, chosen, sure: pair }
}

const isEmail = (text: string) =>
  text.length <= MAX_EMAIL_LENGTH && EMAIL_PATTERN.test(text) && !hasForbiddenControl(text, false)

function buildLinkPayment({ shop, link }: LinkContext, input: PayFormInput, card: ChosenCard): LinkPayment {
  return {
    channel: input.channel ?? DEFAULT_CHANNEL,
    phone: parsePhone(input.phone),
    email: input.email === '' ? null : input.email,
    card,
    chargeId: deriveFormChargeId({ shop, link }, input),
  }
}

/** POST /pay/{id}/retry (G46): frees a link from a failed attempt, and changes nothing if its attempt has not failed. */
export async function retryPayment(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { link, shop, charge } = linkContext
  const toStatus: Reply = { kind: 'redirect', to: linkPagePath(linkContext, 'status') }
  if (!visit.fromOwnPage || charge?.status !== 'failed') return toStatus
  // An expired order with a failed payment stays as it is (contract.md G29).
  if (isLinkExpired(link, checkout.clock.now())) return toStatus
  const isFree = link.allowMultipleUses || (await retryLink(shop.app, newCustomerCaller(visit), link))
  return isFree ? { kind: 'redirect', to: linkPath(link.id) } : toStatus
}
