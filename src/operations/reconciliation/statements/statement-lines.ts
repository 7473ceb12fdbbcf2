import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { StatementSpan } from './statement-differences.ts'

// A line that several files have is stored once, with its files, so that one of them can be taken back. Lines stored before that was
// recorded stay for good.
const STORE_LINES = statement<{ lines: number }>(
  'keep statement lines',
  `with kept as (insert into rail_statement_lines as l (digest, rail_transaction_id, external_id, type, amount, fee, tax, currency, at, status,
     imported_at, imports)
   select distinct on (digest) digest, rail_transaction_id, external_id, type, amount, fee, tax, currency, at, status,
     $4::timestamptz, array[$5]
   from rail_statement_staged where run = $1 and line > $2 and line <= $3 order by digest
   on conflict (digest) do update set imports = l.imports || excluded.imports
     where l.imports is not null and not l.imports @> excluded.imports)
   select count(*)::int as lines from rail_statement_staged where run = $1 and line > $2 and line <= $3`,
)
const STORED_AT_ONCE = 2000

/** Stores the staged lines of a run for good, in one cell. `went` is called after each part. */
export async function storeLines(
  { db, clock }: App,
  { run, last, importId }: { run: string; last: number; importId: string },
  went: (lines: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < last; from += STORED_AT_ONCE) {
    const part = [run, from, from + STORED_AT_ONCE]
    const [kept] = await db.query(STORE_LINES, [...part, clock.now().toISOString(), importId])
    await went(kept?.lines ?? 0)
  }
}

const ADD_STATEMENT = statement(
  'add statement',
  `insert into rail_statements (installation, sides, from_at, to_at, imported_at, import_id) values ($1, $2::text[], $3, $4, $5, $6)
   on conflict (import_id) where import_id is not null do nothing`,
)

type CoverageInput = {
  importId: string
  installation: string | null
  sides: readonly string[]
  period: StatementSpan
}
/**
 * The write of the period that a statement covers: within it, a missing line is the operator's statement. To be written last, when
 * everything was compared.
 */
export const addStatement = ({ importId, installation, sides, period }: CoverageInput, at: Date): Call =>
  call(
    ADD_STATEMENT,
    installation,
    sides,
    period.from.toISOString(),
    period.to.toISOString(),
    at.toISOString(),
    importId,
  )
