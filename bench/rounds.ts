import type { Stage } from './stage.ts'

/** What every round tells. Processor milliseconds are for each payment or payout until it has landed. */
export type Round = {
  accepted_per_second: number | null
  post_p50_ms: number | null
  post_p99_ms: number | null
  cpu_ms_server: number | null
  cpu_ms_postgres: number | null
  /** Of the service and of PostgreSQL together. */
  cpu_ms: number | null
}

type Open = {
  query: string | { name: string; text: string }
  what: string
  withinMs: number
  everyMs: number
}

/** Waits until this query finds nothing open any more. */
export async function untilNone({ db }: Stage, { query, what, withinMs, everyMs }: Open): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while ((await db.query(query)).rows.length > 0) {
    if (performance.now() > giveUpAt) throw new Error(`accepted ${what} did not reach their end`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
