import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { newId } from '../platform/ids.ts'
import { compareLines, findAbsent, type StagedFile } from './compare-statement.ts'
import { emptyLeg, type Leg } from './leg.ts'
import { looking, openedBy, opening, type Told } from './report-differences.ts'
import { addRun, runOfImport } from './run-log.ts'
import { noLines, type Staged, type StatementToRead, stageStatement } from './stage-statement.ts'
import { agreeOnLines } from './statement-agreement.ts'
import type { Period } from './statement-differences.ts'
import { digestOf } from './statement-file.ts'
import { addImport, endImport, keptLook } from './statement-jobs.ts'
import { addStatement, keepLines } from './statement-lines.ts'
import { dropStaged } from './statement-staging.ts'

/** How far an import has come: lines of this step. Throwing ends it, with nothing that counts. */
export type Went = (step: 'read' | 'compared' | 'kept', lines: number) => Promise<void> | void

/** What to import, the period where it is not the file's own, and whether only to look. */
export type StatementImport = StatementToRead & {
  period: Period | null
  dryRun: boolean
  went?: Went
}

/** What a statement says, and how that differs from our books. */
export type Looked = {
  leg: Leg
  period: Period
  lines: number
  /** Of which sides and contract it was judged what it lacks. */
  judged: StagedFile['judged']
} & Pick<Told, 'counts' | 'kept'>

/**
 * Leg 4: imports the operator's own list and compares it with our books, both ways (rails.md 5.1). The same line is stored once,
 * whatever files it comes in. A dry run writes nothing that counts. Throws a refusal that names the first line that cannot be read, with
 * nothing compared. Broken off, it may be done again.
 */
export async function importStatement(gateway: Gateway, actor: Actor, wanted: StatementImport): Promise<Leg> {
  allow(actor, 'statement.import')
  if (wanted.dryRun) return (await lookAtStatement(gateway, wanted)).leg
  const importId = newId('stf_', 'platform')
  const { source, installation } = wanted
  const digest = await digestOf(source)
  const done = await importAs(gateway, nameOf(actor), {
    ...{ ...wanted, importId },
    async begun({ span }) {
      const at = gateway.clock.now()
      const act = { actor, action: 'statement.import', at, merchantId: null, subject: importId } as const
      await writeAll(gateway.directory, [
        addImport({ id: importId, name: source.name, digest, installation, by: nameOf(actor), at, span }),
        auditRow({ ...act, after: { file: source.name, digest: digest.toString('hex') } }),
      ])
    },
  })
  const ended = endImport(importId, keptLook(done), gateway.clock.now())
  await gateway.directory.query(ended.statement, ended.values)
  return done.leg
}

/** What an import needs of the gateway. */
export type Places = Pick<Gateway, 'cells' | 'directory' | 'clock' | 'appOf' | 'rails'>
type Import = Omit<StatementImport, 'dryRun'> & {
  importId: string
  /** Called when the file was read to its end and its lines are to be compared and kept. */
  begun(staged: { span: Period }): Promise<unknown>
}

/** The same under an id that is known, for somebody who was allowed to. Done again, it changes nothing more. */
export async function importAs(gateway: Places, by: string, wanted: Import): Promise<Looked> {
  const { importId, installation, source, begun } = wanted
  const begunAt = gateway.clock.now()
  const compared = await comparing(gateway, wanted, {
    told: opening(gateway, importId),
    begun,
    async compared(staged, file) {
      const lines = { run: file.run, last: staged.lastLine, importId }
      for (const app of gateway.cells) await keepLines(app, lines, (count) => tell(wanted, 'kept', count))
      crashPoint('statement.kept')
      const covering = { importId, installation, sides: staged.sides, period: file.period }
      const adding = addStatement(covering, gateway.clock.now())
      for (const app of gateway.cells) await app.db.query(adding.statement, adding.values)
      return agreedOn(gateway, file)
    },
  })
  const done = { ...compared, leg: { ...compared.leg, opened: await openedBy(gateway, importId) } }
  const run = { id: runOfImport(importId), kind: 'statement', place: 'all', by, file: source.name } as const
  const logged = addRun({ ...run, begunAt, endedAt: gateway.clock.now() }, [done.leg])
  await gateway.directory.query(logged.statement, logged.values)
  return done
}

/** Looks at a statement without importing it. Throws as importing does. */
export const lookAtStatement = (gateway: Places, wanted: Omit<StatementImport, 'dryRun'>): Promise<Looked> =>
  comparing(gateway, wanted, { told: looking(gateway), begun: async () => {}, compared: async () => 0 })

const tell = async ({ went }: Pick<StatementImport, 'went'>, step: Parameters<Went>[0], lines: number) =>
  void (await went?.(step, lines))

type Comparing = {
  told: Told
  begun: Import['begun']
  /** Answers how many exceptions were closed. */
  compared(staged: Staged, file: StagedFile): Promise<number>
}

async function comparing(
  gateway: Places,
  wanted: Omit<StatementImport, 'dryRun'>,
  { told, begun, compared }: Comparing,
): Promise<Looked> {
  const run = newId('run_', 'platform')
  let lastLine = 0
  try {
    const staged = await stageStatement(gateway, wanted, {
      run,
      went: async (lines, last) => {
        lastLine = last
        await tell(wanted, 'read', lines)
      },
    })
    const { span } = staged
    if (span === null) throw noLines()
    await begun({ span })
    const file = { run, period: wanted.period ?? span, judged: staged.judged }
    const leg = await legOf(gateway, file, { told, wanted })
    const closed = await compared(staged, file)
    const { counts, kept } = told
    return {
      leg: { ...leg, closed },
      period: file.period,
      lines: staged.lines,
      judged: staged.judged,
      counts,
      kept,
    }
  } finally {
    // What cannot be dropped now is forgotten by the task `prune`.
    for (const { db } of gateway.cells) await dropStaged(db, run, lastLine).catch(() => {})
  }
}

async function legOf(
  gateway: Places,
  file: StagedFile,
  { told, wanted }: { told: Told; wanted: Pick<StatementImport, 'went'> },
): Promise<Leg> {
  const leg = emptyLeg('statement')
  for (const app of gateway.cells) {
    const { report } = told
    const went = (lines: number) => tell(wanted, 'compared', lines)
    const { lookedAt, agreed } = await compareLines(app, file, { report, went })
    await findAbsent(app, file, report)
    leg.lookedAt += lookedAt
    leg.agreed += agreed
  }
  return { ...leg, opened: told.opened(), left: told.left() }
}

/** How many exceptions this statement closes. */
async function agreedOn({ cells }: Places, { period }: StagedFile): Promise<number> {
  let closed = 0
  for (const app of cells) closed += await agreeOnLines(app, period)
  return closed
}
