import { type Call, call, type Database } from '../../platform/db/database.ts'
import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { type MergedPage, type MergedWindow, mergedList, readMergedPage } from '../../platform/merged-pages.ts'
import { newId } from '../../platform/text/ids.ts'
import type { Leg } from './leg.ts'

/** A stored comparison with the operator. `legs` is null until it has finished. */
export type ReconciliationRun = {
  id: string
  kind: 'hourly' | 'asked' | 'statement'
  place: string
  askedBy: string | null
  askedAt: Date
  begunAt: Date | null
  endedAt: Date | null
  file: string | null
  legs: Leg[] | null
}
type FinishedRun = {
  /** Given where the run may be repeated: it is stored once, with its first result. */
  id?: string
  kind: ReconciliationRun['kind']
  place: string
  by: string | null
  file: string | null
  begunAt: Date
  endedAt: Date
}

const PREFIX = 'rec_'
const PLATFORM = 'platform'
const MAX_FILE_NAME = 255
const ADD = statement(
  'add reconciliation run',
  `insert into reconciliation_log (id, kind, place, asked_by, asked_at, begun_at, ended_at, file, legs)
   values ($1, $2, $3, $4, $5, $5, $6, $7, $8) on conflict (id) do nothing`,
)
const ASK = statement<{ id: string }>(
  'ask for reconciliation run',
  `insert into reconciliation_log (id, kind, place, asked_by, asked_at) values ($1, 'asked', 'all', $2, $3)
   on conflict (kind) where kind = 'asked' and ended_at is null do nothing returning id`,
)
// Longer than a run takes: a process that began it and did not finish it has died.
const CLAIM = statement<{ id: string }>(
  'claim asked reconciliation run',
  `update reconciliation_log set begun_at = $1 where id = (
     select id from reconciliation_log where kind = 'asked' and ended_at is null
       and (begun_at is null or begun_at <= $1::timestamptz - interval '10 minutes'
         or begun_at > $2) for update skip locked) returning id`,
)
const END = statement(
  'end asked reconciliation run',
  'update reconciliation_log set ended_at = $2, legs = $3 where id = $1 and ended_at is null',
)
const LIST = mergedList<ReconciliationRun>(
  'reconciliation runs',
  'asked_at',
  `select id, kind, place, asked_by as "askedBy", asked_at as "askedAt", begun_at as "begunAt", ended_at as "endedAt", file, legs
   from reconciliation_log where {beyond} and ($4::text is null or kind = $4) order by {order}`,
)

/** The write of a finished run. */
export const addRun = (
  { id = newId(PREFIX, PLATFORM), kind, place, by, file, begunAt, endedAt }: FinishedRun,
  legs: readonly Leg[],
): Call =>
  call(
    ADD,
    ...[id, kind, place, by, begunAt.toISOString(), endedAt.toISOString()],
    ...[file?.slice(0, MAX_FILE_NAME) ?? null, JSON.stringify(legs)],
  )

/** The id of the run of an import. */
export const importRunId = (importId: string): string => importId.replace(/^stf_/, PREFIX)

/** Returns no row while a requested run is still open. */
export const addRequestedRun = (by: string, at: Date): Call<{ id: string }> =>
  call(ASK, newId(PREFIX, PLATFORM), by, at.toISOString())

export const claimRequestedReconciliation = (at: Date): Call<{ id: string }> =>
  call(CLAIM, at.toISOString(), latestPlausibleTime(at, 0).toISOString())

export const finishRequestedReconciliation = (id: string, legs: readonly Leg[], at: Date): Call =>
  call(END, id, at.toISOString(), JSON.stringify(legs))

/** One page of runs, newest first. Index: reconciliation_log_listed. */
export const listRuns = (
  directory: Database,
  kind: ReconciliationRun['kind'] | null,
  window: MergedWindow,
): Promise<MergedPage<ReconciliationRun>> =>
  readMergedPage(
    {
      sources: [{ db: directory, list: LIST, filters: [kind] }],
      timeOf: ({ askedAt }: ReconciliationRun) => askedAt,
    },
    window,
  )
