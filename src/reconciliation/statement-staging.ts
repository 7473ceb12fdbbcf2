import type { App } from '../app.ts'
import { bigint, bytea, copyInto, integer, text, time } from '../platform/db/copy.ts'
import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { StatementLine } from './statement-file.ts'

/** A line with what it is about. */
export type PlacedLine = StatementLine & {
  /** The movement that it names, by id or reference, or else the one that has its number. It may be one that we do not have. */
  movement: string | null
  /** Whose it is; null for a line that names nobody. */
  merchantId: number | null
}
type Staged = { run: string; at: Date; one: PlacedLine }

const STAGED = copyInto<Staged>('stage statement lines', 'rail_statement_staged', {
  run: text(({ run }) => run),
  line: integer(({ one }) => one.line),
  staged_at: time(({ at }) => at),
  digest: bytea(({ one }) => one.digest),
  rail_transaction_id: text(({ one }) => one.railTransactionId),
  external_id: text(({ one }) => one.externalId),
  type: text(({ one }) => one.type),
  amount: bigint(({ one }) => one.amount),
  fee: bigint(({ one }) => one.fee),
  tax: bigint(({ one }) => one.tax),
  currency: text(({ one }) => one.currency),
  at: time(({ one }) => one.at),
  status: text(({ one }) => one.status),
  movement: text(({ one }) => one.movement),
  merchant_id: bigint(({ one }) => one.merchantId),
})
const DROP = statement(
  'drop staged statement lines',
  'delete from rail_statement_staged where run = $1 and line > $2 and line <= $3',
)
const FORGET = statement<{ line: number }>(
  'forget left statement lines',
  `delete from rail_statement_staged where (run, line) in (
     select run, line from rail_statement_staged where staged_at <= $1 limit $2) returning line`,
)
const DROPPED_AT_ONCE = 20_000
const DAY_MS = 86_400_000

/** Puts lines where they can be compared. They count for nothing there. */
export const stageLines = (run: string, lines: readonly PlacedLine[], at: Date): Call[] =>
  STAGED.rows(lines.map((line) => ({ run, at, one: line })))

/** Forgets what was staged, up to this line. */
export async function dropStaged(db: Database, run: string, last: number): Promise<void> {
  for (let from = 0; from < last; from += DROPPED_AT_ONCE) {
    const dropping = call(DROP, run, from, from + DROPPED_AT_ONCE)
    await db.query(dropping.statement, dropping.values)
  }
}

/** Forgets what a process that died has left. Answers how many lines. */
export async function forgetStaged({ db, clock }: App): Promise<number> {
  const old = new Date(clock.nowMs() - DAY_MS).toISOString()
  let gone = 0
  for (;;) {
    const some = (await db.query(FORGET, [old, DROPPED_AT_ONCE])).length
    gone += some
    if (some < DROPPED_AT_ONCE) return gone
  }
}
