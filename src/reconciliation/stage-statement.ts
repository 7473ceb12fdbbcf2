import type { App } from '../app.ts'
import { writeAll } from '../platform/db/write-all.ts'
import { groupBy } from '../platform/group-by.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { echo } from '../platform/text.ts'
import type { RailSide } from '../rails/rail.ts'
import type { StagedFile } from './compare-statement.ts'
import type { Places } from './import-statement.ts'
import { linePlacer, type Placed } from './place-lines.ts'
import { type Currencies, currenciesOf } from './statement-currency.ts'
import type { Period } from './statement-differences.ts'
import {
  type ColumnNames,
  readStatement,
  type StatementLine,
  type StatementSource,
  wrongLine,
} from './statement-file.ts'
import { stageLines } from './statement-staging.ts'

export type StatementToRead = {
  source: StatementSource
  /** What the file calls the columns. */
  names?: ColumnNames
  /** The contract that it is of; null when nobody knows. */
  installation: string | null
}
/** What was read of a file: how many lines, of which kinds, from when to when, and whose payments they are. */
export type Staged = {
  lines: number
  /** Of the file. */
  lastLine: number
  sides: readonly string[]
  span: Period | null
  judged: StagedFile['judged']
}

const AT_ONCE = 1000

/**
 * Reads a statement to its end and puts its lines where they are compared, each in the cell of what it is about. Throws a refusal that
 * names the first line that cannot be read, or that went through another contract.
 */
export async function stageStatement(
  gateway: Places,
  wanted: StatementToRead,
  { run, went }: { run: string; went(lines: number, lastLine: number): Promise<void> },
): Promise<Staged> {
  const { installation } = wanted
  const contracts = contractsOf(gateway)
  const currencies = currenciesOf(contracts, installation)
  const each = new Map(contracts.map(({ id }) => [id, currenciesOf(contracts, id)]))
  const place = linePlacer(gateway, installation)
  const carriers = new Map<RailSide, Set<string>>()
  const read = summary()
  for await (const lines of batches(wanted, currencies)) {
    await went(lines.length, lines.at(-1)?.line ?? 0)
    const placed = await place(lines)
    for (const line of placed) {
      read.note(line)
      noteCarrier(carriers, line, installation)
      judgeCurrency(each, line)
    }
    await stage(placed, run, gateway.clock.now())
  }
  return { ...read.done(), judged: judgedOf(carriers, installation) }
}

/** From when to when the lines of a statement are, without a look at the books. Throws as staging does. */
export async function readWhole(
  gateway: Pick<Places, 'rails'>,
  { source, installation }: Omit<StatementToRead, 'names'>,
): Promise<Period> {
  const read = summary()
  const currencies = currenciesOf(contractsOf(gateway), installation)
  for await (const line of readStatement(source, { currencies })) read.note(line)
  const { span } = read.done()
  if (span === null) throw noLines()
  return span
}

const contractsOf = ({ rails }: Pick<Places, 'rails'>) => rails.live.op1_momo?.installations ?? []

export const noLines = () => domainRefusal('bad_statement', 'the file has no lines')

function summary() {
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

async function* batches(
  { source, names = {} }: StatementToRead,
  currencies: Currencies,
): AsyncGenerator<StatementLine[]> {
  let lines: StatementLine[] = []
  for await (const line of readStatement(source, { names, currencies })) {
    lines.push(line)
    if (lines.length < AT_ONCE) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

async function stage(placed: readonly Placed[], run: string, at: Date): Promise<void> {
  for (const [app, own] of groupBy(placed, ({ app }): App => app))
    await writeAll(app.db, stageLines(run, own, at))
}

/**
 * Whose payments a file lists says whose it is. It may not be said to be of one contract and list payments of another one: what it lacks
 * would be held against the wrong payments.
 */
function noteCarrier(
  carriers: Map<RailSide, Set<string>>,
  { line, movement, externalId, carriedBy, type, status }: Placed,
  installation: string | null,
): void {
  if (carriedBy === null) return
  const { installation: carrier, side } = carriedBy
  if (installation !== null && externalId !== null && carrier !== installation)
    throw domainRefusal(
      'bad_statement',
      `line ${line}: ${movement} went through ${carrier}, and this file was said to be of ${installation}`,
    )
  if (type === side && status === 'SUCCESSFUL')
    carriers.set(side, (carriers.get(side) ?? new Set()).add(carrier))
}

/** Of a file of which nobody knows the contract, each payment says which it was. */
function judgeCurrency(
  each: ReadonlyMap<string, Currencies>,
  { line, movement, currency, carriedBy }: Placed,
): void {
  const own = each.get(carriedBy?.installation ?? '')
  if (own === undefined || currency === '' || own.allowed.has(currency)) return
  throw wrongLine(line, `currency of ${movement} must be ${own.said}, not ${echo(currency)}`)
}

/** The sides of which a file has payments, with the contract that it is of: the one that was said, or the only one it shows. */
function judgedOf(carriers: ReadonlyMap<RailSide, ReadonlySet<string>>, installation: string | null) {
  const shown = new Set([...carriers.values()].flatMap((each) => [...each]))
  const [only] = shown.size === 1 ? shown : []
  const contract = installation ?? only
  return contract === undefined ? [] : [...carriers.keys()].map((side) => ({ side, installation: contract }))
}
