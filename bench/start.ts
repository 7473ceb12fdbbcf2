import { median, rounded } from './figures.ts'
import type { Stage } from './stage.ts'

const TIMES = 3

/** Milliseconds from spawning the service to its first answered request, with the database running and with it stopped. */
export async function measureStart(stage: Stage) {
  const running: number[] = []
  while (running.length < TIMES) running.push(await restarted(stage))
  // The last process that leaves stops the database. From here on this is the service.
  await stage.db.end()
  await stage.postgres.leave()
  const stopped: number[] = []
  while (stopped.length < TIMES) stopped.push(await restarted(stage))
  const worst = Math.max(...stopped)
  stage.say(`starts in ${Math.round(median(running) ?? 0)} ms, with its database in ${Math.round(worst)} ms`)
  return {
    database_running_p50_ms: rounded(median(running), 0),
    database_stopped_p50_ms: rounded(median(stopped), 0),
    worst_ms: rounded(worst, 0),
  }
}

async function restarted(stage: Stage): Promise<number> {
  await stage.restart()
  return stage.service.startMs
}
