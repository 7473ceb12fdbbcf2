import { pino } from 'pino'
import { closeOutput } from '../platform/log/close-output.ts'
import { newLogLimiter } from '../platform/log/log-limiter.ts'
import { count } from '../platform/log/measures.ts'
import { newServiceLog } from '../platform/log/service-log.ts'
import type { ParentLink } from './fleet/parent-link.ts'
import type { Role, Service } from './serve.ts'
import type { Config } from './settings/config.ts'

// A stop that takes longer is cut short: the product may be killed at any moment without harm.
const STOP_MS = 30_000
// Lines that wait for the reader of the output; what comes beyond that is dropped and counted.
const MAX_WAITING_LOG_BYTES = 64 * 1024 * 1024
const LOG_FLUSH_MS = 1000
const OMITTED_LINES_MS = 5000

/** Serves in this process until it is stopped, and ends it. `parent`: where it is one of several. */
export async function runProcess(
  config: Config,
  { role, parent }: { role: Role; parent: ParentLink | null },
): Promise<void> {
  const { log, closeLog } = openLog(config, parent?.name)
  // Before anything is started, so that a stop while waiting for the database is clean too.
  const stopping = new AbortController()
  let exitCode = 0
  let nobodyComes = false
  let service: Service | null = null
  const stop = () => {
    if (stopping.signal.aborted) return
    setTimeout(() => process.exit(1), STOP_MS).unref()
    stopping.abort()
  }
  const stopUnseen = () => {
    nobodyComes = true
    stop()
  }
  const signalled = () => {
    // Under a parent a second signal may be the same one: a supervisor tells all processes of a group, and the parent tells its children.
    if (stopping.signal.aborted && parent === null) process.exit(1)
    stop()
  }
  process.on('SIGTERM', signalled)
  process.on('SIGINT', signalled)
  // For the parent. A terminal that closes tells its children too.
  if (parent !== null) process.on('SIGHUP', () => {})
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a promise failed that nobody waited for')
    exitCode = 1
    stop()
  })
  parent?.follow({
    stop,
    retire: () => void service?.retire().then(stopUnseen),
    orphaned: () => {
      if (!stopping.signal.aborted)
        log.warn('the parent has ended: this process finishes what is under way, and ends too')
      stopUnseen()
    },
  })
  // Loaded here, because commands do not need pages and endpoints and would wait for them.
  const { serve } = await import('./serve.ts')
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const ready = parent?.ready ?? ((url: string) => say(`ready on ${url}  (documentation: ${url}/docs)`))
  service = await serve({ config, role, log, parent, say, ready, stopping: stopping.signal })
  if (!stopping.signal.aborted)
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
  await service.stop({ atOnce: nobodyComes })
  await closeLog()
  process.exit(exitCode)
}

/** The log of this process. Written in blocks, so that a line does not cost a system call; flushed at the end. */
function openLog({ logLevel }: Config, name: string | undefined) {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4096,
    maxLength: MAX_WAITING_LOG_BYTES,
  })
  // A reader that does not keep up must not fill the memory.
  destination.on('drop', () => count('log_lines_dropped_total'))
  const limiter = newLogLimiter()
  const log = newServiceLog({ level: logLevel, limiter, process: name }, destination)
  setInterval(() => destination.flush(), LOG_FLUSH_MS).unref()
  setInterval(() => limiter.reportLeftOut(log), OMITTED_LINES_MS).unref()
  return {
    log,
    closeLog: () => {
      limiter.reportLeftOut(log, true)
      return closeOutput(destination)
    },
  }
}
