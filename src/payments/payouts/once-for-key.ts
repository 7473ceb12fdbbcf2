import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { App } from '../../program/app.ts'
import { payoutIdForKey } from './accept-payout.ts'
import { findPayout } from './find-payouts.ts'
import type { Payout } from './payout.ts'

/** Makes a payout whose id is derived from its key, or returns the one that this key made before, here or in a faster process. */
export async function onceForKey(
  app: App,
  { merchantId, tag, key }: { merchantId: number; tag: string; key: string },
  make: (key: string) => Promise<Payout>,
): Promise<Payout> {
  const find = () => findPayout(app, merchantId, payoutIdForKey(tag, key))
  const before = await find()
  if (before !== null) return before
  return onUniqueViolation(
    () => make(key),
    async (error) => {
      const first = await find()
      if (first === null) throw error
      return first
    },
  )
}
