import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'

/** Each place once, in the order of its first item: every merchant has one ledger head in each mode. */
export function distinctHeads(items: readonly MerchantMode[]): MerchantMode[] {
  const places = new Map<number, MerchantMode>()
  for (const item of items) {
    const key = merchantModeKey(item)
    if (!places.has(key)) places.set(key, { merchantId: item.merchantId, mode: item.mode })
  }
  return [...places.values()]
}
