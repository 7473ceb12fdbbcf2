import { createHash } from 'node:crypto'
import { parseCsvLines, type WrittenCells } from '../../../../src/payments/payouts/bulk/bulk-csv.ts'
import { type BulkItem, parseBulkItem } from '../../../../src/payments/payouts/bulk/bulk-item.ts'
import { type BulkItemResult, type BulkResult, GatewayError } from '../../../typescript/src/gateway-client.ts'
import type { Call, Command, Given } from '../command.ts'
import { Refused, UsageError } from '../faults.ts'
import { readOwnFile } from '../own-file.ts'
import { openSession, type Session } from '../session.ts'
import { type Column, formatNumber, printTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** A line of the file, read as the service reads it. */
type Line = { line: number; written: WrittenCells; item: BulkItem }
type Totals = { payouts: number; amount: number; wrong: number; without_reference: number; idempotency_key: string }

// What the service takes in one call.
const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_LINES = 1000
const SEND_TIMEOUT_MS = 120_000
const DIGEST_CHARACTERS = 40

const bulk: Command = {
  words: 'payouts bulk',
  args: 'FILE',
  summary: 'pay everybody in a CSV file',
  details: [
    'Columns phone and amount, and name, reference and metadata (a JSON object) where you have them. Every line is checked before anything is',
    'sent, and one that is wrong stops all. The Idempotency-Key is made of the content of the file: the same file sent again pays nothing twice.',
  ].join('\n'),
  options: {
    'dry-run': { help: 'check each line and show the sum; nothing is sent, and no key is needed' },
    yes: { help: 'do not ask, for scripts' },
    'idempotency-key': { value: 'KEY', help: 'instead of the one of the content: pays the same file a second time' },
  },
  run: runBulk,
}

async function runBulk({ terminal, environment, given }: Call): Promise<number> {
  const bytes = readOwnFile(given.args[0] ?? '', MAX_FILE_BYTES)
  const lines = await readLines(bytes)
  const totals = addUp(lines, given.text('idempotency-key') ?? keyOf(bytes))
  if (given.has('dry-run')) return tellDryRun(terminal, lines, totals)
  if (totals.wrong > 0) {
    if (!terminal.json) printLines(terminal, lines.filter(isWrong))
    throw new Refused(`${totals.wrong} of ${lines.length} lines are wrong: nothing was sent`)
  }
  const session = openSession(environment)
  warnOf(terminal, lines, totals)
  if (!(await isWanted({ terminal, given, session }, totals))) throw new Refused('nothing was sent')
  const result = await send(terminal, session, { bytes, key: totals.idempotency_key })
  tellResult(terminal, lines, result)
  return result.failed === 0 ? 0 : 1
}

/** Reads the lines by the rules of the service, word for word. Throws Refusal for a file that cannot be read. */
async function readLines(bytes: Buffer): Promise<Line[]> {
  const parsed = await parseCsvLines(bytes, MAX_LINES)
  if (parsed.length === 0) throw new Refused('the file has no payouts below its header')
  if (parsed.length > MAX_LINES)
    throw new Refused(
      `the file has more than ${formatNumber(MAX_LINES)} payouts, which is what one call takes: split it`,
    )
  // The channel of a line that names none is for the service to say.
  return parsed.map(({ line, item, written }, index) => ({ line, written, item: parseBulkItem(item, index, '') }))
}

const keyOf = (bytes: Buffer) =>
  `mmg-bulk-${createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARACTERS)}`

const isWrong = ({ item }: Line) => !item.ok

function addUp(lines: readonly Line[], key: string): Totals {
  const good = lines.flatMap(({ item }) => (item.ok ? [item] : []))
  return {
    payouts: good.length,
    amount: good.reduce((sum, { amount }) => sum + amount, 0),
    wrong: lines.length - good.length,
    without_reference: good.filter(({ reference }) => reference === null).length,
    idempotency_key: key,
  }
}

const LINE_COLUMNS: readonly Column<Line>[] = [
  { head: 'LINE', cell: ({ line }) => line },
  { head: 'PHONE', cell: ({ item, written }) => (item.ok ? item.phone : written.phone) },
  { head: 'AMOUNT', cell: ({ item, written }) => (item.ok ? item.amount : written.amount) },
  { head: 'NAME', cell: ({ written }) => written.name },
  { head: 'REFERENCE', cell: ({ written }) => written.reference },
  { head: 'FAULT', cell: ({ item }) => (item.ok ? null : item.error) },
]

const printLines = (terminal: Terminal, lines: readonly Line[]) => printTable(terminal, LINE_COLUMNS, lines)

function tellDryRun(terminal: Terminal, lines: readonly Line[], totals: Totals): number {
  if (terminal.json) {
    const shown = lines.map(({ line, item }) => (item.ok ? { line, ...item } : { line, ok: false, error: item.error }))
    terminal.out(JSON.stringify({ dry_run: true, ...totals, lines: shown }))
  } else {
    printLines(terminal, lines)
    terminal.out(`${describe(totals)}, ${totals.wrong} wrong lines. Nothing was sent.`)
    warnOf(terminal, lines, totals)
  }
  return totals.wrong === 0 ? 0 : 1
}

const describe = ({ payouts, amount }: Totals) => `${formatNumber(payouts)} payouts, sum UGX ${formatNumber(amount)}`

function warnOf({ note, paint, json }: Terminal, lines: readonly Line[], totals: Totals): void {
  if (json) return
  const warn = (text: string) => note(`${paint('yellow', 'warning:')} ${text}`)
  const { without_reference: without } = totals
  if (without > 0) warn(`${without} lines have no reference: in a file that was changed they are paid again`)
  const seen = new Map<string, number>()
  for (const { line, item } of lines) {
    if (!item.ok || item.reference === null) continue
    const first = seen.get(item.reference)
    if (first === undefined) seen.set(item.reference, line)
    else warn(`line ${line} has the reference of line ${first}: only one of them is paid`)
  }
}

type Asking = { terminal: Terminal; given: Given; session: Session }

async function isWanted({ terminal, given, session }: Asking, totals: Totals): Promise<boolean> {
  if (given.has('yes')) return true
  if (!terminal.isInteractive) throw new UsageError('nobody can be asked here: add --yes to send, or --dry-run to look')
  const money = session.isLive ? 'REAL MONEY' : 'test money'
  const answer = await terminal.ask(`send ${describe(totals)}, ${money}? (yes/no) `)
  return ['yes', 'y'].includes(answer.trim().toLowerCase())
}

async function send(terminal: Terminal, { gateway }: Session, { bytes, key }: { bytes: Buffer; key: string }) {
  try {
    const options = { idempotencyKey: key, timeoutMs: SEND_TIMEOUT_MS }
    return await gateway.payouts.createBulk(bytes.toString('utf8'), options)
  } catch (error) {
    if (error instanceof GatewayError && error.mayBeDone)
      terminal.note('it may have been done: run the same command again, the same file pays nothing twice')
    throw error
  }
}

function tellResult(terminal: Terminal, lines: readonly Line[], result: Awaited<ReturnType<typeof send>>): void {
  const { batch_id: batch, accepted, failed, results } = result
  const replayed = result.lastResponse.replayed || results.every((one) => one.replayed)
  if (terminal.json) terminal.out(JSON.stringify({ ...(result satisfies BulkResult), replayed }))
  else {
    printTable(terminal, resultColumns(lines), results)
    terminal.out(`${batch}: ${formatNumber(accepted)} accepted, ${formatNumber(failed)} failed.`)
  }
  if (replayed) terminal.note('this file was sent before: this is the answer of then, and nothing was paid again')
  if (failed > 0) terminal.note(sayHowToRepeat(lines))
}

/** Under its own key the file is answered as the first time, also what has failed. A new key pays lines without a reference again. */
const sayHowToRepeat = (lines: readonly Line[]): string =>
  lines.every(({ item }) => item.reference !== null)
    ? 'what failed is sent again with --idempotency-key and a word of yours: what was paid is known by its reference'
    : 'what failed is sent again in a file of its own: this file has lines without a reference'

const resultColumns = (lines: readonly Line[]): readonly Column<BulkItemResult>[] => [
  { head: 'LINE', cell: ({ index }) => lines[index]?.line },
  { head: 'PAYOUT', cell: ({ id }) => id },
  { head: 'STATUS', cell: ({ ok, status }) => (ok ? status : 'failed') },
  { head: 'AMOUNT', cell: ({ amount }) => amount },
  { head: 'PHONE', cell: ({ recipient_phone }) => recipient_phone },
  { head: 'REFERENCE', cell: ({ reference }) => reference },
  { head: 'FAULT', cell: ({ error, replayed }) => error ?? (replayed ? 'paid before, not again' : null) },
]

export const BULK_COMMANDS: readonly Command[] = [bulk]
