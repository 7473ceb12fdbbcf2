import { closeUnfounded, closeUnfoundedOfPlatform } from '../../../payments/exceptions/close-unfounded.ts'
import { call, type Database, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import type { App, Gateway } from '../../../program/app.ts'
import type { StatementJob } from './statement-jobs.ts'

const REMOVE_COVERAGE = statement('statement covers nothing', 'delete from rail_statements where import_id = $1')
// A line that other files have too stays, without this file.
const LINES = statement<{ at: string; digest: Buffer; looked: number }>(
  'take back statement lines',
  `with page as (
     select digest, at, imports from rail_statement_lines where at between $2 and $3 and (at, digest) > ($4::timestamptz, $5::bytea)
     order by at, digest limit 2000),
   gone as (delete from rail_statement_lines l using page p where l.digest = p.digest and l.imports = array[$1::text] returning 1),
   kept as (update rail_statement_lines l set imports = array_remove(l.imports, $1::text) from page p
     where l.digest = p.digest and l.imports @> array[$1::text] and l.imports <> array[$1::text] returning 1)
   select at::text, digest, count(*) over ()::int as looked from page order by at desc, digest desc limit 1`,
)
type FindingRow = { merchantId: number; exceptionId: string; opened: boolean; isFoundOtherwise: boolean }
const findingsStatement = (name: string, exceptions: string, its: string) =>
  statement<FindingRow>(
    name,
    `select f.merchant_id as "merchantId", f.exception_id as "exceptionId", f.opened,
       e.seen_count > (select sum(o.seen) from statement_findings o
         where o.merchant_id = f.merchant_id and o.exception_id = f.exception_id) as "isFoundOtherwise"
     from statement_findings f join ${exceptions} e on e.id = f.exception_id ${its}
     where f.import_id = $1 order by f.merchant_id, f.exception_id limit 500`,
  )
const FINDINGS = findingsStatement('findings of statement', 'exceptions', 'and e.merchant_id = f.merchant_id')
const FINDINGS_PLATFORM = findingsStatement('platform findings of statement', 'platform_exceptions', '')
// A finding that other files have too is handed to one of them.
const HAND_ON = statement<{ handed: number }>(
  'hand on finding of statement',
  `with own as (delete from statement_findings where import_id = $1 and merchant_id = $2 and exception_id = $3 returning opened, seen),
   next as (select min(import_id) as import_id from statement_findings where import_id <> $1 and merchant_id = $2 and exception_id = $3)
   update statement_findings f set opened = f.opened or own.opened, seen = f.seen + own.seen from own, next
   where f.import_id = next.import_id and f.merchant_id = $2 and f.exception_id = $3 returning 1 as handed`,
)
const HAS_OTHER = statement<{ has: boolean }>(
  'finding of other statements',
  `select exists (select from statement_findings where import_id <> $1 and merchant_id = $2 and exception_id = $3) as has`,
)
const BEFORE_ANY_DIGEST = Buffer.alloc(0)

type TakeBackGateway = Pick<Gateway, 'cells' | 'directory' | 'clock'>
type TakeBackProgress = (step: string, lines: number) => Promise<void>

/**
 * Takes back an import: the period it covers, its lines, and the exceptions that only it found. An interrupted run may be repeated.
 * Decisions made by it meanwhile (a payment failed as lost) stay as they are.
 */
export async function takeBack(gateway: TakeBackGateway, job: StatementJob, went: TakeBackProgress): Promise<void> {
  for (const app of gateway.cells) await app.db.query(REMOVE_COVERAGE, [job.id])
  crashPoint('statement.uncovered')
  for (const app of gateway.cells) await takeLines(app, job, went)
  for (const app of gateway.cells)
    await takeFindings({ job, went, db: app.db, list: FINDINGS }, ({ merchantId, exceptionId }, also) =>
      closeUnfounded(app, { ...resolutionOf(job), merchantId, id: exceptionId }, also),
    )
  await takeFindings({ job, went, db: gateway.directory, list: FINDINGS_PLATFORM }, ({ exceptionId }, also) =>
    closeUnfoundedOfPlatform(gateway, { ...resolutionOf(job), id: exceptionId }, also),
  )
}

const resolutionOf = ({ id, approvedBy }: StatementJob) => ({
  note: `the statement ${id} was taken back`,
  by: approvedBy ?? '',
})

async function takeLines({ db }: App, { id, linesFrom, linesTo }: StatementJob, went: TakeBackProgress): Promise<void> {
  if (linesFrom === null || linesTo === null) return
  const span = [linesFrom.toISOString(), linesTo.toISOString()]
  let last: { at: string; digest: Buffer } = { at: span[0] ?? '', digest: BEFORE_ANY_DIGEST }
  for (;;) {
    const [page] = await db.query(LINES, [id, ...span, last.at, last.digest])
    if (page === undefined) return
    await went('lines', page.looked)
    last = page
  }
}

type CloseException = (finding: FindingRow, also: (tx: Tx) => Promise<unknown>) => Promise<void>
type TakeFindingsInput = { job: StatementJob; went: TakeBackProgress; db: Database; list: typeof FINDINGS }

async function takeFindings({ job, went, db, list }: TakeFindingsInput, close: CloseException): Promise<void> {
  for (;;) {
    const page = await db.query(list, [job.id])
    for (const finding of page) await takeFinding({ job, db }, finding, close)
    if (page.length === 0) return
    await went('exceptions', page.length)
  }
}

async function takeFinding(
  { job, db }: Pick<TakeFindingsInput, 'job' | 'db'>,
  finding: FindingRow,
  close: CloseException,
): Promise<void> {
  const handing = call(HAND_ON, job.id, finding.merchantId, finding.exceptionId)
  const [others] = await db.query(HAS_OTHER, [job.id, finding.merchantId, finding.exceptionId])
  if (!finding.opened || finding.isFoundOtherwise || others?.has) await db.query(handing.statement, handing.values)
  else await close(finding, (tx) => tx.send(handing))
  crashPoint('statement.returned')
}
