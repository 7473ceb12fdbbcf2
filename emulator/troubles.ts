import type { Product } from './book.ts'
import type { FaultParams, Trouble } from './faults.ts'
import type { Desk } from './payments.ts'

/** Troubles of the whole operator, or of one phone, that somebody has switched on. */
export type Troubles = {
  unauthorized: { left: number; product: Product | undefined }
  tokenDown: boolean
  tokenDelayMs: number
  inactive: Set<string>
  kycDenied: boolean
}
/** Those that need more than the desk: the connections of the operator. */
type OfTheLine = 'refuse' | 'connectTimeout' | 'platformMoved' | 'restart'

export const quiet = (): Troubles => ({
  unauthorized: { left: 0, product: undefined },
  tokenDown: false,
  tokenDelayMs: 0,
  inactive: new Set(),
  kycDenied: false,
})

const SLOW_TOKEN_MS = 12_000
const SHORT_TOKEN_SECONDS = 60

type Wanted = { name: Exclude<Trouble, OfTheLine>; params: FaultParams; count: number }

/** Switches a trouble on, and says how it ends. */
export function switchOn(desk: Desk, troubles: Troubles, { name, params, count }: Wanted): () => void {
  const { accounts, book } = desk.world
  switch (name) {
    case 'unauthorizedOnce':
      troubles.unauthorized = { left: params.times ?? count, product: params.product }
      return () => Object.assign(troubles, { unauthorized: quiet().unauthorized })
    case 'unauthorizedAlways':
      troubles.unauthorized = { left: Number.POSITIVE_INFINITY, product: params.product }
      return () => Object.assign(troubles, { unauthorized: quiet().unauthorized })
    case 'tokenExpired':
      accounts.tokenSeconds = params.seconds ?? SHORT_TOKEN_SECONDS
      accounts.expireAll(params.product)
      return () => accounts.usualTokens()
    case 'tokenRevoked':
      accounts.revokeAll(params.product)
      return () => {}
    case 'tokenDown':
      troubles.tokenDown = true
      return () => Object.assign(troubles, { tokenDown: false })
    case 'slowToken':
      troubles.tokenDelayMs = params.ms ?? SLOW_TOKEN_MS
      return () => Object.assign(troubles, { tokenDelayMs: 0 })
    case 'floatEmpty': {
      const before = book.wallets.balance('disbursement')
      book.wallets.set('disbursement', 0)
      return () => book.wallets.set('disbursement', before)
    }
    case 'walletInactive': {
      const { phone = '' } = params
      troubles.inactive.add(phone)
      return () => troubles.inactive.delete(phone)
    }
    case 'kycDenied':
      troubles.kycDenied = true
      return () => Object.assign(troubles, { kycDenied: false })
    case 'statusCap': {
      const before = desk.statusCap
      desk.statusCap = params.times ?? 1
      return () => {
        desk.statusCap = before
      }
    }
  }
}
