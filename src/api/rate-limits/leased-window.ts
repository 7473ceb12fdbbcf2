import type { Call, Database } from '../../platform/db/database.ts'
import { CommitUnknown } from '../../platform/db/errors.ts'
import { type MerchantMode, merchantModeKey } from '../../platform/mode.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type CountedWindow, type ExactWindow, newExactWindow, type WindowLimits } from './exact-window.ts'
import {
  type Lease,
  type Leases,
  newLease,
  settleQuota,
  type TransactionOutcome,
  type TransactionQuota,
  takeQuota,
} from './leases.ts'
import { MINUTE_MS } from './limits.ts'
import type { OpenWindows } from './open-windows.ts'

/** The windows of one try of a transaction. */
export type TransactionWindows = {
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
  runCounted<T>(
    requests: readonly MerchantMode[],
    nowMs: number,
    work: (counting: TransactionWindows) => Promise<T>,
  ): Promise<T>
}

type LeasedWindowOptions = WindowLimits & { what: string; db: Database; clock: Clock }

export function newLeasedWindow({
  what,
  limit,
  grantedTo = () => undefined,
  db,
  clock,
}: LeasedWindowOptions): LeasedWindow {
  const rows = newExactWindow({ what, limit, grantedTo, db })
  const limitOf = ({ merchantId }: MerchantMode) => grantedTo(merchantId) ?? limit
  const leases: Leases = new Map()
  return {
    ...rows,
    refuseEarly(merchantMode, nowMs) {
      if ((leases.get(merchantModeKey(merchantMode))?.unused ?? 0) === 0) rows.refuseEarly(merchantMode, nowMs)
    },
    stateOf(merchantMode, nowMs) {
      const state = rows.stateOf(merchantMode, nowMs)
      // The row counts the whole lease.
      const unused = leases.get(merchantModeKey(merchantMode))?.unused ?? 0
      if (state === null || state.remaining === null || unused === 0) return state
      return { ...state, remaining: Math.min(state.limit, state.remaining + unused) }
    },
    runCounted: (requests, nowMs, work) =>
      limit > 0
        ? countByLeases({ rows, leases, limitOf, requests, nowMs }, work)
        : work({
            lock: () => rows.lock([...countByMerchantMode(requests).values()].map(({ merchantMode }) => merchantMode)),
            open: (answers) => rows.open(answers, nowMs),
          }),
    idle: async () => {
      await returnLeases({ rows, leases, db, nowMs: clock.nowMs() })
      await rows.idle()
    },
  }
}

type CountInput = {
  rows: ExactWindow
  leases: Leases
  limitOf(merchantMode: MerchantMode): number
  requests: readonly MerchantMode[]
  nowMs: number
}

async function countByLeases<T>(
  { rows, leases, limitOf, requests, nowMs }: CountInput,
  work: (counting: TransactionWindows) => Promise<T>,
): Promise<T> {
  const counts = countByMerchantMode(requests)
  const quotas = new Map<number, TransactionQuota>()
  const settleAll = (outcome: TransactionOutcome) => {
    for (const quota of quotas.values()) settleQuota(leases, quota, outcome)
    quotas.clear()
  }
  try {
    const value = await work({
      lock() {
        // A transaction is tried again only when the try before it was rolled back.
        settleAll('undone')
        for (const [key, { merchantMode, count }] of counts)
          quotas.set(key, takeQuota(leases, merchantMode, { count, nowMs }))
        const needed = [...quotas.values()].flatMap((quota) => (quota.kind === 'row' ? [quota.merchantMode] : []))
        return needed.length === 0 ? [] : rows.lock(needed)
      },
      open: (answers) => openQuotas(rows.open(answers, nowMs), { quotas, limitOf, nowMs }),
    })
    settleAll('committed')
    return value
  } catch (error) {
    settleAll(error instanceof CommitUnknown ? 'unknown' : 'undone')
    throw error
  }
}

function countByMerchantMode(requests: readonly MerchantMode[]) {
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

function openQuotas(
  rows: OpenWindows,
  { quotas, limitOf, nowMs }: Pick<CountInput, 'limitOf' | 'nowMs'> & { quotas: ReadonlyMap<number, TransactionQuota> },
): OpenWindows {
  for (const quota of quotas.values()) if (quota.kind === 'row' && quota.old) settleLease(rows, quota.old)
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
        quota.next = newLease(quota.merchantMode, {
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
function settleLease(rows: OpenWindows, { merchantMode, endMs, size, unused, lastUsedMs }: Lease): void {
  rows.change(merchantMode, { atMs: endMs, count: -size })
  if (size > unused) rows.change(merchantMode, { atMs: lastUsedMs, count: size - unused })
}

/** Returns what the leases have left when the process stops. If that fails, it comes free a minute after the end of each lease. */
async function returnLeases({
  rows,
  leases,
  db,
  nowMs,
}: Pick<CountInput, 'rows' | 'leases' | 'nowMs'> & { db: Database }): Promise<void> {
  const unused = [...leases.values()].filter(({ unused, endMs }) => unused > 0 && endMs + MINUTE_MS > nowMs)
  leases.clear()
  if (unused.length === 0) return
  await db
    .transactionFor({ kind: 'in' }, async (tx) => {
      const answers = await tx.send(...rows.lock(unused.map(({ merchantMode }) => merchantMode)))
      const open = rows.open(answers, nowMs)
      for (const lease of unused) settleLease(open, lease)
      return { value: null, last: open.writes() }
    })
    .catch(() => {})
}
