import { type Actor, actorName } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { writeInTransaction } from '../../../platform/db/write-in-transaction.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { Gateway } from '../../../program/app.ts'
import { emptyLeg, type Leg } from '../leg.ts'
import { addRun, importRunId } from '../run-log.ts'
import { compareLines, findAbsent, type StagedFile } from './compare-statement.ts'
import { countOpenedBy, type DifferenceReport, makeDryRunReport, makeOpeningReport } from './report-differences.ts'
import { noLinesRefusal, type StagedStatement, type StatementToRead, stageStatement } from './stage-statement.ts'
import { agreeOnLines } from './statement-agreement.ts'
import type { StatementSpan } from './statement-differences.ts'
import { hashSource } from './statement-file.ts'
import { addImport, endImport, serializeFindings } from './statement-jobs.ts'
import { addStatement, storeLines } from './statement-lines.ts'
import { dropStaged } from './statement-staging.ts'

/** Receives the progress of an import: how many lines of a step were done. Throwing stops the import, with nothing that counts. */
export type ImportProgress = (step: 'read' | 'compared' | 'kept', lines: number) => Promise<void> | void

/** A statement to import. `period`: where it is not the file's own. `dryRun`: compare only. */
export type StatementImport = StatementToRead & {
  period: StatementSpan | null
  dryRun: boolean
  went?: ImportProgress
}

/** The result of comparing a statement with our books. */
export type StatementFindings = {
  leg: Leg
  period: StatementSpan
  lines: number
  /** The sides and installations for which missing lines were judged. */
  judged: StagedFile['judged']
} & Pick<DifferenceReport, 'counts' | 'kept'>

/**
 * Leg 4: imports the operator's own statement and compares it with our books, in both directions (rails.md 5.1). A line that several
 * files have is stored once. A dry run writes nothing that counts. Throws a refusal that names the first line that cannot be read, with
 * nothing compared. An interrupted import may be repeated.
 */
export async function importStatement(gateway: Gateway, actor: Actor, input: StatementImport): Promise<Leg> {
  allow(actor, 'statement.import')
  if (input.dryRun) return (await dryRunStatement(gateway, input)).leg
  const importId = newId('stf_', 'platform')
  const { source, installation } = input
  const digest = await hashSource(source)
  const done = await importWithId(gateway, actorName(actor), {
    ...{ ...input, importId },
    async begun({ span }) {
      const at = gateway.clock.now()
      const act = { actor, action: 'statement.import', at, merchantId: null, subject: importId } as const
      await writeInTransaction(gateway.directory, [
        addImport({ id: importId, name: source.name, digest, installation, by: actorName(actor), at, span }),
        auditRow({ ...act, after: { file: source.name, digest: digest.toString('hex') } }),
      ])
    },
  })
  const ended = endImport(importId, serializeFindings(done), gateway.clock.now())
  await gateway.directory.query(ended.statement, ended.values)
  return done.leg
}

/** The parts of the gateway that an import uses. */
export type StatementGateway = Pick<Gateway, 'cells' | 'directory' | 'clock' | 'appOf' | 'rails'>
type ImportWithIdInput = Omit<StatementImport, 'dryRun'> & {
  importId: string
  /** Called when the file was read to its end, before its lines are compared and stored. */
  begun(staged: { span: StatementSpan }): Promise<unknown>
}

/** Imports a statement under a known id, for a caller whose permission was checked. Repeated, it changes nothing more. */
export async function importWithId(
  gateway: StatementGateway,
  by: string,
  input: ImportWithIdInput,
): Promise<StatementFindings> {
  const { importId, installation, source, begun } = input
  const begunAt = gateway.clock.now()
  const compared = await stageAndCompare(gateway, input, {
    report: makeOpeningReport(gateway, importId),
    begun,
    async compared(staged, file) {
      const lines = { run: file.run, last: staged.lastLine, importId }
      for (const app of gateway.cells) await storeLines(app, lines, (count) => reportProgress(input, 'kept', count))
      crashPoint('statement.kept')
      const covering = { importId, installation, sides: staged.sides, period: file.period }
      const adding = addStatement(covering, gateway.clock.now())
      for (const app of gateway.cells) await app.db.query(adding.statement, adding.values)
      return closeAgreed(gateway, file)
    },
  })
  const done = { ...compared, leg: { ...compared.leg, opened: await countOpenedBy(gateway, importId) } }
  const run = { id: importRunId(importId), kind: 'statement', place: 'all', by, file: source.name } as const
  const logged = addRun({ ...run, begunAt, endedAt: gateway.clock.now() }, [done.leg])
  await gateway.directory.query(logged.statement, logged.values)
  return done
}

/** Compares a statement without importing it. Throws as importing does. */
export const dryRunStatement = (
  gateway: StatementGateway,
  input: Omit<StatementImport, 'dryRun'>,
): Promise<StatementFindings> =>
  stageAndCompare(gateway, input, {
    report: makeDryRunReport(gateway),
    begun: async () => {},
    compared: async () => 0,
  })

const reportProgress = async (
  { went }: Pick<StatementImport, 'went'>,
  step: Parameters<ImportProgress>[0],
  lines: number,
) => void (await went?.(step, lines))

type CompareSteps = {
  report: DifferenceReport
  begun: ImportWithIdInput['begun']
  /** Returns how many exceptions were closed. */
  compared(staged: StagedStatement, file: StagedFile): Promise<number>
}

async function stageAndCompare(
  gateway: StatementGateway,
  input: Omit<StatementImport, 'dryRun'>,
  { report, begun, compared }: CompareSteps,
): Promise<StatementFindings> {
  const run = newId('run_', 'platform')
  let lastLine = 0
  try {
    const staged = await stageStatement(gateway, input, {
      run,
      went: async (lines, last) => {
        lastLine = last
        await reportProgress(input, 'read', lines)
      },
    })
    const { span } = staged
    if (span === null) throw noLinesRefusal()
    await begun({ span })
    const file = { run, period: input.period ?? span, judged: staged.judged }
    const leg = await compareCells(gateway, file, { report, input })
    const closed = await compared(staged, file)
    const { counts, kept } = report
    return {
      leg: { ...leg, closed },
      period: file.period,
      lines: staged.lines,
      judged: staged.judged,
      counts,
      kept,
    }
  } finally {
    // Lines that cannot be dropped now are deleted by the task `prune`.
    for (const { db } of gateway.cells) await dropStaged(db, run, lastLine).catch(() => {})
  }
}

async function compareCells(
  gateway: StatementGateway,
  file: StagedFile,
  { report, input }: { report: DifferenceReport; input: Pick<StatementImport, 'went'> },
): Promise<Leg> {
  const leg = emptyLeg('statement')
  for (const app of gateway.cells) {
    const went = (lines: number) => reportProgress(input, 'compared', lines)
    const { lookedAt, agreed } = await compareLines(app, file, { report: report.report, went })
    await findAbsent(app, file, report.report)
    leg.lookedAt += lookedAt
    leg.agreed += agreed
  }
  return { ...leg, opened: report.opened(), left: report.left() }
}

/** Closes the exceptions that this statement settles. Returns how many. */
async function closeAgreed({ cells }: StatementGateway, { period }: StagedFile): Promise<number> {
  let closed = 0
  for (const app of cells) closed += await agreeOnLines(app, period)
  return closed
}
