import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { GrantedRates, RateName } from './rates.ts'

const READ_GRANTED_RATES = statement<{ id: number; rates: GrantedRates }>(
  'granted rates',
  `select id, rate_limits as rates from merchants where rate_limits <> '{}'`,
)

/** The rates granted to single merchants, in the memory of this process. */
export type GrantedRateCache = {
  /** The granted limit of this merchant, a minute; undefined where staff have granted none. */
  rateOf(rate: RateName, merchantId: number): number | undefined
  /** Reads all granted rates. Throws when a cell does not answer; the rates of the other cells are known by then. */
  read(): Promise<void>
  /** Starts a read when keys or merchants have `changed`, or the last read is old. Returns without waiting for it. */
  follow(changed: boolean): void
}

// The directory's revision number shows a change at once. But a process in which no key is used does not read that number, and a process
// that dies between a change and the number leaves it as it was. So the rates are also read again now and then while requests are counted.
const REREAD_EVERY_MS = 5000

/** `cells`: the databases with merchants. While one is away, the rates last read from it stay in force, and the others are not held up. */
export function newGrantedRateCache(cells: () => readonly Database[]): GrantedRateCache {
  const known = new Map<Database, ReadonlyMap<number, GrantedRates>>()
  let readAt = performance.now()
  let isWanted = false
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const askedAt = performance.now()
    isWanted = false
    const readings = await Promise.allSettled(
      cells().map(async (db) => {
        const rows = await db.query(READ_GRANTED_RATES)
        known.set(db, new Map(rows.map(({ id, rates }) => [id, rates])))
      }),
    )
    readAt = askedAt
    const failed = readings.find(({ status }) => status === 'rejected')
    if (failed?.status !== 'rejected') return
    isWanted = true
    throw failed.reason
  }

  function follow(changed: boolean): void {
    if (changed || performance.now() - readAt > REREAD_EVERY_MS) isWanted = true
    if (!isWanted || reading !== null) return
    reading = read()
      .catch(() => {})
      .finally(() => {
        reading = null
      })
  }

  return {
    rateOf(rate, merchantId) {
      if (performance.now() - readAt > REREAD_EVERY_MS) follow(false)
      for (const ofCell of known.values()) {
        const own = ofCell.get(merchantId)
        if (own !== undefined) return own[rate]
      }
      return undefined
    },
    read,
    follow,
  }
}
