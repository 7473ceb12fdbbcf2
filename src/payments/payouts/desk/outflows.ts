import { type KeyLimit, type KeyName, lockKeyLimits, writeKeySent } from '../../../merchants/account/key-limits.ts'
import type { Call, Tx } from '../../../platform/db/database.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { kampalaDay } from '../../../platform/time/kampala.ts'
import type { NewPayout } from '../new-payout.ts'

type CountedPayout = Pick<NewPayout, 'merchantId' | 'amount' | 'limitedKey'>

/** What keys with a limit have sent today, locked for one commit. */
export type Outflows = {
  /** Refuses a payout that would bring its key above the limit of the day. Throws Refusal. */
  judge(payout: CountedPayout): void
  /** Counts a payout that was judged. Leaves its key out of it where the key has no limit any more. */
  take(payout: CountedPayout): void
  writes(): Call[]
}

const NO_LIMITS: Outflows = { judge: () => {}, take: () => {}, writes: () => [] }

/** Locks the limits of these keys. Where there are none, nothing is read. */
export async function openOutflows(tx: Tx, keys: readonly KeyName[], at: Date): Promise<Outflows> {
  if (keys.length === 0) return NO_LIMITS
  const [rows] = await tx.send(lockKeyLimits(keys))
  const limits = new Map(rows.map((row) => [row.keyId, startDay(row, at)]))
  const counted = new Set<KeyLimit & { day: string }>()
  const findLimit = ({ limitedKey }: CountedPayout) => {
    const limit = limitedKey === null ? undefined : limits.get(limitedKey)
    return limit === undefined || limit.dailyLimit === null ? null : { ...limit, dailyLimit: limit.dailyLimit }
  }
  return {
    judge(payout) {
      const limit = findLimit(payout)
      if (limit !== null && limit.sent + payout.amount > limit.dailyLimit) throw aboveKeyLimit(limit, payout.amount)
    },
    take(payout) {
      const limit = findLimit(payout) === null ? undefined : limits.get(payout.limitedKey ?? '')
      if (limit === undefined) {
        payout.limitedKey = null
        return
      }
      limit.sent += payout.amount
      counted.add(limit)
    },
    writes: () => (counted.size === 0 ? [] : [writeKeySent([...counted])]),
  }
}

/** Begins a new day with nothing sent. A clock that has stepped back begins none. */
function startDay(row: KeyLimit, at: Date): KeyLimit & { day: string } {
  const today = kampalaDay(at)
  return row.day !== null && row.day >= today ? { ...row, day: row.day } : { ...row, day: today, sent: 0 }
}

const aboveKeyLimit = ({ sent, dailyLimit }: { sent: number; dailyLimit: number }, amount: number) =>
  domainRefusal(
    'key_limit_reached',
    `this API key may send ${dailyLimit} a day: ${sent} is sent today, and this is ${amount}`,
    {
      hint: 'a new day begins at midnight in Kampala; an owner may change the limit on the page of the key (Developers, Keys)',
    },
  )
