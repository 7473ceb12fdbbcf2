import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { pruneAddresses } from './addresses/tend-addresses.ts'

const KEPT_MS = 30 * 86_400_000
const ROWS_PER_STATEMENT = 5000

const PRUNE = statement<{ id: string }>(
  'prune deliveries',
  `with gone as (
     delete from deliveries where (merchant_id, event_id) in (
       select merchant_id, event_id from deliveries where created_at < $1 and status <> 'pending' limit $2)
     returning merchant_id, event_id),
   attempts as (
     delete from delivery_attempts a using gone where (a.merchant_id, a.event_id) = (gone.merchant_id, gone.event_id) and a.address_id is null)
   select event_id as id from gone`,
)

/** Deletes finished deliveries after 30 days, to every address, with their attempts; the events themselves stay (reliability.md D32). Returns how many. */
export async function pruneDeliveries(app: App): Promise<number> {
  let pruned = await pruneAddresses(app)
  for (;;) {
    const before = new Date(app.witness.earlierMs() - KEPT_MS).toISOString()
    const gone = await app.db.query(PRUNE, [before, ROWS_PER_STATEMENT])
    pruned += gone.length
    if (gone.length < ROWS_PER_STATEMENT) return pruned
  }
}

// $2 are the seconds before each attempt, the first included. Index: deliveries_due.
const setBackStatement = (table: 'deliveries' | 'address_deliveries', key: string) =>
  statement<{ id: string }>(
    `set back attempts of ${table}`,
    `update ${table} d set next_attempt_at = $1
     from (select ${key} from ${table} where next_attempt_at > $1::timestamptz + interval '1 minute'
       and next_attempt_at > $1::timestamptz + interval '1 minute' + coalesce(($2::int[])[attempts + 1], 0) * interval '1 second'
       limit $3 for no key update skip locked) far
     where ${key
       .split(', ')
       .map((column) => `d.${column} = far.${column}`)
       .join(' and ')} returning d.event_id as id`,
  )
const SET_BACK = [
  setBackStatement('deliveries', 'merchant_id, event_id'),
  setBackStatement('address_deliveries', 'merchant_id, address_id, event_id'),
]

/** Makes deliveries due now whose next attempt is further ahead than the ladder allows: it was set before the clock stepped back. */
export const setBackDeliveries = (now: Date, delaySeconds: readonly number[], most: number): Call<{ id: string }>[] =>
  SET_BACK.map((setBack) => call(setBack, now.toISOString(), delaySeconds, most))
