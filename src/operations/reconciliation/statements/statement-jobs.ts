import { type Call, call } from '../../../platform/db/database.ts'
import { dueCondition } from '../../../platform/db/due-times.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { emptyLeg } from '../leg.ts'
import type { StatementFindings } from './import-statement.ts'
import type { StatementSpan } from './statement-differences.ts'

/** The work that a worker is to do with a file, with its facts. `approvedBy` is set when the import is to be taken back. */
export type StatementJob = {
  id: string
  name: string
  installation: string | null
  wanted: 'look' | 'import' | null
  askedBy: string | null
  linesFrom: Date | null
  linesTo: Date | null
  tries: number
  approvedBy: string | null
}

/** Another worker has taken the job, because this one was silent for too long. */
export class LostJob extends Error {}

// Longer than a worker ever works on a file without reporting.
const LEASE_MS = 2 * 60_000
const PROGRESS_MS = 1000

const APPROVED_BY = `(select a.decided_name from approvals a where a.merchant_id = 0 and a.kind = 'take-back-statement'
  and a.subject = f.id and a.status = 'approved' limit 1)`
const CLAIM = statement<StatementJob>(
  'claim statement file',
  `update statement_files f set claim = $1, claimed_until = $2, tries = tries + 1
   where f.id = (select f.id from statement_files f where f.taken_back_at is null and (f.wanted is not null or ${APPROVED_BY} is not null)
       and (f.claimed_until is null or ${dueCondition('f.claimed_until', '$3', LEASE_MS)})
     order by f.made_at limit 1 for update skip locked)
   returning f.id, f.name, f.installation, f.wanted, f.asked_by as "askedBy", f.lines_from as "linesFrom", f.lines_to as "linesTo",
     f.tries, ${APPROVED_BY} as "approvedBy"`,
)
const STORE_PROGRESS = statement<{ id: string }>(
  'statement file goes on',
  'update statement_files set step = $3, done = $4, claimed_until = $5 where id = $1 and claim = $2 returning id',
)
const RELEASE = statement(
  'release statement file',
  'update statement_files set claim = null, claimed_until = $3 where id = $1 and claim = $2',
)
const FREE_COLUMNS = `wanted = null, claim = null, claimed_until = null, step = null, done = null, tries = 0`
const FAILED = statement(
  'statement file has failed',
  `update statement_files set ${FREE_COLUMNS}, failed = $3 where id = $1 and claim = $2`,
)
const LOOKED = statement(
  'statement file was looked at',
  `update statement_files set ${FREE_COLUMNS}, looked = $3, looked_at = $4, failed = null where id = $1 and claim = $2`,
)
const IMPORTED = statement(
  'statement file was imported',
  `update statement_files set ${FREE_COLUMNS}, looked = $3, imported_at = $4, imported_by = asked_by, bytes = null, failed = null
   where id = $1 and claim = $2`,
)
const TAKEN_BACK = statement(
  'statement file was taken back',
  `update statement_files set ${FREE_COLUMNS}, taken_back_at = $3, taken_back_by = $4, bytes = null where id = $1 and claim = $2`,
)
const ADD_IMPORT = statement(
  'add imported statement',
  `insert into statement_files (id, name, digest, installation, made_by, made_at, looked, wanted, asked_by, asked_at, lines_from, lines_to)
   values ($1, $2, $3, $4, $5, $6, $7, null, $5, $6, $8, $9)`,
)
const END_IMPORT = statement(
  'end import of statement',
  `update statement_files set looked = $2, looked_at = $3, imported_at = $3, imported_by = asked_by where id = $1 and imported_at is null`,
)
const SPANS = statement(
  'lines of statement file',
  'update statement_files set lines_from = $2, lines_to = $3 where id = $1',
)

/** Serializes the result of a comparison for storage. */
export const serializeFindings = ({ leg, period, counts, kept, judged }: StatementFindings): string =>
  JSON.stringify({
    ...{ leg, from: period.from.toISOString(), to: period.to.toISOString() },
    ...{ counts, differences: kept, judged },
  })

/** Serializes the empty result of a file that was not compared yet. */
export const serializeNotCompared = ({ from, to }: StatementSpan): string =>
  JSON.stringify({
    ...{ leg: emptyLeg('statement'), from: from.toISOString(), to: to.toISOString() },
    ...{ counts: {}, differences: [], judged: [] },
  })

const MAX_FILE_NAME = 255
export const cutFileName = (name: string): string => name.slice(0, MAX_FILE_NAME) || 'statement'

type NewImport = {
  id: string
  name: string
  digest: Buffer
  installation: string | null
  by: string
  at: Date
  span: StatementSpan
}
/** The write of a file that a command imports: its page shows it, and it can be taken back. */
export const addImport = ({ id, name, digest, installation, by, at, span }: NewImport): Call =>
  call(
    ADD_IMPORT,
    ...[id, cutFileName(name), digest, installation, by, at.toISOString(), serializeNotCompared(span)],
    ...[span.from.toISOString(), span.to.toISOString()],
  )

export const endImport = (id: string, look: string, at: Date): Call => call(END_IMPORT, id, look, at.toISOString())

/** Stores the period of an import's lines, before the first of them is stored. */
export const storeSpan = ({ directory }: Pick<App, 'directory'>, id: string, { from, to }: StatementSpan) =>
  directory.query(SPANS, [id, from.toISOString(), to.toISOString()])

/** Claims the oldest file with work to do; null when there is none. */
export async function claimJob({ directory, clock }: App, claim: string): Promise<StatementJob | null> {
  const now = clock.now()
  const [job] = await directory.query(CLAIM, [claim, addMs(now, LEASE_MS).toISOString(), now.toISOString()])
  return job ?? null
}

/** The outcomes of a claimed job. Each takes effect only for the run that has claimed it. */
export function claimedJob({ directory, clock }: App, id: string, claim: string) {
  let storedMs = Number.NEGATIVE_INFINITY
  let at = { step: '', done: 0 }
  const now = () => clock.now().toISOString()
  return {
    /** Stores the progress, at most once a second. Throws LostJob. */
    async went(step: string, lines: number): Promise<void> {
      at = { step, done: step === at.step ? at.done + lines : lines }
      if (performance.now() - storedMs < PROGRESS_MS) return
      storedMs = performance.now()
      const until = addMs(clock.now(), LEASE_MS).toISOString()
      const rows = await directory.query(STORE_PROGRESS, [id, claim, at.step, at.done, until])
      if (rows.length === 0) throw new LostJob(id)
    },
    looked: (look: string) => directory.query(LOOKED, [id, claim, look, now()]),
    imported: (look: string) => directory.query(IMPORTED, [id, claim, look, now()]),
    takenBack: (by: string) => directory.query(TAKEN_BACK, [id, claim, now(), by]),
    failed: (why: string) => directory.query(FAILED, [id, claim, why]),
    /** Releases the job, to be claimed again after so many ms. */
    release: (ms: number) => directory.query(RELEASE, [id, claim, addMs(clock.now(), ms).toISOString()]),
  }
}
