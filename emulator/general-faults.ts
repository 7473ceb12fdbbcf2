import type { FaultParams, GeneralFault } from './faults.ts'
import type { Desk } from './payments.ts'

/** Troubles of the whole operator, or of one phone, that somebody has switched on. */
export type General = {
  unauthorized: { left: number } | null
  tokenDown: boolean
  tokenDelayMs: number
  inactive: Set<string>
  kycDenied: boolean
}

export const quiet = (): General => ({
  unauthorized: null,
  tokenDown: false,
  tokenDelayMs: 0,
  inactive: new Set(),
  kycDenied: false,
})

const SLOW_TOKEN_MS = 12_000

type Wanted = { name: Exclude<GeneralFault, 'refuse' | 'restart'>; params: FaultParams }

/** Faults of the connection, the token and the account. */
export function switchOn(desk: Desk, general: General, { name, params }: Wanted): void {
  const { accounts } = desk.world
  switch (name) {
    case 'unauthorizedOnce':
      general.unauthorized = { left: params.times ?? 1 }
      break
    case 'unauthorizedAlways':
      general.unauthorized = { left: Number.POSITIVE_INFINITY }
      break
    case 'tokenExpired':
      accounts.tokenSeconds = params.seconds ?? 60
      break
    case 'tokenRevoked':
      accounts.revokeAll()
      break
    case 'tokenDown':
      general.tokenDown = true
      break
    case 'slowToken':
      general.tokenDelayMs = params.ms ?? SLOW_TOKEN_MS
      break
    case 'floatEmpty':
      desk.book.set('disbursement', 0)
      break
    case 'walletInactive':
      general.inactive.add(params.phone ?? '')
      break
    case 'kycDenied':
      general.kycDenied = true
      break
    case 'statusCap':
      desk.statusCap = params.times ?? 10
      break
  }
}
