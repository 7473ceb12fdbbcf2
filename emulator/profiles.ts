import { spread } from './chance.ts'
import type { Limits } from './wallets.ts'

export type ProfileName = 'sandbox' | 'mtnuganda' | 'bench'

/** How the operator of a profile behaves when no rule says otherwise (rails.md 6.3). Times in ms. */
export type Profile = {
  currency: string
  targetEnvironment: string
  /** What a subscriber's wallet opens with; `endless` wallets are never empty. */
  opening: number
  endless: boolean
  disbursementOpening: number
  limits: Limits
  /** Whether a developer may make API users. */
  provisions: boolean
  statusCap: number | null
  journal: boolean
  /** A phone with two digits after this has a scenario of its own. */
  phones: string | null
  faultPhones: string | null
  submitMs(chance: () => number): number
  statusMs(chance: () => number): number
  tokenMs(chance: () => number, platform: 'old' | 'new'): number
  /** When the customer has decided; null: the request expires. */
  approvalMs(chance: () => number): number | null
  callback(chance: () => number): { afterMs: number; times: number }
}

const EXPIRES = 0.04
export const EXPIRY_MS = 300_000

const NO_LIMITS: Limits = { payment: null, wallet: null }
/** Assumed: the operator publishes limits by kind of account. They hold only where the profile decides. */
const UGANDA_LIMITS: Limits = { payment: 5_000_000, wallet: 50_000_000 }

export const PROFILES: Record<ProfileName, Profile> = {
  sandbox: {
    currency: 'EUR',
    targetEnvironment: 'sandbox',
    opening: 0,
    endless: true,
    disbursementOpening: 0,
    limits: NO_LIMITS,
    provisions: true,
    statusCap: 10,
    journal: true,
    phones: '467331234',
    faultPhones: null,
    submitMs: () => 0,
    statusMs: () => 0,
    tokenMs: () => 0,
    approvalMs: () => 1000,
    callback: () => ({ afterMs: 500, times: 1 }),
  },
  mtnuganda: {
    currency: 'UGX',
    targetEnvironment: 'mtnuganda',
    opening: 20_000_000,
    endless: false,
    disbursementOpening: 10_000_000_000,
    limits: UGANDA_LIMITS,
    provisions: false,
    statusCap: 10,
    journal: true,
    phones: '2567700000',
    faultPhones: '2567700001',
    submitMs: (chance) => spread(chance, 350, 2500),
    statusMs: (chance) => spread(chance, 150, 600),
    tokenMs: (chance, platform) => (platform === 'new' ? 12_000 : spread(chance, 800, 2000)),
    approvalMs: (chance) => (chance() < EXPIRES ? null : spread(chance, 18_000, 120_000)),
    callback: (chance) => {
      const fate = chance()
      return { afterMs: 500 + Math.round(2500 * chance()), times: fate < 0.03 ? 0 : fate < 0.05 ? 2 : 1 }
    },
  },
  bench: {
    currency: 'UGX',
    targetEnvironment: 'mtnuganda',
    opening: 1_000_000_000_000,
    endless: true,
    disbursementOpening: 1_000_000_000_000_000,
    limits: NO_LIMITS,
    provisions: false,
    statusCap: null,
    journal: false,
    phones: null,
    faultPhones: null,
    submitMs: () => 0,
    statusMs: () => 0,
    tokenMs: () => 0,
    approvalMs: () => 0,
    callback: () => ({ afterMs: 0, times: 1 }),
  },
}
