import { chargeFee } from '../../../ledger/fees.ts'
import { type MerchantTerms, merchantInactive } from '../../../merchants/account/merchant.ts'
import { judgeAmount, verificationRequired } from '../../../payments/charges/charge-rules.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { Config } from '../../../program/settings/config.ts'
import type { VendingOrderCreate } from './order-request.ts'

/** The facts about one machine that the rules of vending check, besides the merchant's terms. */
export type VendingTerms = {
  vendingEnabled: boolean
  /** The number under which the machine is registered and active; null if it is not. */
  machine: string | null
  /** Whether the merchant has configured a supplier. */
  supplierConfigured: boolean
}

const VENDING_TERMS = statement<VendingTerms>(
  'vending terms',
  `select m.vending_enabled as "vendingEnabled",
     (select k.machine from machines k where k.merchant_id = m.id and k.machine in ($2, $3) and k.active and k.removed_at is null
        order by k.machine = $2 desc limit 1) as machine,
     exists (select 1 from vending_suppliers s where s.merchant_id = m.id) as "supplierConfigured"
   from merchants m where m.id = $1`,
)

/**
 * Reads the terms, in the transaction that decides with them. Blanks around a number are ignored, unless a machine is registered with them
 * (G34).
 */
export const vendingTermsOf = (merchantId: number, machine: string): Call<VendingTerms> =>
  call(VENDING_TERMS, merchantId, machine, machine.trim())

/** 403, not kept under the key, so that the same request works once vending is on (contract.md 3 i). */
export const vendingOff = () => new Refusal(403, 'vending_disabled', 'vending is not enabled for this merchant')

/** 404, the same for absent, inactive and removed machines (contract.md 3 d). */
export const machineNotRegistered = () =>
  new Refusal(404, 'not_found', 'machine not registered to this merchant', { stored: true })

/** 400: in live mode there is no supplier to command. */
export const supplierNotConfigured = () =>
  domainRefusal('supplier_not_configured', 'machine supplier is not configured for this merchant')

/** 400: only collected money pays for goods. `status` is that of the charge, or `unpaid` where there is none. */
export const chargeNotSucceeded = (status: string) =>
  domainRefusal('charge_not_succeeded', `cannot dispense: charge status is ${status}, not succeeded`)

/**
 * Checks a new order by the domain rules in the order of contract.md G30, one refusal a line. An order that passes can be paid
 * and its machine can be commanded. The form was checked before.
 */
export function judgeOrder(
  { amount, currency }: Pick<VendingOrderCreate, 'amount' | 'currency'>,
  {
    terms,
    vending,
    mode,
    config,
  }: {
    terms: Pick<MerchantTerms, 'active' | 'chargeLimit' | 'kycStatus'> & Partial<Pick<MerchantTerms, 'account'>>
    vending: VendingTerms
    mode: Mode
    config: Pick<Config, 'amountMax'>
  },
): void {
  if (!terms.active) throw merchantInactive(terms)
  if (!vending.vendingEnabled) throw vendingOff()
  judgeAmount({ amount, currency }, { terms, config })
  if (chargeFee(amount) >= amount) throw domainRefusal('fee_exceeds_amount', 'fee exceeds amount', { field: 'amount' })
  if (vending.machine === null) throw machineNotRegistered()
  if (mode === 'live' && terms.kycStatus !== 'verified') throw verificationRequired()
  if (mode === 'live' && !vending.supplierConfigured) throw supplierNotConfigured()
}
