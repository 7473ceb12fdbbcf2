import type { App } from '../../app.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Claim } from '../dispensing/claim.ts'
import { httpSupplier } from './http-supplier.ts'
import { simulatedSupplier } from './simulated-supplier.ts'
import type { Supplier } from './supplier.ts'
import { supplierAccess } from './vending-settings.ts'

/** How a merchant's machines are commanded and their callbacks verified (contract.md 3 u, 3 q). */
export type VendingProfile = { profile: 'default' | 'optimistic'; acceptApiSecret: boolean }

const PROFILE = statement<VendingProfile>(
  'vending profile',
  'select profile, accept_api_secret as "acceptApiSecret" from vending_profiles where merchant_id = $1',
)
const DEFAULT: VendingProfile = { profile: 'default', acceptApiSecret: true }

/** Reads the merchant's vending profile, or the defaults. */
export async function profileOf(app: App, merchantId: number): Promise<VendingProfile> {
  const [profile] = await app.db.query(PROFILE, [merchantId])
  return profile ?? DEFAULT
}

// Refuses before anything is sent, so the claim is released and the command can be tried again once a supplier is set.
const unconfigured: Supplier = {
  dispense: async () => ({ kind: 'refused', code: null, message: 'no supplier is configured' }),
}

/**
 * Chooses the supplier for a claim's machine: in test mode the simulation, never a real machine (contract.md 3 v); in live mode
 * the merchant's own supplier.
 */
export async function supplierOf(app: App, claim: Pick<Claim, 'mode' | 'merchantId'>): Promise<Supplier> {
  if (claim.mode === 'test') return simulatedSupplier
  const access = await supplierAccess(app, claim.merchantId)
  return access === null ? unconfigured : httpSupplier(app, access)
}
