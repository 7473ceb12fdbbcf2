import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { newId } from '../platform/ids.ts'
import { compareLines, findAbsent, type StagedFile } from './compare-statement.ts'
import { emptyLeg, type Leg } from './leg.ts'
import { looking, opening, type Told } from './report-differences.ts'
import { addRun } from './run-log.ts'
import { noLines, type Staged, type StatementToRead, stageStatement } from './stage-statement.ts'
import { agreeOnLines } from './statement-agreement.ts'
import type { Period } from './statement-differences.ts'
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
  return (await importAs(gateway, actor, { ...wanted, importId: newId('stf_', 'platform') })).leg
}

/** The same under an id that is known, by somebody who was allowed to. */
export async function importAs(
  gateway: Gateway,
  actor: Actor,
  wanted: StatementImport & { importId: string },
): Promise<Looked> {
  const { importId, installation, source } = wanted
  const begunAt = gateway.clock.now()
  const done = await comparing(gateway, wanted, opening(gateway, importId), async (staged, file) => {
    for (const app of gateway.cells)
      await keepLines(app, { run: file.run, last: staged.lastLine, importId }, (lines) =>
        tell(wanted, 'kept', lines),
      )
    const covering = { importId, installation, sides: staged.sides, period: file.period }
    const adding = addStatement(covering, gateway.clock.now())
    for (const app of gateway.cells) await app.db.query(adding.statement, adding.values)
    return agreedOn(gateway, file)
  })
  const at = gateway.clock.now()
  const act = { actor, action: 'statement.import', at, merchantId: null } as const
  await writeAll(gateway.directory, [
    auditRow({ ...act, subject: source.name, after: { import: importId, ...done.period } }),
    addRun({ kind: 'statement', place: 'all', by: nameOf(actor), file: source.name, begunAt, endedAt: at }, [
      done.leg,
    ]),
  ])
  return done
}

/** Looks at a statement without importing it. Throws as importing does. */
export const lookAtStatement = (gateway: Gateway, wanted: Omit<StatementImport, 'dryRun'>): Promise<Looked> =>
  comparing(gateway, wanted, looking(gateway), async () => 0)

const tell = async ({ went }: Pick<StatementImport, 'went'>, step: Parameters<Went>[0], lines: number) =>
  void (await went?.(step, lines))

async function comparing(
  gateway: Gateway,
  wanted: Omit<StatementImport, 'dryRun'>,
  told: Told,
  then: (staged: Staged, file: StagedFile) => Promise<number>,
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
    const period = wanted.period ?? staged.span
    if (period === null) throw noLines()
    const file = { run, period, judged: staged.judged }
    const leg = await legOf(gateway, file, { told, wanted })
    const closed = await then(staged, file)
    const { counts, kept } = told
    return { leg: { ...leg, closed }, period, lines: staged.lines, judged: staged.judged, counts, kept }
  } finally {
    // What cannot be dropped now is forgotten by the task `prune`.
    for (const { db } of gateway.cells) await dropStaged(db, run, lastLine).catch(() => {})
  }
}

async function legOf(
  gateway: Gateway,
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
async function agreedOn(gateway: Pick<Gateway, 'cells'>, { period }: StagedFile): Promise<number> {
  let closed = 0
  for (const app of gateway.cells) closed += await agreeOnLines(app, period)
  return closed
}
