import type { App } from '../app.ts'
import { CHARGE_MOVES, type Charge, chargeEventData } from '../charges/charge.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import { refundCharges } from '../charges/write-charge-status.ts'
import { type CardUse, lockCardsOf, restoreCards } from '../gift-cards/use-card.ts'
import type { Caller } from '../http/caller.ts'
import { type Book, inOpenMonth, lockHeads, openBook } from '../ledger/book.ts'
import { type MerchantTerms, termsForPayout } from '../merchants/merchant.ts'
import { lockStops } from '../merchants/payout-freeze.ts'
import { type NewPayout, newPayout } from '../payouts/new-payout.ts'
import { type PayoutReadiness, payoutReadiness } from '../payouts/payout-readiness.ts'
import { disbursementRefused, insufficientBalance } from '../payouts/payout-rules.ts'
import { stopOf } from '../payouts/payout-stops.ts'
import { costOf, reservePayout } from '../payouts/reserve-payout.ts'
import { openSwitches, type Switches } from '../payouts/sandbox-switch.ts'
import { addPayouts } from '../payouts/write-payouts.ts'
import { assert } from '../platform/assert.ts'
import {
  type Batch,
  batch,
  batchByKind,
  done,
  failed,
  type Outcome,
  type RunTurn,
} from '../platform/batch.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { tagOf } from '../platform/ids.ts'
import { defineRequestLane } from '../platform/lane.ts'
import type { OpenWindows } from '../rate-limits/exact-window.ts'
import { addEvents, type Happening, inKeyOrder } from '../webhooks/events.ts'
import { chargeIsSpent, judgeRefund, paidByPhone, type RefundWay, refundRailAway } from './refund-rules.ts'

/** A refunded charge and its payout; null when a gift card had paid all of it. */
export type Refunded = { charge: Charge; payout: NewPayout | null }
type Wanted = {
  chargeId: string
  /** Sent after the charge was locked. If it answers with a row, the charge was used otherwise (409). */
  unless?: Call<unknown>
  /** Refuse unless a gift card has paid all, so that no money moves. */
  onlyToCard?: boolean
}
type Item = Wanted & { caller: Caller; readiness: PayoutReadiness }
export type Refunds = Batch<Item, Refunded>

/**
 * Refunds a succeeded charge in full by a payout to its customer (spec 4.1; contract.md G11d, 3 e): charge, reservation,
 * payout, event and delivery in one commit. What a gift card has paid goes back on the card in that commit; if it has paid
 * all, nothing else happens. Of several calls at once only one succeeds. Throws Refusal with nothing written.
 */
export async function refundCharge(app: App, caller: Caller, wanted: Wanted): Promise<Refunded> {
  const readiness = await payoutReadiness(app, { mode: caller.mode, channel: 'op1_momo' })
  const refunded = await refunds(app).add({ ...wanted, caller, readiness })
  crashPoint('refund.committed')
  app.nudge('send-deliveries')
  if (refunded.payout !== null) app.nudge('send-payouts')
  return refunded
}

/**
 * The batch that refunds: one transaction for everything that arrived while the previous one was running, each mode
 * separately.
 */
const refunds = defineRequestLane('refund charges', 'refunds', (app): Refunds => {
  const ofOneMode = () =>
    batch<Item, Refunded>({
      run: (items, turn) => inOpenMonth(() => refundTogether(app, items, turn)),
      laneOf: (item) => item.caller.merchantId,
    })
  return batchByKind({ test: ofOneMode(), live: ofOneMode() }, (item) => item.caller.mode)
})

type Known = {
  terms: Map<number, MerchantTerms>
  charges: Map<string, Charge>
  /** Charges with a spent use of a gift card. */
  cardTaken: ReadonlySet<string>
  windows: OpenWindows
  switches: Switches
  frozenFor: string | null
  book: Book
  /** Items whose charge was used otherwise in the meantime. */
  spent: ReadonlySet<Item>
  at: Date
}

async function refundTogether(app: App, items: readonly Item[], turn: RunTurn): Promise<Outcome<Refunded>[]> {
  const at = app.clock.now()
  const places = distinctPlaces(items)
  return app.db.transactionFor({ kind: 'out', ...turn }, async (tx) => {
    const [terms, charges, uses, stops, ...locked] = await tx.send(
      termsForPayout(places),
      lockCharges(ownCharges(items)),
      lockCardsOf(ownCharges(items)),
      lockStops(),
      ...app.exactWindows.refunds.lock(places),
      lockHeads(places),
    )
    const testMerchants = new Set(places.filter((one) => one.mode === 'test').map((one) => one.merchantId))
    const known: Known = {
      terms: new Map(terms.map((one) => [one.id, one])),
      charges: new Map(charges.map((charge) => [charge.id, charge])),
      cardTaken: new Set(uses.filter(({ state }: CardUse) => state === 'taken').map((use) => use.chargeId)),
      windows: app.exactWindows.refunds.open(locked.slice(0, -1), at.getTime()),
      switches: await openSwitches(
        tx,
        terms.filter((one) => testMerchants.has(one.id)),
      ),
      frozenFor: stops[0]?.frozenFor ?? null,
      book: openBook(locked.at(-1) as never, at),
      spent: await spentMeanwhile(tx, items),
      at,
    }
    const outcomes = items.map((item) => refundOne(app, item, known))
    const refunded = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
    const payouts = refunded.flatMap(({ payout }) => (payout === null ? [] : [payout]))
    return {
      value: outcomes,
      last: [
        ...refundCharges(refunded.map(({ charge }) => ({ ...charge, at }))),
        ...restoreCards(
          refunded.map(({ charge }) => charge).filter(({ giftCardAmount }) => giftCardAmount > 0),
          at,
        ),
        ...known.book.writes(),
        ...known.switches.writes(),
        ...addPayouts(payouts),
        ...addEvents(
          refunded.map((one) => happeningOf(one, known.terms)),
          at,
        ),
        ...known.windows.writes(),
      ],
    }
  })
}

async function spentMeanwhile(tx: Tx, items: readonly Item[]): Promise<ReadonlySet<Item>> {
  const asking = items.flatMap((item) => (item.unless === undefined ? [] : [{ item, call: item.unless }]))
  if (asking.length === 0) return new Set()
  const answers = await tx.send(...asking.map(({ call }) => call))
  return new Set(asking.filter((_, index) => (answers[index] ?? []).length > 0).map(({ item }) => item))
}

function refundOne(app: App, item: Item, known: Known): Outcome<Refunded> {
  try {
    known.windows.check(item.caller)
    const refunded = acceptRefund(app, item, known)
    known.windows.take(item.caller)
    return done(refunded)
  } catch (error) {
    return failed(error)
  }
}

/** Checks and reserves, and remembers the charge, so that the next item of the batch finds it refunded. */
function acceptRefund(app: App, item: Item, known: Known): Refunded {
  const { caller, chargeId } = item
  const { merchantId, mode, tag } = caller
  const terms = known.terms.get(merchantId)
  assert(terms, 'a merchant with a key has a row')
  const found = tagOf('txn_', chargeId) === tag ? known.charges.get(chargeId) : undefined
  const cardTaken = known.cardTaken.has(chargeId)
  const { charge, way } = judgeRefund(found, { terms, mode, cardTaken })
  if (known.spent.has(item)) throw chargeIsSpent()
  if (item.onlyToCard && way.kind !== 'card') throw paidByPhone()
  const payout = way.kind === 'card' ? null : acceptPayout(app, item, { charge, way, known })
  const refundId = payout?.id ?? null
  const refunded = { ...charge, status: 'refunded' as const, refundId, refundedAt: known.at }
  known.charges.set(charge.id, refunded)
  return { charge: refunded, payout }
}

type Paying = { charge: Charge; way: Extract<RefundWay, { kind: 'payout' }>; known: Known }

/** The rules of a payout, and the reservation. */
function acceptPayout(app: App, { caller, readiness }: Item, { charge, way, known }: Paying): NewPayout {
  const { merchantId, mode, tag } = caller
  const head = known.book.head(merchantId, mode)
  const stop = stopOf({ mode, frozenFor: known.frozenFor, head })
  if (stop !== null) throw stop
  const payout = newPayout(
    app,
    { merchantId, tag, mode },
    {
      origin: { kind: 'refund', chargeId: charge.id, feeToReturn: charge.fee },
      amount: way.amount,
      channel: charge.channel,
      phone: way.phone,
      name: null,
      reference: charge.reference,
      at: known.at,
    },
  )
  if (head.available < costOf(payout)) throw insufficientBalance(head.available, payout)
  if (readiness.kind === 'unavailable') {
    if (readiness.cure === 'wait') throw refundRailAway(readiness.retryAfterSeconds)
    throw disbursementRefused(readiness.why)
  }
  if (mode === 'test') payout.sandboxOutcome = known.switches.take(merchantId)
  reservePayout(known.book, payout)
  return payout
}

/** Formats a refund for the API; `refund` is null when a gift card had paid all. */
export const presentRefund = ({ charge, payout }: Refunded) => ({
  charge_id: charge.id,
  status: 'refunded',
  gift_card_restored: charge.giftCardAmount,
  refund: payout && {
    id: payout.id,
    amount: payout.amount,
    fee: payout.fee,
    currency: 'UGX',
    recipient_phone: payout.recipientPhone,
    status: payout.status,
  },
})

/** `charge.refunded` (contract.md section 5), keys in the order of canonical JSON. */
function happeningOf({ charge, payout }: Refunded, terms: Map<number, MerchantTerms>): Happening {
  const own = terms.get(charge.merchantId)
  assert(own, 'the terms of every merchant in the batch were read')
  const data = {
    ...chargeEventData(charge),
    gift_card_restored: charge.giftCardAmount,
    refund_amount: payout?.amount ?? 0,
    refund_id: payout?.id ?? null,
    refunded_at: charge.refundedAt?.toISOString() ?? null,
  }
  return {
    merchantId: charge.merchantId,
    tag: own.tag,
    mode: charge.mode,
    type: CHARGE_MOVES.succeeded.refunded,
    subject: charge.id,
    data: inKeyOrder(data),
    hasWebhookUrl: own.hasWebhookUrl,
  }
}

/** Ids of other merchants are not looked up. */
const ownCharges = (items: readonly Item[]) =>
  items
    .filter(({ caller, chargeId }) => tagOf('txn_', chargeId) === caller.tag)
    .map(({ caller, chargeId }) => ({ merchantId: caller.merchantId, id: chargeId }))

function distinctPlaces(items: readonly Item[]) {
  const places = new Map(items.map(({ caller }) => [`${caller.merchantId} ${caller.mode}`, caller]))
  return [...places.values()].map(({ merchantId, mode }) => ({ merchantId, mode }))
}
