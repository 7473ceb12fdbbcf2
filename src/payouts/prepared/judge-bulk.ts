import { domainRefusal } from '../../platform/refusal.ts'
import type { BulkItem } from '../bulk/bulk-item.ts'

// No payout is larger than a million millions; what is larger fails by itself when the call runs.
const MOST = 1e12

/** The amounts of the items that can be paid. A call of which nothing can be paid is not worth a second person. Throws Refusal. */
export function judgeBulk(items: readonly BulkItem[]): number[] {
  const amounts = items.flatMap((item) =>
    item.ok && item.amount > 0 && item.amount <= MOST ? [item.amount] : [],
  )
  if (amounts.length === 0) throw domainRefusal('nothing_to_pay', 'none of these lines can be paid')
  return amounts
}
