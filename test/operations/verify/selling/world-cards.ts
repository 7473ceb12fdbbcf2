import type { MerchantTerms } from '../../../../src/merchants/account/merchant.ts'
import type { CheckoutCharge } from '../../../../src/payments/charges/checkout-charge.ts'
import {
  addCheckoutCharge,
  addCoveredChargeEvent,
  newCheckoutCharge,
  newCoveredCharge,
} from '../../../../src/payments/charges/checkout-charge.ts'
import { finishCards } from '../../../../src/payments/charges/finish-cards.ts'
import { moveCharge } from '../../../../src/payments/charges/move-charge.ts'
import type { NewCharge } from '../../../../src/payments/charges/write-charges.ts'
import { reserveCard } from '../../../../src/payments/gift-cards/use-card.ts'
import { refundCharge } from '../../../../src/payments/refunds/refund-charge.ts'
import type { App } from '../../../../src/program/app.ts'
import { addAttempts } from '../../../../src/rails/attempts.ts'
import type { Rail } from '../../../../src/rails/rail.ts'
import { fullKey } from '../../../helpers/service/actors.ts'
import { CARD, CARDED, TAGS } from '../names.ts'
import { attemptOf, publish, takeBack, wordOf, write } from '../world-charges.ts'

const OWNER = { merchantId: 1, tag: TAGS[1], mode: 'live' as const }
const LINK = `lnk_${TAGS[1]}${'0'.repeat(16)}`
const PRICE = { amount: 10_000, applied: 4000 }

/** Gift cards of merchant 1 pay part of a charge in every state, and two charges in full, one of which is refunded. */
export async function payByCards(app: App): Promise<void> {
  await addLinkAndCards(app)
  await succeed(app, await payPartly(app, CARDED.paid))
  const failed = await payPartly(app, CARDED.failed)
  await moveCharge(app, {
    charge: failed,
    to: { status: 'failed', reason: 'user_cancelled' },
    alongside: wordOf(failed, 'failed'),
  })
  await payPartly(app, CARDED.open)
  await takeBackPartly(app)
  await succeed(app, await payPartly(app, CARDED.refunded))
  await refundLive(app, CARDED.refunded)
  await payWhole(app, CARDED.covered, CARD.spent)
  await payWhole(app, CARDED.restored, CARD.restored)
  await refundCharge(app, fullKey({ ...OWNER, cell: app.cell }), { chargeId: CARDED.restored })
}

async function addLinkAndCards(app: App): Promise<void> {
  const at = app.clock.now()
  await app.db.pool.query(
    `insert into payment_links (merchant_id, id, mode, amount, allow_multiple_uses, created_at)
     values (1, $1, 'live', $2, true, $3)`,
    [LINK, PRICE.amount, at],
  )
  await app.db.pool.query(
    `insert into gift_cards (merchant_id, id, code_hash, last4, value, balance, expires_at, created_at)
     select 1, id, sha256(id::bytea), 'ABCD', value, value, $3, $4 from unnest($1::text[], $2::bigint[]) as n (id, value)`,
    [Object.values(CARD), [50_000, PRICE.amount, PRICE.amount, 5000], '2027-01-01T00:00:00Z', at],
  )
}

/** Charge, use and attempt in one commit. There is no idempotency key, because the charge is made on a page. */
async function store(app: App, chargeId: string): Promise<CheckoutCharge & NewCharge> {
  const at = app.clock.now()
  const made = newCheckoutCharge(app, inputFor(chargeId, PRICE.applied), at)
  const charge = { ...made, followAt: made.followAt as Date } // Of an open charge it is never null.
  const use = { merchantId: 1, chargeId, cardId: CARD.used, amount: PRICE.applied, at }
  await write(
    app.db,
    addCheckoutCharge(charge),
    ...reserveCard({ ...use, state: 'reserved' }),
    ...addAttempts(app, [{ ...attemptOf(charge), installation: 'one', state: 'sending', at }]),
  )
  return charge
}

async function payPartly(app: App, chargeId: string): Promise<CheckoutCharge> {
  const charge = await store(app, chargeId)
  await write(app.db, ...publish(charge))
  return charge
}

async function takeBackPartly(app: App): Promise<void> {
  const charge = await store(app, CARDED.voided)
  const freed = finishCards([{ merchantId: 1, chargeId: charge.id, to: 'freed' }], charge.createdAt)
  await write(app.db, ...takeBack(charge), ...freed)
}

const succeed = (app: App, charge: CheckoutCharge) =>
  moveCharge(app, {
    charge,
    to: { status: 'succeeded', railTransactionId: `rail-${charge.id}` },
    alongside: wordOf(charge, 'succeeded'),
  })

/** The rail exists only during the refund, which asks whether it is ready. */
async function refundLive(app: App, chargeId: string): Promise<void> {
  const rail = {
    name: 'one',
    simulated: false,
    disburse: {},
    installations: [],
    readiness: async () => ({ kind: 'ready' }),
  }
  const live = app.rails.live as { op1_momo?: Rail }
  live.op1_momo = rail as unknown as Rail
  await refundCharge(app, fullKey({ ...OWNER, cell: app.cell }), { chargeId })
  delete live.op1_momo
}

async function payWhole(app: App, chargeId: string, cardId: string): Promise<void> {
  const at = app.clock.now()
  const charge = newCoveredCharge(inputFor(chargeId, PRICE.amount), at)
  const use = { merchantId: 1, chargeId: charge.id, cardId, amount: PRICE.amount, at }
  await write(
    app.db,
    addCheckoutCharge(charge),
    ...reserveCard({ ...use, state: 'taken' }),
    ...addCoveredChargeEvent(charge, { tag: TAGS[1], webhookUrl: 'https://shop.invalid/hook' } as MerchantTerms),
  )
}

const inputFor = (chargeId: string, giftCardAmount: number) => ({
  ...OWNER,
  linkId: LINK,
  paysOnce: false,
  chargeId,
  amount: PRICE.amount,
  giftCardAmount,
  channel: 'op1_momo',
  phone: giftCardAmount === PRICE.amount ? null : '256700000000',
  email: null,
  reference: null,
  metadata: null,
})
