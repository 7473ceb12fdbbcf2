import { Type } from 'typebox'

/** Test mode moves no real money; live mode does. */
export type Mode = 'test' | 'live'
/** The schema of a mode in answers. No third mode will come, so it is the only closed list of words in them. */
export const ModeShape = Type.Enum(['test', 'live'], { $id: 'Mode' })

/** One merchant in one mode: limits, balances and keys of the two modes are apart. */
export type MerchantMode = { merchantId: number; mode: Mode }

/**
 * The key of a merchant in a mode, for maps. A number, because a text would have to be put together and hashed for each look-up, and every
 * payment makes a dozen of them. Merchant ids count from one, so the key is an exact number.
 */
export const merchantModeKey = ({ merchantId, mode }: MerchantMode): number =>
  merchantId * 2 + (mode === 'live' ? 1 : 0)
