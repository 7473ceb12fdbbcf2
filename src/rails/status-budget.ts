import type { Clock } from '../platform/clock.ts'
import { call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Installation } from './rail.ts'

/** How many questions a contract with an operator may be asked, by all processes together (rails.md 4.2). */
export type StatusBudget = {
  /** How many of the wanted questions may be asked of this contract now. */
  take(installation: string, wanted: number): Promise<number>
  /** One question that goes before all others; may leave the bucket owing one. */
  takeFirst(installation: string): Promise<boolean>
  giveBack(installation: string, unused: number): Promise<void>
  /** The operator says that it is too much: half the rate for 60 s. */
  slowDown(installation: string): Promise<void>
}

const SLOWED_MS = 60_000
// At 8 a second the bucket holds one question, so that no second ever sees more than 10.
const HELD_SECONDS = 0.125

const MAKE = statement(
  'make status budget',
  `insert into status_budgets (installation, tokens, filled_at) values ($1, 1, $2) on conflict do nothing`,
)
// $3 questions a second fill it up to $4, at half speed while it is slowed. $5 is what it may owe.
const TAKE = statement<{ taken: number }>(
  'take from status budget',
  `with found as (
     select installation, least($4::float8, tokens + greatest(0, extract(epoch from $2::timestamptz - filled_at))
       * $3::float8 * case when slowed_until > $2 then 0.5 else 1 end) as tokens
     from status_budgets where installation = $1 for no key update),
   taking as (select installation, tokens, greatest(0, least($6::int, floor(tokens + $5::float8 + 1e-9)))::int as taken from found)
   update status_budgets b set tokens = t.tokens - t.taken, filled_at = greatest(b.filled_at, $2)
   from taking t where b.installation = t.installation returning t.taken`,
)
const GIVE_BACK = statement(
  'give back to status budget',
  `update status_budgets set tokens = least($3::float8, tokens + $2) where installation = $1`,
)
const SLOW_DOWN = statement(
  'slow down status budget',
  `update status_budgets set slowed_until = $2 where installation = $1`,
)

/**
 * The buckets of these contracts, in the database. One without a rate is not limited and costs nothing. Errors: DatabaseAway.
 */
export function statusBudget({
  directory,
  clock,
  installations,
}: {
  directory: Database
  clock: Clock
  installations: readonly Pick<Installation, 'id' | 'statusPerSecond'>[]
}): StatusBudget {
  const rates = new Map(installations.map(({ id, statusPerSecond }) => [id, statusPerSecond]))
  const made = new Set<string>()
  const heldOf = (rate: number) => Math.max(1, rate * HELD_SECONDS)
  const rateOf = (installation: string) => rates.get(installation) ?? null

  async function take(
    { installation, rate }: { installation: string; rate: number },
    wanted: number,
    mayOwe: number,
  ): Promise<number> {
    const now = clock.now().toISOString()
    if (!made.has(installation)) {
      await directory.query(MAKE, [installation, now])
      made.add(installation)
    }
    const taking = call(TAKE, installation, now, rate, heldOf(rate), mayOwe, wanted)
    const [row] = await directory.query(taking.statement, taking.values)
    // After a crash of the server the table is empty.
    if (row === undefined) made.delete(installation)
    return row?.taken ?? 0
  }

  return {
    async take(installation, wanted) {
      const rate = rateOf(installation)
      return rate === null ? wanted : take({ installation, rate }, wanted, 0)
    },
    async takeFirst(installation) {
      const rate = rateOf(installation)
      return rate === null || (await take({ installation, rate }, 1, 1)) === 1
    },
    async giveBack(installation, unused) {
      const rate = rateOf(installation)
      if (rate === null || unused <= 0) return
      await directory.query(GIVE_BACK, [installation, unused, heldOf(rate)])
    },
    async slowDown(installation) {
      if (rateOf(installation) === null) return
      await directory.query(SLOW_DOWN, [installation, new Date(clock.nowMs() + SLOWED_MS).toISOString()])
    },
  }
}
