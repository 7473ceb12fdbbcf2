import type { Clock } from '../platform/clock.ts'
import type { Call, Database } from '../platform/db/database.ts'
import { CommitUnknown } from '../platform/db/errors.ts'
import { type MerchantMode, merchantModeKey } from '../platform/mode.ts'
import { type CountedWindow, type ExactWindow, exactWindow, type WindowLimits } from './exact-window.ts'
import { type End, endShare, type Lease, type Leases, leaseOf, type Share, setAside } from './leases.ts'
import { MINUTE_MS } from './limits.ts'
import type { OpenWindows } from './open-windows.ts'

/** The windows of one try of a transaction. */
export type Counting = {
  /** For the first flush: locks the windows of which this process holds too few places. */
  lock(): Call[]
  /** From the answers to the calls of `lock`. */
  open(answers: readonly (readonly unknown[])[]): OpenWindows
}

/** An exact window of which a process takes places in advance, so that most transactions send nothing about it (decision 31). */
export type LeasedWindow = CountedWindow & {
  /** Counts these requests, each with its own place, in the transaction of `work`, which may be repeated. */
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
    refuseEarly(place, nowMs) {
      if ((leases.get(merchantModeKey(place))?.left ?? 0) === 0) rows.refuseEarly(place, nowMs)
    },
    counted: (requests, nowMs, work) =>
      limit > 0
        ? countedByLeases({ rows, leases, limitOf, requests, nowMs }, work)
        : work({
            lock: () => rows.lock([...countsOf(requests).values()].map(({ place }) => place)),
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
  limitOf(place: MerchantMode): number
  requests: readonly MerchantMode[]
  nowMs: number
}

async function countedByLeases<T>(
  { rows, leases, limitOf, requests, nowMs }: Counted,
  work: (counting: Counting) => Promise<T>,
): Promise<T> {
  const counts = countsOf(requests)
  const shares = new Map<number, Share>()
  const end = (how: End) => {
    for (const share of shares.values()) endShare(leases, share, how)
    shares.clear()
  }
  try {
    const value = await work({
      lock() {
        // A transaction is tried again only when the try before it was rolled back.
        end('undone')
        for (const [key, { place, count }] of counts)
          shares.set(key, setAside(leases, place, { count, nowMs }))
        const needed = [...shares.values()].flatMap((share) => (share.kind === 'row' ? [share.place] : []))
        return needed.length === 0 ? [] : rows.lock(needed)
      },
      open: (answers) => openShares(rows.open(answers, nowMs), { shares, limitOf, nowMs }),
    })
    end('committed')
    return value
  } catch (error) {
    end(error instanceof CommitUnknown ? 'unknown' : 'undone')
    throw error
  }
}

function countsOf(requests: readonly MerchantMode[]) {
  const counts = new Map<number, { place: MerchantMode; count: number }>()
  for (const place of requests) {
    const known = counts.get(merchantModeKey(place))
    if (known) known.count += 1
    else
      counts.set(merchantModeKey(place), {
        place: { merchantId: place.merchantId, mode: place.mode },
        count: 1,
      })
  }
  return counts
}

function openShares(
  rows: OpenWindows,
  { shares, limitOf, nowMs }: Pick<Counted, 'limitOf' | 'nowMs'> & { shares: ReadonlyMap<number, Share> },
): OpenWindows {
  for (const share of shares.values()) if (share.kind === 'row' && share.old) settle(rows, share.old)
  const shareOf = (place: MerchantMode) => shares.get(merchantModeKey(place))
  return {
    ...rows,
    check(place) {
      if (shareOf(place)?.kind !== 'lease') rows.check(place)
    },
    take(place) {
      const share = shareOf(place)
      if (share) share.taken += 1
      if (share?.kind !== 'lease') rows.take(place)
    },
    writes() {
      for (const share of shares.values()) {
        if (share.kind === 'lease' || share.taken === 0) continue
        share.next = leaseOf(share.place, {
          limit: limitOf(share.place),
          free: rows.free(share.place),
          nowMs,
        })
        if (share.next) rows.change(share.place, { atMs: share.next.endMs, count: share.next.size })
      }
      return rows.writes()
    },
  }
}

/** In the row: what was used counts at its latest time instead of the end of the lease, and the rest not at all. */
function settle(rows: OpenWindows, { place, endMs, size, left, lastMs }: Lease): void {
  rows.change(place, { atMs: endMs, count: -size })
  if (size > left) rows.change(place, { atMs: lastMs, count: size - left })
}

/** At a stop. If it fails, the places come free a minute after the end of their leases. */
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
      const answers = await tx.send(...rows.lock(unused.map(({ place }) => place)))
      const open = rows.open(answers, nowMs)
      for (const lease of unused) settle(open, lease)
      return { value: null, last: open.writes() }
    })
    .catch(() => {})
}
