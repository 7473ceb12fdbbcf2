import { writeInTransaction } from '../../../platform/db/write-in-transaction.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { echo } from '../../../platform/text/text.ts'
import type { App } from '../../../program/app.ts'
import { liveInstallations } from '../../../rails/live-rails.ts'
import type { RailSide } from '../../../rails/rail.ts'
import type { StagedFile } from './compare-statement.ts'
import type { StatementGateway } from './import-statement.ts'
import { type MatchedLineInCell, makeLineMatcher } from './match-lines.ts'
import { type AllowedCurrencies, findCurrencies } from './statement-currency.ts'
import type { StatementSpan } from './statement-differences.ts'
import {
  type ColumnNames,
  lineRefusal,
  readStatement,
  type StatementLine,
  type StatementSource,
} from './statement-file.ts'
import { stageLines } from './statement-staging.ts'

export type StatementToRead = {
  source: StatementSource
  /** The file's own names of the columns. */
  names?: ColumnNames
  /** The installation that it is of; null when that is not known. */
  installation: string | null
}
/** The summary of a file: how many lines, of which types, from when to when, and whose payments they are. */
export type StagedStatement = {
  lines: number
  /** The number of the last line in the file. */
  lastLine: number
  sides: readonly string[]
  span: StatementSpan | null
  judged: StagedFile['judged']
}

const LINES_PER_BATCH = 1000

/**
 * Reads a statement to its end and stages its lines for comparison, each in the cell of its movement. Throws a refusal that names the
 * first line that cannot be read, or that went through another installation.
 */
export async function stageStatement(
  gateway: StatementGateway,
  input: StatementToRead,
  { run, went }: { run: string; went(lines: number, lastLine: number): Promise<void> },
): Promise<StagedStatement> {
  const { installation } = input
  const contracts = liveInstallations(gateway)
  const currencies = findCurrencies(contracts, installation)
  const each = new Map(contracts.map(({ id }) => [id, findCurrencies(contracts, id)]))
  const matchLines = makeLineMatcher(gateway, installation)
  const carriers = new Map<RailSide, Set<string>>()
  const read = makeSummary()
  for await (const lines of readBatches(input, currencies)) {
    await went(lines.length, lines.at(-1)?.line ?? 0)
    const matched = await matchLines(lines)
    for (const line of matched) {
      read.note(line)
      noteCarrier(carriers, line, installation)
      refuseOtherCurrency(each, line)
    }
    await stageByCell(matched, run, gateway.clock.now())
  }
  return { ...read.done(), judged: findJudgedSides(carriers, installation) }
}

/** Reads the first and the last time of a statement's lines, without our books. Throws as staging does. */
export async function readStatementSpan(
  gateway: Pick<StatementGateway, 'rails'>,
  { source, installation }: Omit<StatementToRead, 'names'>,
): Promise<StatementSpan> {
  const read = makeSummary()
  const currencies = findCurrencies(liveInstallations(gateway), installation)
  for await (const line of readStatement(source, { currencies })) read.note(line)
  const { span } = read.done()
  if (span === null) throw noLinesRefusal()
  return span
}

export const noLinesRefusal = () => domainRefusal('bad_statement', 'the file has no lines')

function makeSummary() {
  const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  const sides = new Set<string>()
  let lines = 0
  let lastLine = 0
  return {
    note({ at, type, line }: Pick<StatementLine, 'at' | 'type' | 'line'>) {
      lines += 1
      lastLine = line
      sides.add(type)
      times.first = Math.min(times.first, at.getTime())
      times.last = Math.max(times.last, at.getTime())
    },
    done() {
      const span = lines === 0 ? null : { from: new Date(times.first), to: new Date(times.last) }
      return { lines, lastLine, sides: [...sides], span }
    },
  }
}

async function* readBatches(
  { source, names = {} }: StatementToRead,
  currencies: AllowedCurrencies,
): AsyncGenerator<StatementLine[]> {
  let lines: StatementLine[] = []
  for await (const line of readStatement(source, { names, currencies })) {
    lines.push(line)
    if (lines.length < LINES_PER_BATCH) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

async function stageByCell(matched: readonly MatchedLineInCell[], run: string, at: Date): Promise<void> {
  for (const [app, own] of groupBy(matched, ({ app }): App => app))
    await writeInTransaction(app.db, stageLines(run, own, at))
}

/**
 * Notes which installation carried a line's movement, which shows whose file it is. Throws where the file was said to be of one
 * installation and lists payments of another: what it lacks would be held against the wrong payments.
 */
function noteCarrier(
  carriers: Map<RailSide, Set<string>>,
  { line, movement, externalId, carriedBy, type, status }: MatchedLineInCell,
  installation: string | null,
): void {
  if (carriedBy === null) return
  const { installation: carrier, side } = carriedBy
  if (installation !== null && externalId !== null && carrier !== installation)
    throw domainRefusal(
      'bad_statement',
      `line ${line}: ${movement} went through ${carrier}, and this file was said to be of ${installation}`,
    )
  if (type === side && status === 'SUCCESSFUL') carriers.set(side, (carriers.get(side) ?? new Set()).add(carrier))
}

/** Checks the currency of a line against the installation of its movement, where the file does not say which one it is of. */
function refuseOtherCurrency(
  each: ReadonlyMap<string, AllowedCurrencies>,
  { line, movement, currency, carriedBy }: MatchedLineInCell,
): void {
  const own = each.get(carriedBy?.installation ?? '')
  if (own === undefined || currency === '' || own.allowed.has(currency)) return
  throw lineRefusal(line, `currency of ${movement} must be ${own.text}, not ${echo(currency)}`)
}

/** The sides of which a file has payments, with its installation: the one that was said, or the only one it shows. */
function findJudgedSides(carriers: ReadonlyMap<RailSide, ReadonlySet<string>>, installation: string | null) {
  const installations = new Set([...carriers.values()].flatMap((each) => [...each]))
  const [only] = installations.size === 1 ? installations : []
  const contract = installation ?? only
  return contract === undefined ? [] : [...carriers.keys()].map((side) => ({ side, installation: contract }))
}
