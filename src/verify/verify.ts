import type { ClientBase } from 'pg'
import { assert } from '../platform/assert.ts'
import type { Database } from '../platform/db/database.ts'
import type { Invariant } from './invariant.ts'
import { INVARIANTS } from './invariants.ts'

/** A row that breaks an invariant, and the account that it belongs to; null where it belongs to none. */
export type Offender = { merchantId: number | null; mode: 'test' | 'live' | null; offender: string }

/** The result of one invariant: rows checked, how many break it, and up to a thousand of those, some of each account. */
export type Finding = {
  id: string
  says: string
  /** It is work that is late, no break of the books. */
  late: boolean
  looked: number
  violations: number
  offenders: Offender[]
  ms: number
}

const DAYS_29_MS = 29 * 86_400_000
// So many offenders are named to whoever acts on them, and so many to people.
const MOST_OFFENDERS = 1000
const NAMED = 10
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

/** The first ten offenders, for people. */
export const firstOffenders = (offenders: readonly Offender[]): string[] =>
  offenders.slice(0, NAMED).map(({ offender }) => offender)

/** One line for each invariant, for people. */
export function verifyReport(findings: readonly Finding[]): string {
  const broken = findings.filter((finding) => finding.violations > 0).length
  const lines = findings.map(reportLine)
  const end = broken === 0 ? 'everything holds' : `${broken} of ${findings.length} do not hold`
  return [...lines, end].join('\n')
}

function reportLine({ id, says, late, looked, violations, offenders, ms }: Finding): string {
  const verdict = violations === 0 ? 'holds ' : late ? 'LATE  ' : 'BROKEN'
  const figures = `${looked} rows, ${violations} violations, ${Math.round(ms)} ms`
  const named =
    violations === 0 ? '' : `: ${firstOffenders(offenders).join(', ')}${violations > NAMED ? ', ...' : ''}`
  return `${id.padEnd(4)}  ${verdict}  ${says} (${figures})${named}`
}

async function examine(
  client: ClientBase,
  { id, says, late = false, counted, offenders }: Invariant,
  now: Date,
): Promise<Finding> {
  const started = performance.now()
  const values = [now.toISOString(), new Date(now.getTime() - DAYS_29_MS).toISOString()]
  const { rows } = await client.query<{ looked: string; violations: string; offenders: Offender[] | null }>(
    askBoth(counted, offenders),
    values,
  )
  const row = rows[0]
  assert(row, 'a count answers with one row')
  return {
    id,
    says,
    late,
    looked: Number(row.looked),
    violations: Number(row.violations),
    offenders: row.offenders ?? [],
    ms: performance.now() - started,
  }
}

// The first line gives both parameters their type, also for queries that do not use them. The first offender of each account comes
// before the second of any: none is left out because another has a thousand. An id is far below 300 characters.
const askBoth = (counted: string, offenders: string) => `
  with parameters as (select $1::timestamptz as now, $2::timestamptz as kept_since),
    looked (number) as (${counted}),
    found as materialized (select distinct merchant_id, mode::text, left(offender, 300) as offender from (${offenders}) each_found),
    ranked as (select *, row_number() over (partition by merchant_id, mode order by offender) as nth from found),
    named as (select * from ranked order by nth, offender limit ${MOST_OFFENDERS})
  select (select number from looked) as looked, (select count(*) from found) as violations,
    (select json_agg(json_build_object('merchantId', merchant_id, 'mode', mode, 'offender', offender) order by nth, offender)
      from named) as offenders`
