import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Leg } from '../../../src/operations/reconciliation/leg.ts'
import {
  importStatement,
  type StatementImport,
} from '../../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath } from '../../../src/operations/reconciliation/statements/statement-file.ts'
import { BY_HAND } from '../service/actors.ts'
import type { TestService } from '../service/test-service.ts'

// Files like those that an operator gives of its own transactions.
const HEAD = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
const HOUR = 3_600_000
let folder: string | null = null
let files = 0

/** The bytes of a file with these lines below a header. */
export const csvOf = (lines: readonly string[], head = HEAD) => Buffer.from(`${[head, ...lines].join('\n')}\n`)

/** A file on this machine with these lines below a header. */
export function statementFile(lines: readonly string[], head = HEAD): string {
  folder ??= mkdtempSync(join(tmpdir(), 'statement-'))
  files += 1
  const path = join(folder, `${files}.csv`)
  writeFileSync(path, csvOf(lines, head))
  return path
}

/** Imports such a file; of the contract ug-1 unless it is said. */
export const importLines = (
  { gateway }: Pick<TestService, 'gateway'>,
  lines: readonly string[],
  more: Partial<StatementImport> = {},
): Promise<Leg> =>
  importStatement(gateway, BY_HAND, {
    ...{ source: fromPath(statementFile(lines)), installation: 'ug-1', period: null, dryRun: false },
    ...more,
  })

/** A line about money that moved. */
export const movedLine = (number: string, id: string, amount: number, at: Date, type = 'collect') =>
  `${number},${id},${type},${amount},0,0,UGX,${at.toISOString()},SUCCESSFUL`

/** Lines of nobody so far before and after now that everything between is judged. */
export const linesAround = ({ clock }: Pick<TestService, 'clock'>, hours = 3): string[] =>
  [-hours, hours].map((from, nth) => movedLine(String(nth + 1), '', 1, new Date(clock.nowMs() + from * HOUR), 'other'))

/** The number that the operator told us of a movement. */
export async function numberOf(service: Pick<TestService, 'rows'>, id: string): Promise<string> {
  const [row] = await service.rows<{ number: string | null }>(
    `select rail_transaction_id as number from charges where id = $1
     union all select rail_transaction_id from payouts where id = $1`,
    [id],
  )
  return row?.number ?? assert.fail(`${id} has no number`)
}
