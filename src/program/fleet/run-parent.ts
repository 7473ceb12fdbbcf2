import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { joinEmbeddedPostgres } from '../../platform/embedded-postgres.ts'
import { closeOutput } from '../../platform/log/close-output.ts'
import { listenOn } from '../../platform/processes/cannot-start.ts'
import { countMetrics, serveMetrics } from '../metrics.ts'
import type { Role } from '../serve.ts'
import type { Config } from '../settings/config.ts'
import { shareTrialAddresses } from '../settings/trial-addresses.ts'
import { startChild } from './child.ts'
import { FirstEnded, type Fleet, newFleet } from './fleet.ts'
import { newFleetMetrics } from './fleet-metrics.ts'
import { forwardLines, openOutput } from './parent-output.ts'
import { countAtMost } from './plan-children.ts'

// The children (fleet.ts), then the embedded database.
const STOP_MS = 60_000

const say = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Runs the service as several processes: starts them, passes on their logs and their metrics, starts again what has died, replaces them on
 * SIGHUP and stops all on SIGTERM. Then ends this process, with 0 when all have ended well.
 */
export async function runParent(config: Config, plan: readonly Role[]): Promise<void> {
  // Connections are dealt out in turns. The system would give most of them to the process that it woke last.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const { output, lines, log } = openOutput(config)
  const server = config.databaseUrl === null ? await joinEmbeddedPostgres({ dataDir: config.dataDir, say }) : null
  const removeTrialAddresses = shareTrialAddresses(config)
  const registry = new Registry()
  const stopCounting = countMetrics(registry)
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const fleet: Fleet = newFleet({
    plan,
    log,
    start: (role) => {
      const child = startChild({ role, port, processes: countAtMost(plan), readMetrics: () => metrics.read() })
      forwardLines(child.output, lines)
      return child
    },
    ended: (child) => metrics.keep(child),
  })
  const metrics = newFleetMetrics(registry, fleet.children)
  const metricsServer = await serveMetrics(config, metrics.read).catch(async (error) => {
    removeTrialAddresses()
    await server?.leave()
    throw error
  })
  const exitCode = await runUntilStopped(fleet, { log, size: plan.length })
  setTimeout(() => process.exit(1), STOP_MS).unref()
  await metricsServer.close()
  stopCounting()
  removeTrialAddresses()
  await server?.leave()
  log.info('stopped')
  await closeOutput(output)
  process.exit(exitCode)
}

/** Starts all and follows the signals. Returns the exit code once all have ended. */
async function runUntilStopped(fleet: Fleet, { log, size }: { log: Logger; size: number }): Promise<number> {
  const stopping = new AbortController()
  let fault = 0
  const stop = () => stopping.abort()
  const signalled = () => {
    if (stopping.signal.aborted) {
      fleet.kill()
      process.exit(1)
    }
    stop()
  }
  process.on('SIGTERM', signalled)
  process.on('SIGINT', signalled)
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a promise failed that nobody waited for')
    fault = 1
    stop()
  })
  const stopped = once(stopping.signal, 'abort').then(() => fleet.stop())
  const started = fleet.start().then(
    (url) => say(`ready on ${url}  (documentation: ${url}/docs), ${size} processes`),
    (error) => {
      if (!(error instanceof FirstEnded)) throw error
      // It has said why.
      if (!stopping.signal.aborted) fault = error.end.code || 1
      stop()
    },
  )
  let last: Promise<unknown> = started
  let isQueued = false
  process.on('SIGHUP', () => {
    if (isQueued) return
    isQueued = true
    last = last.then(() => {
      isQueued = false
      return stopping.signal.aborted ? undefined : fleet.roll()
    })
  })
  const endedWell = await stopped
  return fault || (endedWell ? 0 : 1)
}

/** A port that is free now: all children listen on one, those too that are started when no other is left. */
async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await listenOn({ host, port: 0, settings: 'HOST' }, () => once(server, 'listening'))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
