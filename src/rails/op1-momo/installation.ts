import { ECHOES, type Installation, type RailSide } from '../rail.ts'
import type { ReasonOverrides } from './reasons.ts'

/** The two products of the operator. Each has its own keys, credentials and token (rails.md 3.1). */
export type Product = 'collection' | 'disbursement'
const PRODUCTS = ['collection', 'disbursement'] as const satisfies readonly Product[]
export const PRODUCT_OF = { collect: 'collection', disburse: 'disbursement' } as const satisfies Record<
  RailSide,
  Product
>
const SIDE_OF = { collection: 'collect', disbursement: 'disburse' } as const satisfies Record<Product, RailSide>

export type Credentials = { subscriptionKey: string; user: string; secret: string }

/** When the breaker of one side opens, and for how long (rails.md 4.9). */
export type BreakerSettings = {
  faultsInRow: number
  share: number
  minCalls: number
  windowSeconds: number
  openSeconds: number
}

/** One of our accounts at the operator, as the setting `OP1_INSTALLATIONS` describes it (rails.md 3.2 and 9). */
export type Op1Installation = {
  id: string
  baseUrl: string
  targetEnvironment: string
  currency: string
  active: boolean
  foreignPhones: boolean
  collection: Credentials | null
  disbursement: Credentials | null
  /** The address below which callbacks reach us; null: the operator is not asked to call back. */
  callback: { base: string; send: boolean } | null
  statusPerSecond: number | null
  submitConnections: number
  submitPerSecond: number | null
  lookupsPerSecond: number
  tokenRenewSeconds: number
  tokenTimeoutMs: number
  /** Seconds. */
  timeouts: { connect: number; headers: number; body: number; submit: number; answer: number }
  noteMaxLength: number
  repostHours: number
  chargeRepostSeconds: number
  thinLadder: boolean
  breaker: BreakerSettings
  reasonOverrides: ReasonOverrides
  floatAlarmAmount: number | null
}

/** Describes an installation to the rest of the product. */
export const describeInstallation = (own: Op1Installation): Installation => ({
  id: own.id,
  sides: PRODUCTS.filter((product) => own[product] !== null).map((product) => SIDE_OF[product]),
  active: own.active,
  currency: own.currency,
  echoes: ECHOES,
  callbacks: own.callback?.send === true ? 'each attempt' : 'none',
  statusPerSecond: own.statusPerSecond,
  thinLadder: own.thinLadder,
  floatAlarmAmount: own.floatAlarmAmount,
  repostMs: { collect: own.chargeRepostSeconds * 1000, disburse: own.repostHours * 3_600_000 },
})
