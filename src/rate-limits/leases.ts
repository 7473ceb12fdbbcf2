import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'
import { remember } from './oldest-out.ts'

/** Places of a window that a process has taken in advance. The row counts all of them at the end, until they are settled. */
export type Lease = {
  place: MerchantMode
  fromMs: number
  endMs: number
  size: number
  /** Neither used nor set aside. */
  left: number
  /** The latest time at which one was set aside. */
  lastMs: number
}

/** What a transaction has of one merchant: so many places of a lease, or the row, with the lease that it settles. */
export type Share =
  | { kind: 'lease'; lease: Lease; aside: number; taken: number }
  | { kind: 'row'; place: MerchantMode; old: Lease | null; taken: number; next: Lease | null }

/** How the transaction ended. Not known whether it committed: then what was taken counts. */
export type End = 'committed' | 'undone' | 'unknown'

// One process holds at most a hundredth of the limit, and near the limit a sixteenth of what is free, so that what it does not
// use is hardly missed by the others. Near the limit it is missed sooner, so a lease is short there.
const LEASE_MS = { ofLimit: 30_000, ofFree: 5000 }
const MOST_OF_LIMIT = 100
const MOST_OF_FREE = 16
// A smaller lease saves too few writes. So limits below a thousand a minute, and the last places of all, are counted in the row.
const SMALLEST = 10
const MOST_LEASES = 10_000

export type Leases = Map<number, Lease>

/** The lease that follows when so many places are free, or null when too few are. */
export function leaseOf(
  place: MerchantMode,
  { limit, free, nowMs }: { limit: number; free: number; nowMs: number },
): Lease | null {
  const [ofLimit, ofFree] = [limit / MOST_OF_LIMIT, free / MOST_OF_FREE]
  const size = Math.floor(Math.min(ofLimit, ofFree))
  if (size < SMALLEST) return null
  const endMs = nowMs + (ofLimit <= ofFree ? LEASE_MS.ofLimit : LEASE_MS.ofFree)
  return { place, fromMs: nowMs, endMs, size, left: size, lastMs: nowMs }
}

/** Whether so many places may be used at this time. A clock that went back may not: older counts have left the row already. */
const covers = (
  { left, fromMs, endMs }: Lease,
  { count, nowMs }: { count: number; nowMs: number },
): boolean => left >= count && fromMs <= nowMs && nowMs < endMs

/** Sets places aside, so that no other transaction uses them. Where the lease does not cover them the row is needed. */
export function setAside(
  leases: Leases,
  place: MerchantMode,
  wanted: { count: number; nowMs: number },
): Share {
  const key = merchantModeKey(place)
  const lease = leases.get(key) ?? null
  if (lease === null || !covers(lease, wanted)) {
    leases.delete(key)
    return { kind: 'row', place, old: lease, taken: 0, next: null }
  }
  lease.left -= wanted.count
  lease.lastMs = Math.max(lease.lastMs, wanted.nowMs)
  return { kind: 'lease', lease, aside: wanted.count, taken: 0 }
}

/** What happens to the places in memory when their transaction has ended. */
export function endShare(leases: Leases, share: Share, end: End): void {
  if (share.kind === 'lease') share.lease.left += share.aside - (end === 'undone' ? 0 : share.taken)
  else if (end === 'committed') keep(leases, share.next)
  else if (end === 'undone' && share.old && !leases.has(merchantModeKey(share.place))) keep(leases, share.old)
}

function keep(leases: Leases, lease: Lease | null): void {
  if (lease !== null) remember(leases, { key: merchantModeKey(lease.place), value: lease, most: MOST_LEASES })
}
