/** Whose affairs, and in which mode: limits, balances and keys of the two modes are apart. */
export type Place = { merchantId: number; mode: 'test' | 'live' }

/**
 * The key of a place in a map: a number, because a text has to be put together and hashed for each look, and every payment looks a dozen
 * times. Merchants are counted from one, so that it stays an exact number.
 */
export const placeKey = ({ merchantId, mode }: Place): number => merchantId * 2 + (mode === 'live' ? 1 : 0)
