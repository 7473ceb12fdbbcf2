import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { openAlone } from '../exceptions/exception.ts'
import { openPlatformException } from '../exceptions/platform-exceptions.ts'
import { statement } from '../platform/db/statement.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { emptyLeg, type Leg, sumLegs } from './leg.ts'
import { tagOfMovement } from './movements.ts'
import { addRun } from './run-log.ts'
import { agreeOnLines } from './statement-agreement.ts'
import {
  type ColumnNames,
  readStatement,
  type StatementLine,
  type StatementSource,
} from './statement-file.ts'
import {
  addLines,
  addStatement,
  type Difference,
  differences,
  matched,
  type Period,
} from './statement-lines.ts'

/**
 * What to import: the file, the contract that it is of (null when nobody knows), the period where it is not the file's own, and
 * whether only to look.
 */
export type StatementImport = {
  source: StatementSource
  /** What the file calls the columns. */
  names?: ColumnNames
  installation: string | null
  period: Period | null
  dryRun: boolean
}

type File = Pick<StatementImport, 'source' | 'names'>

const PLACE_OF_TAG = statement<{ cell: string }>(
  'cell of statement line',
  'select cell from merchants where tag = $1',
)
const AT_ONCE = 1000
const MOST_TAGS = 50_000

/** Undoes a dry run: the lines are compared inside the transaction and then forgotten. */
class OnlyLooking extends Error {}

/**
 * Leg 4: imports the operator's own list and compares it with our books, both ways (rails.md 5.1). The same line is stored once,
 * whatever files it comes in. A dry run writes nothing. Throws a refusal that names the first line that cannot be read, with
 * nothing compared.
 */
export async function importStatement(gateway: Gateway, actor: Actor, wanted: StatementImport): Promise<Leg> {
  allow(actor, 'statement.import')
  // Read to its end first, so that a bad line is found before anything is written.
  const { span, sides } = await summaryOf(wanted)
  const period = wanted.period ?? span
  if (period === null) throw domainRefusal('bad_statement', 'the file has no lines')
  if (wanted.dryRun) return (await dryRun(gateway, wanted, period)).leg
  const places = cellFinder(gateway)
  for await (const lines of batches(wanted)) await store(gateway, places, lines)
  const at = gateway.clock.now()
  const covering = addStatement({ installation: wanted.installation, sides, period }, at)
  for (const app of gateway.cells) await app.db.query(covering.statement, covering.values)
  const legs = await Promise.all(gateway.cells.map((app) => compare(app, period, open)))
  const act = { actor, action: 'statement.import', at, merchantId: null } as const
  const leg = sumLegs('statement', legs)
  const file = wanted.source.name
  await writeAll(gateway.directory, [
    auditRow({ ...act, subject: file, after: { ...period } }),
    addRun(
      { kind: 'statement', place: 'all', by: nameOf(actor), file, begunAt: at, endedAt: gateway.clock.now() },
      [leg],
    ),
  ])
  return leg
}

/** What a statement says, and how that differs from our books: nothing is kept of it. */
export type Looked = { leg: Leg; period: Period; differences: Difference[] }

/** Looks at a statement without importing it. Throws as importing does. */
export async function lookAtStatement(
  gateway: Gateway,
  actor: Actor,
  wanted: Pick<StatementImport, 'source' | 'names'>,
): Promise<Looked> {
  allow(actor, 'statement.import')
  const { span } = await summaryOf(wanted)
  if (span === null) throw domainRefusal('bad_statement', 'the file has no lines')
  return { ...(await dryRun(gateway, wanted, span)), period: span }
}

/** From when to when its lines are, and of which kinds. */
async function summaryOf({ source, names }: File): Promise<{ span: Period | null; sides: string[] }> {
  const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  const sides = new Set<string>()
  for await (const { at, type } of readStatement(source, names)) {
    sides.add(type)
    times.first = Math.min(times.first, at.getTime())
    times.last = Math.max(times.last, at.getTime())
  }
  const span = times.last < times.first ? null : { from: new Date(times.first), to: new Date(times.last) }
  return { span, sides: [...sides] }
}

async function* batches({ source, names }: File): AsyncGenerator<StatementLine[]> {
  let lines: StatementLine[] = []
  for await (const line of readStatement(source, names)) {
    lines.push(line)
    if (lines.length < AT_ONCE) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

type FindCell = (line: StatementLine) => Promise<App>

/** The cell of the merchant that a line names; the first one for a line that names nobody. */
function cellFinder(gateway: Gateway): FindCell {
  const known = new Map<string, App>()
  const [first] = gateway.cells
  return async ({ externalId }) => {
    const tag = externalId === null ? null : tagOfMovement(externalId)
    if (tag === null || gateway.cells.length === 1) return first as App // A gateway serves at least one cell.
    const found = known.get(tag)
    if (found !== undefined) return found
    const [place] = await gateway.directory.query(PLACE_OF_TAG, [tag])
    const app = place ? gateway.appOf(place) : (first as App)
    if (known.size >= MOST_TAGS) known.clear()
    known.set(tag, app)
    return app
  }
}

async function store(gateway: Gateway, cellOf: FindCell, lines: readonly StatementLine[]): Promise<void> {
  const byCell = new Map<App, StatementLine[]>()
  for (const line of lines) {
    const app = await cellOf(line)
    byCell.set(app, [...(byCell.get(app) ?? []), line])
  }
  for (const [app, own] of byCell) {
    const adding = addLines(own, gateway.clock.now())
    await app.db.query(adding.statement, adding.values)
  }
}

type Report = (app: App, found: Difference) => Promise<boolean>

async function compare(app: App, period: Period, report: Report): Promise<Leg> {
  const leg = emptyLeg('statement')
  const counting = matched(period)
  const [sums] = await app.db.query(counting.statement, counting.values)
  for (const looking of differences(period))
    for (const found of await app.db.query(looking.statement, looking.values))
      leg.opened += (await report(app, found)) ? 1 : 0
  leg.closed = await agreeOnLines(app, period)
  return { ...leg, lookedAt: sums?.lines ?? 0, agreed: sums?.matched ?? 0 }
}

async function open(app: App, { kind, merchantId, subject, details }: Difference): Promise<boolean> {
  const at = app.clock.now()
  const tag = tagOfMovement(subject)
  if (merchantId === null || tag === null) {
    const opening = openPlatformException({ kind: 'rail_only', subject: subject ?? 'no id', details }, at)
    const [row] = await app.directory.query(opening.statement, opening.values)
    return row?.opened ?? false
  }
  const found = { merchantId, tag, mode: 'live', kind, subject, details, leg: 'statement' } as const
  return openAlone(app.db, found, { at })
}

/** Compares inside a transaction that is then undone, cell by cell. */
async function dryRun(gateway: Gateway, file: File, period: Period): Promise<Omit<Looked, 'period'>> {
  const cellOf = cellFinder(gateway)
  const legs: Leg[] = []
  const differ: Difference[] = []
  for (const app of gateway.cells) {
    let leg = emptyLeg('statement')
    await app.db
      .transaction(async (tx) => {
        for await (const lines of batches(file)) {
          const own: StatementLine[] = []
          for (const line of lines) if ((await cellOf(line)) === app) own.push(line)
          if (own.length > 0) await tx.send(addLines(own, gateway.clock.now()))
        }
        const [[sums]] = await tx.send(matched(period))
        const found = (await tx.send(...differences(period))).flat()
        differ.push(...found)
        leg = { ...leg, lookedAt: sums?.lines ?? 0, agreed: sums?.matched ?? 0, opened: found.length }
        throw new OnlyLooking()
      })
      .catch((error) => {
        if (!(error instanceof OnlyLooking)) throw error
      })
    legs.push(leg)
  }
  return { leg: sumLegs('statement', legs), differences: differ }
}
