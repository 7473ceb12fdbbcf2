/** Whose balances: every merchant has one ledger head in each mode. */
export type HeadPlace = { merchantId: number; mode: 'test' | 'live' }

/** Each place once, in the order of its first item. */
export function distinctHeads(items: readonly HeadPlace[]): HeadPlace[] {
  const places = new Map(items.map((item) => [`${item.merchantId} ${item.mode}`, item]))
  return [...places.values()].map(({ merchantId, mode }) => ({ merchantId, mode }))
}
