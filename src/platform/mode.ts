import { Type } from 'typebox'

/** Test mode moves no real money; live mode does. */
export type Mode = 'test' | 'live'
/** As answers show it. No third will come, so it is the one closed list of them. */
export const ModeShape = Type.Enum(['test', 'live'], { $id: 'Mode' })

/** One merchant in one mode: limits, balances and keys of the two modes are apart. */
export type MerchantMode = { merchantId: number; mode: Mode }

/**
 * Its key in a map: a number, because a text has to be put together and hashed for each look-up, and every payment has a dozen of them.
 * Merchants are counted from one, so it stays an exact number.
 */
export const merchantModeKey = ({ merchantId, mode }: MerchantMode): number =>
  merchantId * 2 + (mode === 'live' ? 1 : 0)
