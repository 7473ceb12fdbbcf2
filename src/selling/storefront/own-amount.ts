import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { maxChargeAmount } from '../../payments/charges/charge-rules.ts'
import { assert } from '../../platform/assert.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import type { Config } from '../../program/settings/config.ts'
import { judgeLink } from '../payment-links/link-rules.ts'
import type { PaymentLink } from '../payment-links/payment-link.ts'
import { addLinks, newLink } from '../payment-links/write-links.ts'

// The smallest amount that a customer may choose (contract.md G50).
const MIN_OWN_AMOUNT = 500
type OwnAmountBounds = { least: number; most: number }

/** The smallest and the largest amount that a customer of this merchant may choose, in whole UGX. The rail's limits count, in test mode too: what is tried there is what customers will meet. */
export const ownAmountBounds = (
  terms: Pick<MerchantTerms, 'chargeLimit'>,
  config: Pick<Config, 'amountMax' | 'railCollectMin' | 'railCollectMax'>,
): OwnAmountBounds => ({
  least: Math.max(MIN_OWN_AMOUNT, config.railCollectMin),
  most: Math.min(maxChargeAmount(terms, config), config.railCollectMax),
})

// Plain digits, or groups of three with the same separator throughout. A number that begins with 0 is a phone.
const PLAIN = /^[1-9][0-9]*$/
const GROUPED = /^[1-9][0-9]{0,2}([,\s])[0-9]{3}(?:\1[0-9]{3})*$/

/** `none`: not an amount, or one that is too small. */
export type OwnAmount = { kind: 'amount'; amount: number } | { kind: 'none' | 'too_much' }

/** Parses the amount that a customer typed, in whole UGX. It must be from `least` to `most`, both included. */
export function parseOwnAmount(text: string, { least, most }: OwnAmountBounds): OwnAmount {
  const typed = text.trim()
  if (!PLAIN.test(typed) && !GROUPED.test(typed)) return { kind: 'none' }
  const amount = Number(typed.replace(/[,\s]/g, ''))
  if (amount < least) return { kind: 'none' }
  return amount > most ? { kind: 'too_much' } : { kind: 'amount', amount }
}

/**
 * Creates a link for an amount that a customer chose on the public page of this mode, to be paid once. The rules of its links apply.
 * Throws their Refusal with nothing written.
 */
export function createOwnAmountLink(
  app: App,
  actor: Actor,
  { merchantId, tag, mode, amount }: { merchantId: number; tag: string; mode: Mode; amount: number },
): Promise<PaymentLink> {
  allow(actor, 'link.pay')
  return app.db.transaction(async (tx) => {
    const [[terms]] = await tx.send(findTerms([merchantId]))
    assert(terms, 'a page has a merchant')
    judgeLink({ amount, currency: 'UGX' }, { terms, mode, config: app.config })
    const linkInput = { amount, description: null, reference: null, successUrl: null, cancelUrl: null }
    const owner = { merchantId, tag, mode }
    const link = newLink(owner, { ...linkInput, allowMultipleUses: false }, app.clock.now())
    return { value: link, last: addLinks([link]) }
  })
}
