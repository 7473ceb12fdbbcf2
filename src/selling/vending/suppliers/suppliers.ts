import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { DispenseClaim } from '../dispensing/claim.ts'
import { newHttpSupplier } from './http-supplier.ts'
import { simulatedSupplier } from './simulated-supplier.ts'
import type { Supplier } from './supplier.ts'
import { findSupplierAccess } from './vending-settings.ts'

/** How a merchant's machines are commanded and their callbacks verified (contract.md 3 u, 3 q). */
export type VendingProfile = { profile: 'default' | 'optimistic'; acceptApiSecret: boolean }

const READ_PROFILE = statement<VendingProfile>(
  'vending profile',
  'select profile, accept_api_secret as "acceptApiSecret" from vending_profiles where merchant_id = $1',
)
const DEFAULT_PROFILE: VendingProfile = { profile: 'default', acceptApiSecret: true }

/** Reads the merchant's vending profile, or the defaults. */
export async function readVendingProfile(app: App, merchantId: number): Promise<VendingProfile> {
  const [profile] = await app.db.query(READ_PROFILE, [merchantId])
  return profile ?? DEFAULT_PROFILE
}

// Refuses before anything is sent, so the claim is released and the command can be tried again once a supplier is set.
const unconfiguredSupplier: Supplier = {
  dispense: async () => ({ kind: 'refused', code: null, message: 'no supplier is configured' }),
}

/**
 * Chooses the supplier for a claim's machine: in test mode the simulation, never a real machine (contract.md 3 v); in live mode
 * the merchant's own supplier.
 */
export async function chooseSupplier(app: App, claim: Pick<DispenseClaim, 'mode' | 'merchantId'>): Promise<Supplier> {
  if (claim.mode === 'test') return simulatedSupplier
  const access = await findSupplierAccess(app, claim.merchantId)
  return access === null ? unconfiguredSupplier : newHttpSupplier(app, access)
}
