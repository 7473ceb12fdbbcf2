import type { Clock } from '../platform/clock.ts'
import type { Call, Database } from '../platform/db/database.ts'
import { CommitUnknown } from '../platform/db/errors.ts'
import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'
import { type CountedWindow, type ExactWindow, exactWindow, type WindowLimits } from './exact-window.ts'
import { type End, endShare, type Lease, type Leases, leaseOf, type Share, setAside } from './leases.ts'
import { MINUTE_MS } from './limits.ts'
import type { OpenWindows } from './open-windows.ts'

/** The windows of one try of a transaction. */
type Counting = {
  /** Locks the windows that the leases of this process do not cover; sent with the first statements. */
  lock(): Call[]
  /** Opens the windows from the rows that the calls of `lock` returned. */
  open(answers: readonly (readonly unknown[])[]): OpenWindows
}

/**
 * An exact window in which a process counts requests in advance (a lease), so that most transactions send nothing about it (decision 31).
 */
export type LeasedWindow = CountedWindow & {
  /** Counts each of these requests in the transaction of `work`, which may be repeated. */
  counted<T>(
    requests: readonly MerchantMode[],
    nowMs: number,
    work: (counting: Counting) => Promise<T>,
  ): Promise<T>
}

type Options = WindowLimits & { what: string; db: Database; clock: Clock }

export function leasedWindow({ what, limit, grantedTo = () => undefined, db, clock }: Options): LeasedWindow {
  const rows = exactWindow({ what, limit, grantedTo, db })
  const limitOf = ({ merchantId }: MerchantMode) => grantedTo(merchantId) ?? limit
  const leases: Leases = new Map()
  return {
    ...rows,
    refuseEarly(merchantMode, nowMs) {
      if ((leases.get(merchantModeKey(merchantMode))?.left ?? 0) === 0) rows.refuseEarly(merchantMode, nowMs)
    },
    counted: (requests, nowMs, work) =>
      limit > 0
        ? countedByLeases({ rows, leases, limitOf, requests, nowMs }, work)
        : work({
            lock: () => rows.lock([...countsOf(requests).values()].map(({ merchantMode }) => merchantMode)),
            open: (answers) => rows.open(answers, nowMs),
          }),
    idle: async () => {
      await giveBackAll({ rows, leases, db, nowMs: clock.nowMs() })
      await rows.idle()
    },
  }
}

type Counted = {
  rows: ExactWindow
  leases: Leases
  limitOf(merchantMode: MerchantMode): number
  requests: readonly MerchantMode[]
  nowMs: number
}

async function countedByLeases<T>(
  { rows, leases, limitOf, requests, nowMs }: Counted,
  work: (counting: Counting) => Promise<T>,
): Promise<T> {
  const counts = countsOf(requests)
  const quotas = new Map<number, Share>()
  const settleAll = (outcome: End) => {
    for (const quota of quotas.values()) endShare(leases, quota, outcome)
    quotas.clear()
  }
  try {
    const value = await work({
      lock() {
        // A transaction is tried again only when the try before it was rolled back.
        settleAll('undone')
        for (const [key, { merchantMode, count }] of counts)
          quotas.set(key, setAside(leases, merchantMode, { count, nowMs }))
        const needed = [...quotas.values()].flatMap((quota) =>
          quota.kind === 'row' ? [quota.merchantMode] : [],
        )
        return needed.length === 0 ? [] : rows.lock(needed)
      },
      open: (answers) => openShares(rows.open(answers, nowMs), { quotas, limitOf, nowMs }),
    })
    settleAll('committed')
    return value
  } catch (error) {
    settleAll(error instanceof CommitUnknown ? 'unknown' : 'undone')
    throw error
  }
}

function countsOf(requests: readonly MerchantMode[]) {
  const counts = new Map<number, { merchantMode: MerchantMode; count: number }>()
  for (const merchantMode of requests) {
    const known = counts.get(merchantModeKey(merchantMode))
    if (known) known.count += 1
    else
      counts.set(merchantModeKey(merchantMode), {
        merchantMode: { merchantId: merchantMode.merchantId, mode: merchantMode.mode },
        count: 1,
      })
  }
  return counts
}

function openShares(
  rows: OpenWindows,
  { quotas, limitOf, nowMs }: Pick<Counted, 'limitOf' | 'nowMs'> & { quotas: ReadonlyMap<number, Share> },
): OpenWindows {
  for (const quota of quotas.values()) if (quota.kind === 'row' && quota.old) settle(rows, quota.old)
  const quotaOf = (merchantMode: MerchantMode) => quotas.get(merchantModeKey(merchantMode))
  return {
    ...rows,
    check(merchantMode) {
      if (quotaOf(merchantMode)?.kind !== 'lease') rows.check(merchantMode)
    },
    take(merchantMode) {
      const quota = quotaOf(merchantMode)
      if (quota) quota.taken += 1
      if (quota?.kind !== 'lease') rows.take(merchantMode)
    },
    writes() {
      for (const quota of quotas.values()) {
        if (quota.kind === 'lease' || quota.taken === 0) continue
        quota.next = leaseOf(quota.merchantMode, {
          limit: limitOf(quota.merchantMode),
          free: rows.free(quota.merchantMode),
          nowMs,
        })
        if (quota.next) rows.change(quota.merchantMode, { atMs: quota.next.endMs, count: quota.next.size })
      }
      return rows.writes()
    },
  }
}

/**
 * Replaces a lease in the row by what was used of it: that counts at the time of its last use instead of the lease's end, the rest not at
 * all.
 */
function settle(rows: OpenWindows, { merchantMode, endMs, size, left, lastMs }: Lease): void {
  rows.change(merchantMode, { atMs: endMs, count: -size })
  if (size > left) rows.change(merchantMode, { atMs: lastMs, count: size - left })
}

/** Returns what the leases have left when the process stops. If that fails, it comes free a minute after the end of each lease. */
async function giveBackAll({
  rows,
  leases,
  db,
  nowMs,
}: Pick<Counted, 'rows' | 'leases' | 'nowMs'> & { db: Database }): Promise<void> {
  const unused = [...leases.values()].filter(({ left, endMs }) => left > 0 && endMs + MINUTE_MS > nowMs)
  leases.clear()
  if (unused.length === 0) return
  await db
    .transactionFor({ kind: 'in' }, async (tx) => {
      const answers = await tx.send(...rows.lock(unused.map(({ merchantMode }) => merchantMode)))
      const open = rows.open(answers, nowMs)
      for (const lease of unused) settle(open, lease)
      return { value: null, last: open.writes() }
    })
    .catch(() => {})
}
