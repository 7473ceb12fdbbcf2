import { domainRefusal } from '../../../platform/refusal.ts'
import type { BulkItem } from '../bulk/bulk-item.ts'

// No payout is larger than 10^12; a larger item fails by itself when the call runs.
const MAX_ITEM_AMOUNT = 1e12

/** Returns the amounts of the items that can be paid. Throws Refusal when there are none, because then no second person should be asked. */
export function judgeBulk(items: readonly BulkItem[]): number[] {
  const amounts = items.flatMap((item) =>
    item.ok && item.amount > 0 && item.amount <= MAX_ITEM_AMOUNT ? [item.amount] : [],
  )
  if (amounts.length === 0) throw domainRefusal('nothing_to_pay', 'none of these lines can be paid')
  return amounts
}
