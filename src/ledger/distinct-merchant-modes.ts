import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'

/** The merchant and mode of each item, each pair once, in the order of its first item: each pair has one ledger head to lock. */
export function distinctMerchantModes(items: readonly MerchantMode[]): MerchantMode[] {
  const distinct = new Map<number, MerchantMode>()
  for (const item of items) {
    const key = merchantModeKey(item)
    if (!distinct.has(key)) distinct.set(key, { merchantId: item.merchantId, mode: item.mode })
  }
  return [...distinct.values()]
}
