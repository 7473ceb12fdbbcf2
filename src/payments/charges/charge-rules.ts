import { chargeFee } from '../../ledger/fees.ts'
import { judgeLimits } from '../../merchants/account/amount-limits.ts'
import { type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, Refusal } from '../../platform/refusal.ts'
import type { Config } from '../../program/settings/config.ts'
import { isLiveChannel } from '../../rails/live-rails.ts'
import type { Rails } from '../../rails/rail.ts'
import { judgeRailAmount } from '../../rails/rail-amounts.ts'
import { resolveSplit, type SplitPart, type SubaccountStatuses } from '../subaccounts/split.ts'
import type { ChargeCreate } from './charge-request.ts'

/** 502: the rail cannot serve. Nothing was recorded, and the key is free again (spec 7.3; contract.md 3 j). */
export const railUnavailable = (retryAfterSeconds?: number) =>
  new Refusal(502, 'rail_unavailable', 'payment rail temporarily unavailable - retry with the same Idempotency-Key', {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })

/** The fee that the rules allow for a charge, and the resolved shares of its split. Whole UGX. */
export type ChargePricing = { fee: number; parts: readonly SplitPart[] | null }

/**
 * Judges a new charge by the domain rules in the order of contract.md G11c, one refusal a line. `subaccounts` are those that
 * its split names. `readiness` is the refusal of a rail that is not ready; it is known beforehand and reported last.
 */
export function judgeCharge(
  input: ChargeCreate,
  {
    terms,
    mode,
    config,
    rails,
    subaccounts,
    readiness,
  }: {
    terms: MerchantTerms
    mode: Mode
    config: Config
    rails: Rails
    subaccounts: SubaccountStatuses
    readiness: Refusal | null
  },
): ChargePricing {
  const { amount, channel } = input
  const live = mode === 'live'
  if (!terms.active) throw merchantInactive(terms)
  judgeAmount({ amount, currency: input.currency ?? 'UGX' }, { terms, config })
  if (live && terms.kycStatus !== 'verified') throw verificationRequired()
  if (live && !isLiveChannel({ rails }, channel))
    throw domainRefusal('channel_not_available', `${channel} is not available for live payments yet`, {
      field: 'channel',
    })
  const fee = chargeFee(amount)
  if (fee >= amount) throw domainRefusal('fee_exceeds_amount', 'fee exceeds amount', { field: 'amount' })
  const parts = input.split === undefined ? null : resolveSplit(input.split, amount - fee, subaccounts)
  judgeRailAmount({ mode, side: 'collect', amount }, config)
  if (readiness !== null) throw readiness
  return { fee, parts }
}

/** Checks an amount in whole UGX, for charges and for links, items and orders. Throws Refusal. */
export function judgeAmount(
  { amount, currency }: { amount: number; currency: string },
  { terms, config }: { terms: Pick<MerchantTerms, 'chargeLimit'>; config: Pick<Config, 'amountMax'> },
): void {
  judgeLimits(amount, { most: config.amountMax, own: terms.chargeLimit, noun: 'charge' })
  if (currency !== 'UGX') throw domainRefusal('unsupported_currency', 'demo only supports UGX', { field: 'currency' })
}

/** Returns the largest amount that may be charged at once, in whole UGX: the platform's maximum, or less where the account has a limit. */
export const maxChargeAmount = (
  { chargeLimit }: Pick<MerchantTerms, 'chargeLimit'>,
  { amountMax }: Pick<Config, 'amountMax'>,
): number => Math.min(amountMax, chargeLimit ?? amountMax)

/** 400: live charges, links, items and orders need a verified business. */
export const verificationRequired = () =>
  domainRefusal(
    'verification_required',
    'live charges require a verified business - complete verification on your dashboard (test keys work immediately)',
  )
