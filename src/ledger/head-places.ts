import { type Place, placeKey } from '../actors/place.ts'

/** Each place once, in the order of its first item: every merchant has one ledger head in each mode. */
export function distinctHeads(items: readonly Place[]): Place[] {
  const places = new Map<number, Place>()
  for (const item of items) {
    const key = placeKey(item)
    if (!places.has(key)) places.set(key, { merchantId: item.merchantId, mode: item.mode })
  }
  return [...places.values()]
}
