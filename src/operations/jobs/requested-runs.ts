import type { Actor } from '../../api/access/actor.ts'
import { actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest, domainRefusal } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import type { SweepName } from './sweep-name.ts'

/** A request to run a task now. */
export type RunRequest = {
  id: number
  cell: string
  sweep: string
  askedBy: string
  askedAt: Date
  claimedAt: Date | null
  endedAt: Date | null
  handled: number | null
  error: string | null
}

const INSERT_REQUEST = statement<{ id: number }>(
  'ask for a run of a task',
  `insert into sweep_requests (cell, sweep, asked_by, asked_at) values ($1, $2, $3, $4)
   on conflict (cell, sweep) where ended_at is null do nothing returning id`,
)
// A worker that died with a request must not keep it.
const CLAIM = statement<{ id: number; cell: string; sweep: SweepName }>(
  'claim asked runs',
  `update sweep_requests r set claimed_at = $1 from (
     select id from sweep_requests where ended_at is null and cell = any($2::text[]) and (claimed_at is null or claimed_at <= $3 or claimed_at > $4)
     order by id limit 50 for no key update skip locked) due
   where r.id = due.id returning r.id, r.cell, r.sweep`,
)
const FINISH_REQUEST = statement(
  'an asked run has ended',
  `update sweep_requests set ended_at = $2, handled = $3, error = $4 where id = $1 and ended_at is null`,
)
const LIST = statement<RunRequest>(
  'asked runs',
  `select id, cell, sweep, asked_by as "askedBy", asked_at as "askedAt", claimed_at as "claimedAt", ended_at as "endedAt", handled, error
   from sweep_requests order by asked_at desc limit 20`,
)
const TASK_HAS_RUN = statement('a task that has run', 'select 1 from sweep_runs where cell = $1 and sweep = $2')
const PRUNE = statement('forget asked runs', 'delete from sweep_requests where ended_at is not null and asked_at < $1')

const CLAIMED_FOR_MS = 10 * 60_000
const KEEP_REQUESTS_MS = 30 * 86_400_000

/**
 * Requests that a worker runs a task now. It does so within some seconds, as one of its own runs: never twice at once, and never inside
 * this request. Throws for a task that no worker has ever run, and for one that is requested already.
 */
export async function requestRun(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  actor: Actor,
  { cell, sweep }: { cell: string; sweep: string },
): Promise<void> {
  allow(actor, 'sweep.run')
  const at = clock.now()
  const known = await directory.query(TASK_HAS_RUN, [cell, sweep])
  if (known.length === 0) throw badRequest('no worker has run this task yet')
  await directory.transaction(async (tx) => {
    const [asked] = await tx.send(call(INSERT_REQUEST, cell, sweep, actorName(actor), at.toISOString()))
    if (asked.length === 0) throw domainRefusal('asked_already', 'this task is asked for already; a worker takes it up')
    const row = auditRow({ actor, action: 'sweep.run', at, merchantId: null, subject: `${cell} ${sweep}` })
    return { value: null, last: [row] }
  })
}

/** The latest requests, newest first. */
export const listRequestedRuns = ({ directory }: Pick<Gateway, 'directory'>): Promise<RunRequest[]> =>
  directory.query(LIST)

/** Claims the requests of these cells. Returns what this worker is to run. */
export async function claimRequestedRuns({ directory, clock, cells }: Gateway) {
  const now = clock.now()
  const before = addMs(now, -CLAIMED_FOR_MS).toISOString()
  const ahead = latestPlausibleTime(now, 0).toISOString()
  const names = cells.map(({ cell }) => cell)
  const claimed = await directory.query(CLAIM, [now.toISOString(), names, before, ahead])
  if (claimed.length > 0) await directory.query(PRUNE, [addMs(now, -KEEP_REQUESTS_MS).toISOString()])
  return claimed
}

/** Stores the result of a requested run. */
export const finishRequestedRun = (
  { directory }: Pick<Gateway, 'directory'>,
  { id, at, handled, error }: { id: number; at: Date; handled: number | null; error: string | null },
) => directory.query(FINISH_REQUEST, [id, at.toISOString(), handled, error])
