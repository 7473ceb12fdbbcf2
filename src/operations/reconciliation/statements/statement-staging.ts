import { type Call, call, type Database } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { bigint, bytea, copyInto, integer, text, time } from '../../../platform/db/wire/copy.ts'
import type { App } from '../../../program/app.ts'
import type { StatementLine } from './statement-file.ts'

/** A line with the movement that it is about. */
export type MatchedLine = StatementLine & {
  /** The movement that it names by id or reference, otherwise the one that has its number. We may not have it. */
  movement: string | null
  /** Its merchant; null for a line that names no movement of ours. */
  merchantId: number | null
}
type StagedRow = { run: string; at: Date; line: MatchedLine }

const STAGED_ROWS = copyInto<StagedRow>('stage statement lines', 'rail_statement_staged', {
  run: text(({ run }) => run),
  line: integer(({ line }) => line.line),
  staged_at: time(({ at }) => at),
  digest: bytea(({ line }) => line.digest),
  rail_transaction_id: text(({ line }) => line.railTransactionId),
  external_id: text(({ line }) => line.externalId),
  type: text(({ line }) => line.type),
  amount: bigint(({ line }) => line.amount),
  fee: bigint(({ line }) => line.fee),
  tax: bigint(({ line }) => line.tax),
  currency: text(({ line }) => line.currency),
  at: time(({ line }) => line.at),
  status: text(({ line }) => line.status),
  movement: text(({ line }) => line.movement),
  merchant_id: bigint(({ line }) => line.merchantId),
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

/** The writes that stage lines for comparison. Staged lines count for nothing. */
export const stageLines = (run: string, lines: readonly MatchedLine[], at: Date): Call[] =>
  STAGED_ROWS.rows(lines.map((line) => ({ run, at, line })))

/** Deletes the staged lines of a run, up to this line. */
export async function dropStaged(db: Database, run: string, last: number): Promise<void> {
  for (let from = 0; from < last; from += DROPPED_AT_ONCE) {
    const dropping = call(DROP, run, from, from + DROPPED_AT_ONCE)
    await db.query(dropping.statement, dropping.values)
  }
}

/** Deletes the staged lines of processes that died. Returns how many. */
export async function forgetStaged({ db, clock }: App): Promise<number> {
  const old = new Date(clock.nowMs() - DAY_MS).toISOString()
  let deleted = 0
  for (;;) {
    const count = (await db.query(FORGET, [old, DROPPED_AT_ONCE])).length
    deleted += count
    if (count < DROPPED_AT_ONCE) return deleted
  }
}
