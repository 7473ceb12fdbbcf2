import assert from 'node:assert/strict'
import type { MerchantTerms } from '../../../src/merchants/account/merchant.ts'
import {
  addCheckoutCharge,
  addCoveredChargeEvent,
  type CheckoutCharge,
  newCheckoutCharge,
  newCoveredCharge,
} from '../../../src/payments/charges/checkout-charge.ts'
import { newChargeAttempt } from '../../../src/payments/charges/new-charge.ts'
import { issueCards } from '../../../src/payments/gift-cards/issue-cards.ts'
import { lockCard, reserveCard } from '../../../src/payments/gift-cards/use-card.ts'
import { newId } from '../../../src/platform/text/ids.ts'
import { addAttempts } from '../../../src/rails/attempts.ts'
import { BY_HAND } from '../service/actors.ts'
import { newPayer } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import type { Payer } from './schedules.ts'

type Owner = Pick<Payer, 'merchantId' | 'tag'>
/** Whole UGX. `applied`: what the card pays, all of `amount` if it covers the charge. `blind`: without reading the card first. */
type Carded = { cardId: string; amount: number; applied: number; at?: Date; blind?: boolean }

/** A new card of this merchant. */
export async function newCard(service: TestService, { merchantId: id, tag }: Owner, value = 50_000) {
  const issue = { value, quantity: 1, expires: null, notes: null }
  const { cards } = await issueCards(service.app, BY_HAND, { issuer: { id, tag, active: true }, ...issue })
  assert.ok(cards[0])
  return cards[0]
}

/** A live reusable link of this merchant. */
export async function newLink(
  service: TestService,
  { merchantId, tag }: Owner,
  { amount = 10_000, at = service.clock.now() }: { amount?: number; at?: Date } = {},
): Promise<string> {
  const id = newId('lnk_', tag)
  await service.rows(
    `insert into payment_links (merchant_id, id, mode, amount, reference, allow_multiple_uses, created_at)
     values ($1, $2, 'live', $3, $4, true, $5)`,
    [merchantId, id, amount, referenceOf(amount), at],
  )
  return id
}

const referenceOf = (amount: number) => `by card ${amount}`

/** A live charge stored with its use of this card: open while mobile money is due, otherwise paid. */
export async function payByCard(
  service: TestService,
  owner: Owner,
  { cardId, amount, applied, at = service.clock.now(), blind = false }: Carded,
): Promise<CheckoutCharge> {
  const { merchantId, tag } = owner
  const whole = applied === amount
  const linkId = await newLink(service, owner, { amount, at })
  const input = {
    ...{ merchantId, tag, mode: 'live' as const, linkId, paysOnce: false, chargeId: null, amount },
    ...{ giftCardAmount: applied, channel: 'op1_momo', phone: whole ? null : newPayer() },
    ...{ email: null, reference: referenceOf(amount), metadata: null },
  }
  // Shown, as when its operator has taken it: one that stays hidden breaks an invariant.
  const charge = whole
    ? newCoveredCharge(input, at)
    : { ...newCheckoutCharge(service.app, input, at), status: 'authorized' as const, published: true }
  const use = { merchantId, cardId, chargeId: charge.id, amount: applied, at }
  await service.app.db.transaction(async (tx) => {
    const [[card]] = blind ? [[]] : await tx.send(lockCard(merchantId, cardId))
    assert.ok(blind || (card && card.balance >= applied), 'the card has enough')
    await tx.send(
      addCheckoutCharge(charge),
      ...reserveCard({ ...use, state: whole ? 'taken' : 'reserved' }),
      ...(whole
        ? addCoveredChargeEvent(charge, { tag, webhookUrl: null as string | null } as MerchantTerms)
        : addAttempts(service.app, [newChargeAttempt(charge, 'one')])),
    )
    return { value: null }
  })
  return charge
}

/** The balance of a card, the sum it has reserved and the sum it has spent. */
export async function sumsOf(service: TestService, cardId: string): Promise<number[]> {
  const [row] = await service.rows<Record<string, number>>(
    'select balance::int, reserved::int, spent::int from gift_cards where id = $1',
    [cardId],
  )
  assert.ok(row)
  return [row.balance, row.reserved, row.spent] as number[]
}

/** The status of the use of a card by this charge. */
export async function useOf(service: TestService, chargeId: string): Promise<string | undefined> {
  const [row] = await service.rows<{ state: string }>('select state from gift_card_uses where charge_id = $1', [
    chargeId,
  ])
  return row?.state
}
