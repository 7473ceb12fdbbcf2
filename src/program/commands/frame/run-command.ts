import { userInfo } from 'node:os'
import { pino } from 'pino'
import { classifyDatabaseError, DatabaseAway } from '../../../platform/db/errors.ts'
import { toLoggedError } from '../../../platform/log/error-log.ts'
import { CannotStart, describeFileError } from '../../../platform/processes/cannot-start.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { writeExactJson } from '../../../platform/text/exact-json.ts'
import { openGateway } from '../../open-gateway.ts'
import { type Config, readConfig } from '../../settings/config.ts'
import { WrongSettings } from '../../settings/setting-readers.ts'
import { withTrialAddresses } from '../../settings/trial-addresses.ts'
import { adminCommands } from '../admin.ts'
import { alertCommands } from '../alerts.ts'
import { auditCommands } from '../audit.ts'
import { backupCommands } from '../backup.ts'
import { cellCommands } from '../cells.ts'
import { disputeCommands } from '../disputes.ts'
import { exceptionCommands } from '../exceptions.ts'
import { giftCardCommands } from '../gift-cards.ts'
import { keyCommands } from '../keys.ts'
import { merchantCommands } from '../merchants.ts'
import { moneyCommands } from '../money.ts'
import { paymentLinkCommands } from '../payment-links.ts'
import { payoutCommands } from '../payouts.ts'
import { peopleCommands } from '../people.ts'
import { railCommands } from '../rails.ts'
import { reconcileCommands } from '../reconcile.ts'
import { restoreCommands } from '../restore.ts'
import { secretCommands } from '../secrets.ts'
import { statementCommands } from '../statements.ts'
import { storefrontCommands } from '../storefront.ts'
import { stuckCommands } from '../stuck.ts'
import { topUpCommands } from '../top-ups.ts'
import { upkeepCommands } from '../upkeep.ts'
import { vendingCommands } from '../vending.ts'
import { vendingDecideCommands } from '../vending-decide.ts'
import { webhookCommands } from '../webhooks.ts'
import { type CommandAnswer, command, formatOverview, parseCommandLine } from './command.ts'
import type { CommandActor } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

/** The outputs of a command: its answer goes to `out`, everything else to `err`. */
export type CommandStreams = { out(text: string): Promise<void> | void; err(text: string): void }

/** Runs the service when the command line says `serve`. */
type RunService = (config: Config, options: Readonly<Record<string, unknown>>) => Promise<void>

const serveCommand = command({
  usage: 'serve [--role all|web|worker] [--processes auto|N]',
  says: 'run the service, in one process or in several',
  run: async () => {
    throw new Error('serve runs until it is stopped')
  },
})
const COMMANDS = [
  serveCommand,
  ...merchantCommands,
  ...keyCommands,
  ...peopleCommands,
  ...adminCommands,
  ...webhookCommands,
  ...moneyCommands,
  ...payoutCommands,
  ...topUpCommands,
  ...paymentLinkCommands,
  ...giftCardCommands,
  ...storefrontCommands,
  ...disputeCommands,
  ...exceptionCommands,
  ...vendingCommands,
  ...vendingDecideCommands,
  ...railCommands,
  ...reconcileCommands,
  ...statementCommands,
  ...stuckCommands,
  ...upkeepCommands,
  ...cellCommands,
  ...secretCommands,
  ...alertCommands,
  ...auditCommands,
  ...backupCommands,
  ...restoreCommands,
]

/**
 * Runs one command line on a gateway of its own, with the settings of `environment`, by default those of the process. Returns the exit
 * code: 0, 2 for wrong usage or settings, 1 for a refusal or a fault; the sentence that says why goes to `err`. `serve` is passed to
 * `runService`.
 */
export async function runCommand(
  args: readonly string[],
  {
    environment,
    streams,
    runService,
  }: { environment?: CommandEnvironment; streams: CommandStreams; runService: RunService },
): Promise<number> {
  try {
    if (args.length === 0 || args[0] === 'help' || args[0] === '--help') {
      await streams.out(`${formatOverview(COMMANDS)}\n`)
      return 0
    }
    const { command, words, options } = parseCommandLine(COMMANDS, args)
    const settings = readConfig(environment)
    if (command === serveCommand) {
      await runService(settings, options)
      return 0
    }
    const config = withTrialAddresses(settings)
    const say = (line: string) => streams.err(`${line}\n`)
    if ('alone' in command.run) {
      const stopping = stopSignal()
      const answer = await command.run.alone({ words, options, config, say, stopping })
      await streams.out(formatAnswer(answer, options.json === true))
      return answer.exitCode ?? 0
    }
    const opened = await openGateway({
      config,
      log: makeLog(config, streams),
      say,
      patient: true,
    })
    try {
      const answer = await command.run({
        words,
        options,
        gateway: opened.gateway,
        actor: readAccountActor(),
        opened,
        config,
        say,
      })
      await streams.out(formatAnswer(answer, options.json === true))
      return answer.exitCode ?? 0
    } finally {
      await opened.close()
    }
  } catch (thrown) {
    return explain(thrown, streams)
  }
}

/** Aborts when the process is told to stop: what runs until then ends by itself. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

type CommandEnvironment = Record<string, string | undefined>

const makeLog = ({ logLevel }: Config, { err }: CommandStreams) =>
  pino({ level: logLevel === 'info' ? 'warn' : logLevel, serializers: { err: toLoggedError } }, { write: err })

const formatAnswer = ({ json, lines }: CommandAnswer, asJson: boolean) =>
  asJson ? `${writeExactJson(json)}\n` : lines.map((line) => `${line}\n`).join('')

/** Writes a sentence for people, and below it what to do where that is known. Returns the exit code for scripts. */
function explain(thrown: unknown, { err }: CommandStreams): number {
  const error = classifyDatabaseError(thrown)
  const usage = error instanceof WrongUsage || error instanceof WrongSettings
  const sentence =
    error instanceof Refusal
      ? [error.message, ...(error.hint === null ? [] : [error.hint])].join('\n')
      : error instanceof DatabaseAway || error instanceof CannotStart || usage
        ? (error as Error).message
        : (describeFileError(error) ?? describeFault(error))
  err(`${sentence}\n`)
  return usage ? 2 : 1
}

/** Describes a fault of ours by its stack, without anything of a row. */
const describeFault = (error: unknown) => {
  const { stack, message } = toLoggedError(error)
  return stack ?? message
}

/** The actor of a command: the account on the machine that runs it. */
function readAccountActor(): CommandActor {
  const name = readAccountName()
  return { kind: 'command', name: `command line: ${name}`, origin: name, requestId: null }
}

function readAccountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
