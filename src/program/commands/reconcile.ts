import { existsSync } from 'node:fs'
import {
  FLOAT_KINDS,
  type FloatReading,
  listFloatReadings,
  recordFloat,
} from '../../operations/reconciliation/float-records.ts'
import { type Leg, presentLeg } from '../../operations/reconciliation/leg.ts'
import { reconcileNow } from '../../operations/reconciliation/reconcile.ts'
import { type ImportProgress, importStatement } from '../../operations/reconciliation/statements/import-statement.ts'
import { fromPath, readColumnNames } from '../../operations/reconciliation/statements/statement-file.ts'
import { readOpenPlatformExceptions } from '../../payments/exceptions/platform-exceptions.ts'
import { readOpenExceptions } from '../../payments/exceptions/resolve-exception.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import { liveInstallations } from '../../rails/live-rails.ts'
import { answerRows, command } from './frame/command.ts'
import { type CommandInput, findText, parseChoice, parseWholeNumber, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const formatLeg = ({ leg, lookedAt, agreed, opened, closed, left }: Leg) =>
  `${leg.padEnd(11)} looked at ${lookedAt}, agreed ${agreed}, opened ${opened}, closed ${closed}, left ${left}`

const reconcile = command({
  usage: 'reconcile [--statement F] [--columns C] [--installation I] [--from T] [--to T] [--dry-run]',
  says: "compare our books with the operator's: ledger, references, wallets, and a statement of its transactions",
  async run(input) {
    const path = findText(input, 'statement')
    const dryRun = input.options['dry-run'] === true
    if (dryRun && path === undefined) throw new WrongUsage('--dry-run needs --statement')
    const legs = dryRun ? [] : await reconcileNow(input.gateway, input.actor)
    if (path !== undefined) {
      requireFile(path)
      const columns = findText(input, 'columns')
      const names = columns === undefined ? {} : readColumnNames(requireFile(columns))
      const statement = {
        source: fromPath(path),
        names,
        dryRun,
        period: parseSpan(input),
        installation: findInstallation(input),
        went: makeProgress(input),
      }
      legs.push(await importStatement(input.gateway, input.actor, statement))
    }
    const critical = await hasCritical(input)
    const lines = [
      ...legs.map(formatLeg),
      ...(critical ? ['a critical exception is open: gateway exceptions list'] : []),
    ]
    return { json: { legs: legs.map(presentLeg) }, lines, exitCode: critical ? 1 : 0 }
  },
})

const STEP_TEXTS = {
  read: 'lines read',
  compared: 'lines of payments compared',
  kept: 'lines stored',
} as const
const PROGRESS_EVERY_MS = 2000

/** Makes a listener that writes a line for each step, and every two seconds the progress. */
function makeProgress({ say }: CommandInput): ImportProgress {
  let at: { step: Parameters<ImportProgress>[0]; lines: number; saidAt: number } | null = null
  return (step, lines) => {
    if (at === null || at.step !== step) at = { step, lines: 0, saidAt: Number.NEGATIVE_INFINITY }
    at.lines += lines
    if (performance.now() - at.saidAt < PROGRESS_EVERY_MS) return
    at.saidAt = performance.now()
    say(`${at.lines} ${STEP_TEXTS[step]} ...`)
  }
}

async function hasCritical({ gateway }: CommandInput): Promise<boolean> {
  const open = await Promise.all(gateway.cells.map((app) => readOpenExceptions(app, null)))
  const platform = await readOpenPlatformExceptions(gateway.directory)
  return [...open.flat(), ...platform].some(({ severity }) => severity === 'critical')
}

function requireFile(path: string): string {
  if (!existsSync(path)) throw new WrongUsage(`there is no file ${path}`)
  return path
}

/** The installation of the statement: the one that the option names, or the only one there is. */
function findInstallation(input: CommandInput): string | null {
  const known = liveInstallations(input.gateway)
  const named = findText(input, 'installation')
  if (named === undefined) return known.length === 1 ? (known[0]?.id ?? null) : null
  if (!known.some(({ id }) => id === named)) throw new WrongUsage(`there is no installation ${named}`)
  return named
}

function parseSpan(input: CommandInput) {
  const [from, to] = ['from', 'to'].map((name) => {
    const text = findText(input, name)
    const at = text === undefined ? null : parseIsoTime(text)
    if (text !== undefined && at === null) throw new WrongUsage(`--${name} must be an ISO 8601 time`)
    return at
  })
  if (!from && !to) return null
  if (!from || !to || from >= to) throw new WrongUsage('--from and --to belong together, --from first')
  return { from, to }
}

const presentReading = ({ installation, side, operator, currency, low, readAt }: FloatReading) => ({
  ...{ installation, side, operator, currency, low, read_at: readAt.toISOString() },
})

const float = command({
  usage: 'float',
  says: 'what the operator held in each wallet when it was last read',
  async run({ gateway }) {
    const readings = await listFloatReadings(gateway.directory)
    const { lines } = answerRows(readings, {
      none: 'no wallet has been read yet: gateway reconcile',
      present: presentReading,
      lines: (floatReading) =>
        `${floatReading.installation} ${floatReading.side.padEnd(8)} ${floatReading.currency} ${floatReading.operator}${floatReading.low ? ' LOW' : ''}, read ${floatReading.readAt.toISOString()}`,
    })
    return { json: { floats: readings.map(presentReading) }, lines }
  },
})

const MAX_RECORD_AMOUNT = 10 ** 12

const record = command({
  usage: 'float record --installation I --side collect|disburse --kind opening|sweep|charge --amount N --note T',
  says: 'tell of money that went into or out of a wallet beside our payments; sweep and charge lower it',
  async run(input) {
    const installation = requireText(input, 'installation')
    const known = liveInstallations(input.gateway)
    if (!known.some(({ id }) => id === installation)) throw new WrongUsage(`there is no installation ${installation}`)
    const side = parseChoice('side', requireText(input, 'side'), ['collect', 'disburse'])
    const kind = parseChoice('kind', requireText(input, 'kind'), FLOAT_KINDS)
    const amount = parseWholeNumber('amount', requireText(input, 'amount'), {
      low: 0,
      high: MAX_RECORD_AMOUNT,
    })
    const note = requireText(input, 'note')
    await recordFloat(input.gateway, input.actor, { installation, side, kind, amount, note })
    return { json: { installation, side, kind, amount, note }, lines: ['recorded'] }
  },
})

export const reconcileCommands = [reconcile, record, float]
