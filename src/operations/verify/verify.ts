import type { ClientBase } from 'pg'
import { assert } from '../../platform/assert.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Invariant } from './invariants/invariant.ts'
import { INVARIANTS } from './invariants/invariants.ts'

/** A row that breaks an invariant, with its account; null where it belongs to none. */
export type Offender = { merchantId: number | null; mode: 'test' | 'live' | null; offender: string }

/** The result of one invariant: rows checked, how many break it, and up to a thousand of those, some of each account. */
export type InvariantFinding = {
  id: string
  says: string
  /** True where it found late work, which is no break of the books. */
  late: boolean
  looked: number
  violations: number
  offenders: Offender[]
  /** Offenders that two staff members have accepted: they are no violations (docs/decisions/0040). */
  accepted: number
  acceptedOffenders: Offender[]
  ms: number
}

const DAYS_29_MS = 29 * 86_400_000
// How many offenders are returned for reconciliation, and how many are named to people.
const MAX_OFFENDERS = 1000
const MAX_NAMED = 10
// The queries read whole tables once: enough memory avoids the disk, and compiling them costs more than it saves.
const SNAPSHOT_SETTINGS = `set local work_mem = '128MB'; set local jit = off`

/**
 * Checks all invariants of one cell in one REPEATABLE READ, READ ONLY snapshot, so that changes in the meantime are no findings
 * (reliability.md 2.10). Throws DatabaseAway, or the server's own error.
 */
export const verifyCell = (db: Database, now: Date): Promise<InvariantFinding[]> =>
  db.snapshot((client) => verifySnapshot(client, now))

/** Checks all invariants, or some, inside a transaction of the caller. */
export async function verifySnapshot(
  client: ClientBase,
  now: Date,
  invariants: readonly Invariant[] = INVARIANTS,
): Promise<InvariantFinding[]> {
  await client.query(SNAPSHOT_SETTINGS)
  const findings: InvariantFinding[] = []
  const times = [now.toISOString(), new Date(now.getTime() - DAYS_29_MS).toISOString()]
  const { rows } = await client.query<{ cell: string }>(CELL)
  const values = [...times, rows[0]?.cell]
  const accepted = await client.query<AcceptedBreach>(ACCEPTED_BREACHES)
  for (const invariant of invariants)
    findings.push(await checkInvariant(client, { invariant, values, accepted: accepted.rows }))
  return findings
}

/** The first ten offenders, for people. */
export const firstOffenders = (offenders: readonly Offender[]): string[] =>
  offenders.slice(0, MAX_NAMED).map(({ offender }) => offender)

const presentOffender = ({ merchantId, mode, offender }: Offender) => ({
  merchant_id: merchantId,
  mode,
  offender,
})

/** A finding as commands print it. `merchant_id` is the number of the account in the database. */
export const presentFinding = ({ offenders, acceptedOffenders, ...finding }: InvariantFinding) => ({
  ...finding,
  offenders: offenders.map(presentOffender),
  accepted_offenders: acceptedOffenders.map(presentOffender),
})

/** One line for each invariant, for people. */
export function formatVerifyReport(findings: readonly InvariantFinding[]): string {
  const broken = findings.filter((finding) => finding.violations > 0).length
  const lines = findings.map(formatFinding)
  const accepted = findings.reduce((sum, finding) => sum + finding.accepted, 0)
  const summary = broken === 0 ? 'everything holds' : `${broken} of ${findings.length} do not hold`
  return [...lines, accepted === 0 ? summary : `${summary}; ${accepted} accepted`].join('\n')
}

function formatFinding(finding: InvariantFinding): string {
  const { id, says, late, looked, violations, offenders, accepted, acceptedOffenders, ms } = finding
  const verdict = violations === 0 ? 'holds ' : late ? 'LATE  ' : 'BROKEN'
  const figures = `${looked} rows, ${violations} violations, ${Math.round(ms)} ms`
  const named = violations === 0 ? '' : `: ${formatOffenders(offenders, violations)}`
  const apart = accepted === 0 ? '' : `; accepted: ${formatOffenders(acceptedOffenders, accepted)}`
  return `${id.padEnd(4)}  ${verdict}  ${says} (${figures})${named}${apart}`
}

const formatOffenders = (offenders: readonly Offender[], count: number) =>
  `${firstOffenders(offenders).join(', ')}${count > MAX_NAMED ? ', ...' : ''}`

async function checkInvariant(
  client: ClientBase,
  { invariant, values, accepted }: { invariant: Invariant; values: unknown[]; accepted: readonly AcceptedBreach[] },
): Promise<InvariantFinding> {
  const { id, says, late = false, counted, offenders } = invariant
  const started = performance.now()
  const [count] = (await client.query<CountRow>(countSql(counted, offenders), values)).rows
  assert(count, 'a count answers with one row')
  const own = accepted.filter(({ about }) => about.startsWith(`${id} `))
  const [found] =
    Number(count.found) === 0
      ? [NO_OFFENDERS]
      : (await client.query<OffendersRow>(offendersSql(offenders), [...values, id, JSON.stringify(own)])).rows
  assert(found, 'a count answers with one row')
  return {
    ...{ id, says, late, looked: Number(count.looked), violations: Number(found.violations) },
    ...{ offenders: found.offenders ?? [], accepted: Number(found.accepted) },
    ...{ acceptedOffenders: found.acceptedOffenders ?? [], ms: performance.now() - started },
  }
}

type AcceptedBreach = { merchantId: number | null; mode: 'test' | 'live' | null; about: string }
type CountRow = { looked: string; found: string }
type OffendersRow = {
  violations: string
  offenders: Offender[] | null
  accepted: string
  acceptedOffenders: Offender[] | null
}
const NO_OFFENDERS: OffendersRow = {
  violations: '0',
  offenders: null,
  accepted: '0',
  acceptedOffenders: null,
}

// Asked once, and handed to the invariants as a value: a statement about the directory may run on another server, where it would be the
// schema of that connection.
const CELL = 'select current_schema() as cell'

// The newest ten thousand. Acceptances that belong to no merchant are in the directory.
const ACCEPTED_BREACHES = `select merchant_id as "merchantId", mode, convert_from(command, 'UTF8')::jsonb->>'about' as about from (
    select merchant_id, mode, command, decided_at from approvals where kind = 'accept-breach' and status = 'approved'
    union all
    select null, null, command, decided_at from directory.approvals where kind = 'accept-breach' and status = 'approved'
    order by decided_at desc limit 10000) newest`

const offendersJson = (
  which: string,
) => `(select json_agg(json_build_object('merchantId', merchant_id, 'mode', mode, 'offender', offender)
      order by nth, offender) from (select * from ranked where ${which} order by nth, offender limit ${MAX_OFFENDERS}) first)`

// The first line types the values, also for queries that do not use them.
const PARAMETERS = 'with parameters as (select $1::timestamptz as now, $2::timestamptz as kept_since, $3::text as cell)'

// Counts first: nearly always nothing is found, and planning the query for the offenders takes longer than counting.
const countSql = (counted: string, offenders: string) => `
  ${PARAMETERS}, looked (number) as (${counted})
  select (select number from looked) as looked, (select count(*) from (${offenders}) each_found) as found`

// The first offender of each account comes before the second of any, so that none is left out because another has a thousand. An id is
// far below 300 characters. An acceptance for the platform may name a merchant that does not exist.
const offendersSql = (offenders: string) => `
  ${PARAMETERS},
    found as materialized (select distinct merchant_id, mode::text, left(offender, 300) as offender from (${offenders}) each_found),
    judged as (select f.*, exists (
        select from jsonb_to_recordset($5::jsonb) as a ("merchantId" bigint, mode text, about text)
        where a.about = $4::text || ' ' || f.offender
          and a."merchantId" is not distinct from (select m.id from merchants m where m.id = f.merchant_id)
          and (a."merchantId" is null or a.mode = f.mode)) as accepted from found f),
    ranked as (select *, row_number() over (partition by accepted, merchant_id, mode order by offender) as nth from judged)
  select (select count(*) from ranked where not accepted) as violations,
    ${offendersJson('not accepted')} as offenders, (select count(*) from ranked where accepted) as accepted,
    ${offendersJson('accepted')} as "acceptedOffenders"`
