import { type MerchantMode, merchantModeKey } from '../../platform/mode.ts'
import { rememberNewest } from './bounded-map.ts'

/** Requests of a window that a process has counted in advance. Until it is settled, the row counts all of them at the lease's end. */
export type Lease = {
  merchantMode: MerchantMode
  fromMs: number
  endMs: number
  size: number
  /** How many are neither used nor held by a transaction. */
  unused: number
  /** The latest time at which a transaction took some. */
  lastUsedMs: number
}

/** What a transaction may count for one merchant: a part of a lease (`aside`), or the row, with the `old` lease that it settles. */
export type TransactionQuota =
  | { kind: 'lease'; lease: Lease; aside: number; taken: number }
  | { kind: 'row'; merchantMode: MerchantMode; old: Lease | null; taken: number; next: Lease | null }

/** How the transaction ended. Where it is `unknown` whether it committed, what was taken counts. */
export type TransactionOutcome = 'committed' | 'undone' | 'unknown'

// A lease is at most a hundredth of the limit, and near the limit a sixteenth of what is free, so that other processes hardly miss
// what this one does not use. Near the limit they miss it sooner, so a lease is short there.
const LEASE_MS = { ofLimit: 30_000, ofFree: 5000 }
const LIMIT_DIVISOR = 100
const FREE_DIVISOR = 16
// A smaller lease saves too few writes. So limits below a thousand a minute, and the last requests of any limit, are counted in the row.
const MIN_LEASE_SIZE = 10
const MAX_LEASES = 10_000

export type Leases = Map<number, Lease>

/** Makes the next lease when `free` more requests fit; null when that is too few for one. */
export function newLease(
  merchantMode: MerchantMode,
  { limit, free, nowMs }: { limit: number; free: number; nowMs: number },
): Lease | null {
  const [ofLimit, ofFree] = [limit / LIMIT_DIVISOR, free / FREE_DIVISOR]
  const size = Math.floor(Math.min(ofLimit, ofFree))
  if (size < MIN_LEASE_SIZE) return null
  const endMs = nowMs + (ofLimit <= ofFree ? LEASE_MS.ofLimit : LEASE_MS.ofFree)
  return { merchantMode, fromMs: nowMs, endMs, size, unused: size, lastUsedMs: nowMs }
}

/**
 * Whether the lease has `count` left at this time. Before `fromMs` (the clock went back) it has none: older counts have left the row
 * already.
 */
const covers = ({ unused, fromMs, endMs }: Lease, { count, nowMs }: { count: number; nowMs: number }): boolean =>
  unused >= count && fromMs <= nowMs && nowMs < endMs

/**
 * Takes `count` requests from the lease, so that no other transaction uses them. Where the lease does not cover them, the row is needed.
 */
export function takeQuota(
  leases: Leases,
  merchantMode: MerchantMode,
  { count, nowMs }: { count: number; nowMs: number },
): TransactionQuota {
  const key = merchantModeKey(merchantMode)
  const lease = leases.get(key) ?? null
  if (lease === null || !covers(lease, { count, nowMs })) {
    leases.delete(key)
    return { kind: 'row', merchantMode, old: lease, taken: 0, next: null }
  }
  lease.unused -= count
  lease.lastUsedMs = Math.max(lease.lastUsedMs, nowMs)
  return { kind: 'lease', lease, aside: count, taken: 0 }
}

/** Settles the leases in memory after their transaction: puts back what it did not use, and keeps the next lease or the old one. */
export function settleQuota(leases: Leases, quota: TransactionQuota, outcome: TransactionOutcome): void {
  if (quota.kind === 'lease') quota.lease.unused += quota.aside - (outcome === 'undone' ? 0 : quota.taken)
  else if (outcome === 'committed') keepLease(leases, quota.next)
  else if (outcome === 'undone' && quota.old && !leases.has(merchantModeKey(quota.merchantMode)))
    keepLease(leases, quota.old)
}

function keepLease(leases: Leases, lease: Lease | null): void {
  if (lease !== null)
    rememberNewest(leases, { key: merchantModeKey(lease.merchantMode), value: lease, most: MAX_LEASES })
}
