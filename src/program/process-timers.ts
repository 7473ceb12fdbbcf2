import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { writeServiceDays } from '../operations/overview/service-days.ts'
import { WITNESS_EVERY_MS } from '../platform/time/clock-witness.ts'
import type { App } from './app.ts'
import type { OpenedGateway } from './open-gateway.ts'

/** Runs work every so often, but never twice at once, until `timers` are cleared. */
type ScheduleEvery = (ms: number, work: () => Promise<unknown>) => void

const KEY_REFRESH_MS = 400
const SHARE_WINDOWS_MS = 1000
const FORGET_ADDRESSES_MS = 10_000
const WRITE_SERVICE_DAYS_MS = 60_000

/**
 * Starts the timers that follow other processes (keys, rate counts) and that rejoin the embedded server when it has gone away.
 */
export function startTimers(
  running: { readonly draining: boolean; timers: NodeJS.Timeout[] },
  opened: OpenedGateway,
  log: Logger,
): ScheduleEvery {
  const { gateway } = opened
  const every: ScheduleEvery = (ms, work) => {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      work()
        .catch((error) => log.debug({ err: error }, 'the database does not answer'))
        .finally(() => {
          busy = false
        })
    }, ms)
    running.timers.push(timer)
  }
  // Not the process id: in containers every process may have the same.
  const processName = randomUUID()
  every(WITNESS_EVERY_MS, async () => {
    await gateway.witness.askServer().catch(async (error) => {
      if (opened.embedded && !running.draining && !(await gateway.directory.works())) await opened.rejoin()
      throw error
    })
  })
  // A process without requests does not ask the database either; the first request after a pause does.
  const whileUsed = (work: () => Promise<unknown>) => async () => {
    if (gateway.keyRing.isUsed()) await work()
  }
  const share = (app: App) => app.windows.exchangeCounts(app.db, processName, gateway.clock.now())
  gateway.keyRing.afterPause(() => Promise.all(gateway.cellWatch.reached(gateway.cells).map(share)))
  every(KEY_REFRESH_MS, whileUsed(gateway.keyRing.refresh))
  // Each cell for itself: one that is silent must not hold up the others.
  const shareEvery = (app: App) =>
    every(
      SHARE_WINDOWS_MS,
      whileUsed(() => share(app)),
    )
  for (const app of gateway.cells) shareEvery(app)
  gateway.onCell(shareEvery)
  every(FORGET_ADDRESSES_MS, () => gateway.addressCounts.forget(gateway.witness.earlier()))
  every(SHARE_WINDOWS_MS, () => gateway.requests.flush())
  every(WRITE_SERVICE_DAYS_MS, () => writeServiceDays(gateway))
  every(SHARE_WINDOWS_MS, () => Promise.all(gateway.configuredRails.map((rail) => rail.refreshChoice())))
  return every
}
