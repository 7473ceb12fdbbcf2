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
  /** Reads them all again. */
  read(): Promise<void>
  /** Reads them when keys or merchants have changed, and now and then. */
  follow(changed: boolean): Promise<void>
}

// A process that dies between a change of a merchant and the number of the directory leaves a change without it.
const READ_AGAIN_MS = 30_000

/** `cells`: the databases in which merchants are. */
export function grantedRates(cells: () => readonly Database[]): Granted {
  let known: ReadonlyMap<number, GrantedRates> = new Map()
  let readAt = performance.now()
  async function read(): Promise<void> {
    const askedAt = performance.now()
    const rows = await Promise.all(cells().map((db) => db.query(GRANTED)))
    known = new Map(rows.flat().map(({ id, rates }) => [id, rates]))
    readAt = askedAt
  }
  return {
    of: (rate, merchantId) => known.get(merchantId)?.[rate],
    read,
    async follow(changed) {
      if (changed || performance.now() - readAt > READ_AGAIN_MS) await read()
    },
  }
}
