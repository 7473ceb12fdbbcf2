import { randomUUID } from 'node:crypto'
import { statement } from '../../platform/db/statement.ts'
import { sumCounter } from '../../platform/log/measures.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'

export type ProcessRole = 'all' | 'web' | 'worker'
/** A process of the service, as it reports itself. */
export type ServiceProcess = {
  id: string
  role: ProcessRole
  startedAt: Date
  seenAt: Date
}

// Requests that passed uncounted, or log lines that were dropped, since the last report raise both the sum and its time.
const STORE_PROCESS = statement(
  'a process lives',
  `insert into processes as p (id, role, started_at, seen_at, uncounted, uncounted_at, dropped, dropped_at)
   values ($1, $2, $3, $3, $4::bigint, case when $4::bigint > 0 then $3::timestamptz end, $5::bigint, case when $5::bigint > 0 then $3::timestamptz end)
   on conflict (id) do update set seen_at = excluded.seen_at,
     uncounted_at = case when excluded.uncounted > p.uncounted then excluded.seen_at else p.uncounted_at end, uncounted = excluded.uncounted,
     dropped_at = case when excluded.dropped > p.dropped then excluded.seen_at else p.dropped_at end, dropped = excluded.dropped`,
)
const DELETE_PROCESS = statement('a process has ended', 'delete from processes where id = $1')
const PRUNE = statement('forget dead processes', 'delete from processes where seen_at < $1 and id <> $2 returning id')
const LIST = statement<ServiceProcess>(
  'processes of the service',
  `select id, role, started_at as "startedAt", seen_at as "seenAt" from processes order by seen_at desc limit 100`,
)

// Dead processes are kept so long, for staff to see on the page of jobs.
const KEEP_DEAD_MS = 3_600_000
const PRUNE_EVERY_MS = 60_000

/** Reports that this process lives: `beat` every few seconds, `gone` once when it stops. */
type ProcessHeart = { id: string; beat(): Promise<void>; gone(): Promise<void> }

export function makeHeart(
  { directory, witness }: Pick<Gateway, 'directory' | 'witness'>,
  role: ProcessRole,
): ProcessHeart {
  // Not the process id: in containers every process may have the same.
  const id = randomUUID()
  let prunedAt = Number.NEGATIVE_INFINITY
  return {
    id,
    async beat() {
      const now = witness.earlier()
      const figures = [sumCounter('rate_limiter_uncounted_total'), sumCounter('log_lines_dropped_total')]
      await directory.query(STORE_PROCESS, [id, role, now.toISOString(), ...figures])
      if (performance.now() - prunedAt < PRUNE_EVERY_MS) return
      prunedAt = performance.now()
      await directory.query(PRUNE, [addMs(now, -KEEP_DEAD_MS).toISOString(), id])
    },
    gone: async () => void (await directory.query(DELETE_PROCESS, [id])),
  }
}

/** Lists the processes that live or have died within the hour, the one that reported last first. */
export const listProcesses = ({ directory }: Pick<Gateway, 'directory'>): Promise<ServiceProcess[]> =>
  directory.query(LIST)

/** A worker that has not reported for so long counts as dead (reliability.md 11.3). */
export const SILENT_AFTER_MS = 60_000

/** Milliseconds since any worker last reported; null if none has. */
export function workerAgeMs(processes: readonly ServiceProcess[], nowMs: number): number | null {
  const worker = processes.find(({ role }) => role !== 'web')
  return worker === undefined ? null : Math.max(0, nowMs - worker.seenAt.getTime())
}
