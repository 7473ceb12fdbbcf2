import { pino } from 'pino'
import { newLogLimiter } from './platform/log/log-limiter.ts'
import { count } from './platform/log/measures.ts'
import { newServiceLog } from './platform/log/service-log.ts'
import { type CommandStreams, runCommand } from './program/commands/frame/run-command.ts'
import { WrongUsage } from './program/commands/frame/wrong-usage.ts'
import type { Role } from './program/serve.ts'
import type { Config } from './program/settings/config.ts'

const ROLES: readonly Role[] = ['all', 'web', 'worker']
// A stop that takes longer is cut short: the product may be killed at any moment without harm.
const STOP_MS = 30_000
// Lines that wait for the reader of the output; what comes beyond that is dropped and counted.
const MAX_WAITING_LOG_BYTES = 64 * 1024 * 1024
const LOG_FLUSH_MS = 1000
const OMITTED_LINES_MS = 5000

const STREAMS: CommandStreams = {
  out: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  err: (text) => void process.stderr.write(text),
}

async function runService(config: Config, role: Role): Promise<void> {
  // Written in blocks, so that a log line does not cost a system call; flushed at the end.
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4096,
    maxLength: MAX_WAITING_LOG_BYTES,
  })
  // A reader that does not keep up must not fill the memory.
  destination.on('drop', () => count('log_lines_dropped_total'))
  const few = newLogLimiter()
  const log = newServiceLog({ level: config.logLevel, limiter: few }, destination)
  setInterval(() => destination.flush(), LOG_FLUSH_MS).unref()
  setInterval(() => few.reportLeftOut(log), OMITTED_LINES_MS).unref()
  // Before anything is started, so that a stop while waiting for the database is clean too.
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
  // Loaded here, because commands do not need pages and endpoints and would wait for them.
  const { serve } = await import('./program/serve.ts')
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
  few.reportLeftOut(log, true)
  destination.flushSync()
  process.exit(exitCode)
}

function parseRole(given: unknown): Role {
  if (given === undefined) return 'all'
  const role = ROLES.find((known) => known === given)
  if (role === undefined) throw new WrongUsage(`--role must be one of ${ROLES.join(', ')}`)
  return role
}

const exitCode = await runCommand(process.argv.slice(2), {
  streams: STREAMS,
  runService: (config, { role }) => runService(config, parseRole(role)),
})
// Set instead of calling exit, so that what was written reaches its reader first.
if (exitCode === 0) process.exitCode = 0
else process.exit(exitCode)
