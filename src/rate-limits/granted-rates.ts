import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { GrantedRates, RateName } from './rates.ts'

const GRANTED = statement<{ id: number; rates: GrantedRates }>(
  'granted rates',
  `select id, rate_limits as rates from merchants where rate_limits <> '{}'`,
)

/** The limits of merchants that have some of their own, in the memory of this process. */
export type Granted = {
  /** How many a minute this merchant may, where an operator has said so. */
  of(rate: RateName, merchantId: number): number | undefined
  /** Reads them all again. Throws where a cell does not answer; those of the others are known then. */
  read(): Promise<void>
  /** Sees to it that they are read when keys or merchants have changed, and now and then. Nobody waits for it. */
  follow(changed: boolean): void
}

// The number of the directory says at once that something has changed. A process in which no key is used does not look at it, and one that
// dies between a change and the number leaves a change without it: so they are read again now and then while somebody is counted.
const READ_AGAIN_MS = 5000

/** `cells`: the databases in which merchants are. One that is away keeps what was known of its merchants, and holds up no other. */
export function grantedRates(cells: () => readonly Database[]): Granted {
  const known = new Map<Database, ReadonlyMap<number, GrantedRates>>()
  let readAt = performance.now()
  let isWanted = false
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    const askedAt = performance.now()
    isWanted = false
    const readings = await Promise.allSettled(
      cells().map(async (db) => {
        const rows = await db.query(GRANTED)
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
    if (changed || performance.now() - readAt > READ_AGAIN_MS) isWanted = true
    if (!isWanted || reading !== null) return
    reading = read()
      .catch(() => {})
      .finally(() => {
        reading = null
      })
  }

  return {
    of(rate, merchantId) {
      if (performance.now() - readAt > READ_AGAIN_MS) follow(false)
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
