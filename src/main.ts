import { pino } from 'pino'
import { alertCommands } from './commands/alerts.ts'
import {
  type Command,
  type CommandAnswer,
  overview,
  readCommandLine,
  WrongUsage,
} from './commands/command.ts'
import { disputeCommands } from './commands/disputes.ts'
import { exceptionCommands } from './commands/exceptions.ts'
import { giftCardCommands } from './commands/gift-cards.ts'
import { keyCommands } from './commands/keys.ts'
import { merchantCommands } from './commands/merchants.ts'
import { moneyCommands } from './commands/money.ts'
import { paymentLinkCommands } from './commands/payment-links.ts'
import { payoutCommands } from './commands/payouts.ts'
import { secretCommands } from './commands/secrets.ts'
import { storefrontCommands } from './commands/storefront.ts'
import { stuckCommands } from './commands/stuck.ts'
import { upkeepCommands } from './commands/upkeep.ts'
import { vendingCommands } from './commands/vending.ts'
import { vendingDecideCommands } from './commands/vending-decide.ts'
import { webhookCommands } from './commands/webhooks.ts'
import { type Config, readConfig } from './config.ts'
import { openGateway } from './open-gateway.ts'
import { CannotStart, fileFault } from './platform/cannot-start.ts'
import { classify, DatabaseAway } from './platform/db/errors.ts'
import { loggedError } from './platform/error-log.ts'
import { writeExact } from './platform/exact-json.ts'
import { Refusal } from './platform/refusal.ts'
import type { Role } from './serve.ts'
import { WrongSettings } from './setting-readers.ts'

const ROLES: readonly Role[] = ['all', 'web', 'worker']
// A stop that takes longer than this is cut short; the product is safe to kill at any moment.
const STOP_MS = 30_000

const serveCommand: Command = {
  name: 'serve',
  usage: 'serve [--role all|web|worker]',
  says: 'run the service',
  words: 0,
  options: { role: { type: 'string' } },
  run: async () => {
    throw new Error('serve runs until it is stopped')
  },
}
const COMMANDS = [
  serveCommand,
  ...merchantCommands,
  ...keyCommands,
  ...webhookCommands,
  ...moneyCommands,
  ...payoutCommands,
  ...paymentLinkCommands,
  ...giftCardCommands,
  ...storefrontCommands,
  ...disputeCommands,
  ...exceptionCommands,
  ...vendingCommands,
  ...vendingDecideCommands,
  ...stuckCommands,
  ...upkeepCommands,
  ...secretCommands,
  ...alertCommands,
]

async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 || args[0] === 'help' || args[0] === '--help') return print(`${overview(COMMANDS)}\n`)
  const { command, words, options } = readCommandLine(COMMANDS, args)
  const config = readConfig()
  if (command === serveCommand) return runService(config, readRole(options.role))
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const log = pino(
    { level: config.logLevel === 'info' ? 'warn' : config.logLevel, serializers: { err: loggedError } },
    pino.destination({ dest: 2, sync: true }),
  )
  const opened = await openGateway({ config, log, say, patient: true })
  try {
    const answer = await command.run({ words, options, gateway: opened.gateway, opened, config })
    await show(answer, options.json === true)
  } finally {
    await opened.close()
  }
}

async function runService(config: Config, role: Role): Promise<void> {
  // Written in blocks, so that a log line costs no system call of its own; flushed at the end.
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096 })
  const log = pino(
    { level: config.logLevel, base: { pid: process.pid }, serializers: { err: loggedError } },
    destination,
  )
  const flush = setInterval(() => destination.flush(), 500)
  flush.unref()
  // Before anything is started: a stop while the database is still awaited must be as clean as any other.
  const stopping = new AbortController()
  let exitCode = 0
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    setTimeout(() => process.exit(1), STOP_MS).unref()
    stopping.abort()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a promise failed that nobody waited for')
    exitCode = 1
    if (!stopping.signal.aborted) stop()
  })
  // A command has no use for the pages and endpoints, and would wait for them to load.
  const { serve } = await import('./serve.ts')
  const service = await serve({
    config,
    role,
    log,
    say: (line) => process.stderr.write(`${line}\n`),
    stopping: stopping.signal,
  })
  if (!stopping.signal.aborted)
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
  await service.stop()
  destination.flushSync()
  process.exit(exitCode)
}

function readRole(given: string | boolean | undefined): Role {
  if (given === undefined) return 'all'
  const role = ROLES.find((one) => one === given)
  if (role === undefined) throw new WrongUsage(`--role must be one of ${ROLES.join(', ')}`)
  return role
}

async function show({ json, lines, exitCode }: CommandAnswer, asJson: boolean): Promise<void> {
  await print(asJson ? `${writeExact(json)}\n` : lines.map((line) => `${line}\n`).join(''))
  process.exitCode = exitCode ?? 0
}

const print = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))

/** Sentences for people, exit codes for scripts: 2 wrong usage or settings, 1 a refusal or a fault. */
function end(thrown: unknown): never {
  const error = classify(thrown)
  const usage = error instanceof WrongUsage || error instanceof WrongSettings
  const sentence =
    error instanceof Refusal || error instanceof DatabaseAway || error instanceof CannotStart || usage
      ? (error as Error).message
      : (fileFault(error) ?? describe(error))
  process.stderr.write(`${sentence}\n`)
  process.exit(usage ? 2 : 1)
}

/** A fault of ours: the stack says where, and nothing of a row is shown. */
const describe = (error: unknown) => {
  const { stack, message } = loggedError(error)
  return stack ?? message
}

main(process.argv.slice(2)).catch(end)
