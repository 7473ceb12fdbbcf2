import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { inOpenMonth, lockHeads, openBook } from '../../ledger/book.ts'
import { lockTerms } from '../../merchants/account/merchant.ts'
import { checkChargeReadiness } from '../../payments/charges/charge-readiness.ts'
import {
  addCheckoutCharge,
  addCoveredChargeEvent,
  type CheckoutCharge,
} from '../../payments/charges/checkout-charge.ts'
import { balanceTotals, headroomFor } from '../../payments/charges/headroom.ts'
import { newChargeAttempt } from '../../payments/charges/new-charge.ts'
import { countPrompts, lockPhone } from '../../payments/charges/prompts.ts'
import { submitLiveCharge } from '../../payments/charges/submit-live-charge.ts'
import { applyNextEnd } from '../../payments/charges/test-charges/apply-next-end.ts'
import { keepUntilDue } from '../../payments/charges/test-charges/due-test-charges.ts'
import { lockCard, reserveCard } from '../../payments/gift-cards/use-card.ts'
import { assert } from '../../platform/assert.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { newWorkLanes } from '../../platform/batches/work-lanes.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Moment, momentAt } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { addAttempts } from '../../rails/attempts.ts'
import { lockNextEnds, NO_NEXT_ENDS } from '../../rails/next-ends.ts'
import { holdLink, lockLink } from './hold-link.ts'
import {
  judgePayment,
  type LinkPayment,
  type LinkPaymentResult,
  type LockedPayment,
  type PayableLink,
  type PaymentDecision,
} from './judge-payment.ts'
import { attemptHolding, chargeOfForm, shareLink } from './link-attempts.ts'

/**
 * Pays a link: claims it, stores the charge and sets aside what a gift card covers in one commit, then (live) asks the rail
 * with no transaction open (spec 1.10, 3.1; contract.md G43, G44, 3 k). However many forms arrive at once, a one-shot link
 * makes one charge. Whole UGX.
 */
export async function payLink(
  app: App,
  actor: Actor,
  { link, payment }: { link: PayableLink; payment: LinkPayment },
): Promise<LinkPaymentResult> {
  allow(actor, 'link.pay')
  const ready = await checkChargeReadiness(app, { mode: link.mode, channel: payment.channel })
  const installation = ready.kind === 'ready' ? (ready.installation ?? SANDBOX) : null
  const { answer, charge, mark } = await paymentTurns(app).run(link.merchantId, () =>
    storeOnce(app, link, { payment, installation }),
  )
  if (charge === undefined) return answer
  crashPoint('link.claimed')
  if (charge.giftCardAmount > 0) crashPoint('card.reserved')
  if (charge.completedAt !== null) {
    app.nudge('send-deliveries')
    app.nudge('dispense')
  }
  const { followAt } = charge
  if (charge.mode === 'test' && followAt !== null && !charge.endChosen) keepUntilDue(app, [{ ...charge, followAt }])
  if (charge.completedAt !== null || charge.mode === 'test') return answer
  assert(installation, 'a live charge was stored because its rail was ready')
  try {
    await submitLiveCharge(app, { charge, mark, installation, keyed: null })
    return answer
  } catch (error) {
    // The charge was taken back: nothing was sent, and link and card are free again.
    if (error instanceof Refusal && error.status === 502) return { kind: 'refused', why: 'rail' }
    throw error
  }
}

// In test mode there is no installation; this stands for one.
const SANDBOX = 'sandbox'

type PaymentRequest = { payment: LinkPayment; installation: string | null }
/** The decision, and when a charge that goes to a rail was marked as sending. */
type MarkedDecision = PaymentDecision & { mark: Moment }

// A payment that waits for its link or card holds a connection. Answers of rails need connections at once, because only this
// process knows them and an unrecorded refusal would keep link and card taken; so payments may hold only a few.
const PAYMENTS_AT_ONCE = 2
const paymentTurns = defineLane('pay links', () => newWorkLanes(PAYMENTS_AT_ONCE))

/** Stores a payment. If the same form is sent twice at once, the second is retried and finds the charge of the first. */
const storeOnce = (app: App, payableLink: PayableLink, request: PaymentRequest): Promise<MarkedDecision> =>
  retryOnUniqueViolation(() => inOpenMonth(() => storePayment(app, payableLink, request)))

function storePayment(
  app: App,
  payableLink: PayableLink,
  { payment, installation }: PaymentRequest,
): Promise<MarkedDecision> {
  return app.db.transactionFor({ kind: 'in', of: payableLink.merchantId }, async (tx) => {
    const locked = await lockAndRead(app, tx, { payableLink, payment })
    const decision = judgePayment(app, locked, { payableLink, payment, ready: installation !== null })
    const mark = momentAt(locked.at)
    if (decision.charge === undefined) return { value: { ...decision, mark } }
    if (!(await hasHeadroom(tx, decision.charge)))
      return { value: { answer: { kind: 'refused', why: 'inactive' }, mark } }
    return {
      value: { ...decision, mark },
      last: await listWrites(app, tx, locked, { charge: decision.charge, payment, installation }),
    }
  })
}

/**
 * Locks phone, link, card and the merchant's terms in the order of every transaction, and reads each after its lock: the time too,
 * because a link or card may expire while its payment waits for them.
 */
async function lockAndRead(
  app: App,
  tx: Tx,
  { payableLink, payment }: { payableLink: PayableLink; payment: LinkPayment },
): Promise<LockedPayment> {
  const { merchantId, id } = payableLink
  const isLimited = payableLink.mode === 'live' && payment.phone !== null && app.config.promptsPerPhone > 0
  const phone = isLimited ? payment.phone : null
  if (phone !== null) await tx.send(lockPhone(phone))
  const form = chargeOfForm(merchantId, payment.chargeId)
  const [[link], [attempt], [chargeBefore]] = await tx.send(
    // A reusable link is only kept from being switched off; its payers do not wait for each other.
    payableLink.allowMultipleUses ? shareLink(merchantId, id) : lockLink(merchantId, id),
    attemptHolding(merchantId, id),
    form,
  )
  const [prompts] = phone === null ? [] : (await tx.send(countPrompts(phone, app.clock.now())))[0]
  // The card may have been locked by this same form, so its charge is looked up again after that lock. The terms are locked
  // last and shortly, because a change of them waits for every holder.
  const terms = lockTerms([merchantId])
  const [[card], [formCharge], [lockedTerms]] =
    payment.card === null
      ? [[], [chargeBefore], ...(await tx.send(terms))]
      : await tx.send(lockCard(merchantId, payment.card.id), form, terms)
  assert(link && lockedTerms, 'a link that was shown is never deleted, nor is its merchant')
  return {
    link,
    terms: lockedTerms,
    attempt: attempt ?? null,
    formCharge: formCharge ?? null,
    card: card ?? null,
    prompts: prompts ?? null,
    at: app.clock.now(),
  }
}

/** Whether the payment keeps the balance below its maximum, as for charges of the API. A charge that a card covers in full adds nothing. */
async function hasHeadroom(tx: Tx, charge: CheckoutCharge): Promise<boolean> {
  if (charge.completedAt !== null) return true
  const { merchantId, mode } = charge
  const deposit = { merchantId, mode, amount: charge.amount - charge.giftCardAmount }
  const [balances] = await tx.send(balanceTotals([deposit]))
  return (await headroomFor(tx, [deposit], balances)).take(deposit)
}

/**
 * Lists the writes of a payment: charge, claim of the link, use of the card, attempt. A charge that the card covers in full
 * gets its event at once, in a month that is still open.
 */
async function listWrites(
  app: App,
  tx: Tx,
  { link, terms, at }: LockedPayment,
  { charge, payment, installation }: PaymentRequest & { charge: CheckoutCharge },
): Promise<Call[]> {
  const { merchantId, mode, id: chargeId, giftCardAmount: amount } = charge
  const covered = charge.completedAt !== null
  const nextEnds = mode === 'test' && !covered ? await lockNextEnds(tx, [terms], at) : NO_NEXT_ENDS
  applyNextEnd(charge, nextEnds)
  const writes: Call[] = [addCheckoutCharge(charge), ...nextEnds.writes()]
  if (!link.allowMultipleUses) writes.push(holdLink({ merchantId, id: link.id, chargeId }))
  if (payment.card !== null) {
    const state = covered ? 'taken' : 'reserved'
    writes.push(...reserveCard({ merchantId, cardId: payment.card.id, chargeId, amount, state, at }))
  }
  if (covered) {
    const [heads] = await tx.send(lockHeads([{ merchantId, mode }]))
    openBook(heads, at)
    return [...writes, ...addCoveredChargeEvent(charge, terms)]
  }
  return mode === 'live' ? [...writes, ...addAttempts(app, [newChargeAttempt(charge, installation)])] : writes
}
