import type { ClientBase } from 'pg'
import { assert } from '../platform/assert.ts'
import type { Database } from '../platform/db/database.ts'
import type { Invariant } from './invariant.ts'
import { INVARIANTS } from './invariants.ts'

/** The result of one invariant: rows checked, how many break it, and the first ten of those. */
export type Finding = {
  id: string
  says: string
  looked: number
  violations: number
  offenders: string[]
  ms: number
}

const DAYS_29_MS = 29 * 86_400_000
// The queries read whole tables once: enough memory avoids the disk, and compiling them costs more than it saves.
const SETTINGS = `set local work_mem = '128MB'; set local jit = off`

/**
 * Checks all invariants of one cell in one REPEATABLE READ, READ ONLY snapshot, so that changes in the meantime are no
 * findings (reliability.md 2.10). Errors: DatabaseAway, or the server's own.
 */
export const verifyCell = (db: Database, now: Date): Promise<Finding[]> =>
  db.snapshot((client) => verifySnapshot(client, now))

/** The same, or a part, inside a transaction of the caller. */
export async function verifySnapshot(
  client: ClientBase,
  now: Date,
  invariants: readonly Invariant[] = INVARIANTS,
): Promise<Finding[]> {
  await client.query(SETTINGS)
  const findings: Finding[] = []
  for (const invariant of invariants) findings.push(await examine(client, invariant, now))
  return findings
}

/** One line for each invariant, for people. */
export function verifyReport(findings: readonly Finding[]): string {
  const broken = findings.filter((finding) => finding.violations > 0).length
  const lines = findings.map(reportLine)
  const end = broken === 0 ? 'everything holds' : `${broken} of ${findings.length} do not hold`
  return [...lines, end].join('\n')
}

function reportLine({ id, says, looked, violations, offenders, ms }: Finding): string {
  const verdict = violations === 0 ? 'holds ' : 'BROKEN'
  const figures = `${looked} rows, ${violations} violations, ${Math.round(ms)} ms`
  const named =
    violations === 0 ? '' : `: ${offenders.join(', ')}${violations > offenders.length ? ', ...' : ''}`
  return `${id.padEnd(4)}  ${verdict}  ${says} (${figures})${named}`
}

async function examine(
  client: ClientBase,
  { id, says, counted, offenders }: Invariant,
  now: Date,
): Promise<Finding> {
  const started = performance.now()
  const values = [now.toISOString(), new Date(now.getTime() - DAYS_29_MS).toISOString()]
  const { rows } = await client.query<{ looked: string; violations: string; offenders: string[] | null }>(
    askBoth(counted, offenders),
    values,
  )
  const row = rows[0]
  assert(row, 'a count answers with one row')
  return {
    id,
    says,
    looked: Number(row.looked),
    violations: Number(row.violations),
    offenders: row.offenders ?? [],
    ms: performance.now() - started,
  }
}

// The first line gives both parameters their type, also for queries that do not use them.
const askBoth = (counted: string, offenders: string) => `
  with parameters as (select $1::timestamptz as now, $2::timestamptz as kept_since),
    looked (number) as (${counted}),
    found as (${offenders})
  select (select number from looked) as looked, count(*) as violations,
    (array_agg(offender order by offender))[:10] as offenders from found`
