import type { SweepRun } from '../../platform/batches/sweep.ts'
import { toColumns } from '../../platform/db/columns.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { toLoggedError } from '../../platform/log/error-log.ts'
import type { App, Gateway } from '../../program/app.ts'
import { OLDEST_DUE } from './oldest-due.ts'

/** The sum of the runs of one task since the last report. */
type RunSummary = {
  cell: string
  sweep: string
  periodMs: number
  lastAt: Date
  okAt: Date | null
  tookMs: number
  /** How many runs failed in a row at the end; `allFailed`: none of these runs worked. */
  failures: number
  allFailed: boolean
  error: string | null
  handled: number | null
  handledAt: Date | null
}

const WRITE = statement(
  'report runs of tasks',
  `insert into sweep_runs as r (cell, sweep, period_ms, first_at, last_at, last_ok_at, took_ms, failures, last_error, handled, handled_at, oldest_due_at)
   select n.cell, n.sweep, n.period_ms, n.last_at, n.last_at, n.ok_at, n.took_ms, n.failures, n.error, n.handled, n.handled_at, n.oldest_due_at
   from unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::int[], $7::int[], $8::boolean[], $9::text[],
     $10::bigint[], $11::timestamptz[], $12::timestamptz[])
     as n (cell, sweep, period_ms, last_at, ok_at, took_ms, failures, all_failed, error, handled, handled_at, oldest_due_at)
   where n.last_at is not null
   on conflict (cell, sweep) do update set period_ms = excluded.period_ms, last_at = excluded.last_at,
     last_ok_at = coalesce(excluded.last_ok_at, r.last_ok_at), took_ms = excluded.took_ms,
     failures = case when excluded.last_ok_at is null then r.failures + excluded.failures else excluded.failures end,
     last_error = excluded.last_error, handled = coalesce(excluded.handled, r.handled),
     handled_at = coalesce(excluded.handled_at, r.handled_at), oldest_due_at = excluded.oldest_due_at`,
)
const MAX_ERROR_LENGTH = 300

/** Collects the runs of tasks and writes them: once every few seconds, all of them in one statement, however often each task ran. */
type RunReporter = {
  note(app: App, run: SweepRun): void
  /** Writes what is new. What cannot be written is kept, and overwritten by later runs. */
  write(): Promise<void>
}

export function makeRunReporter({ cells, directory }: Pick<Gateway, 'cells' | 'directory'>): RunReporter {
  const fresh = new Map<string, RunSummary>()
  return {
    note({ cell }, run) {
      const key = `${cell} ${run.sweep.name}`
      fresh.set(key, addRun(fresh.get(key), { cell, run }))
    },
    async write() {
      if (fresh.size === 0) return
      const notes = [...fresh.entries()]
      const due = await readOldestDue(cells)
      const writing = makeWriteCall(notes.map(([key, noted]) => ({ ...noted, dueAt: due.get(key) ?? null })))
      await directory.query(writing.statement, writing.values)
      for (const [key, noted] of notes) if (fresh.get(key) === noted) fresh.delete(key)
    },
  }
}

function addRun(before: RunSummary | undefined, { cell, run }: { cell: string; run: SweepRun }): RunSummary {
  const { sweep, startedAt, ms, handled, error } = run
  const lastAt = new Date(startedAt.getTime() + ms)
  const worked = handled !== null
  return {
    cell,
    sweep: sweep.name,
    periodMs: Math.max(sweep.everyMs, sweep.restMs ?? 0),
    lastAt,
    okAt: worked ? lastAt : (before?.okAt ?? null),
    tookMs: Math.round(ms),
    failures: worked ? 0 : (before?.failures ?? 0) + 1,
    allFailed: !worked && (before?.allFailed ?? true),
    error: worked ? null : formatError(error),
    handled: worked && handled > 0 ? handled : (before?.handled ?? null),
    handledAt: worked && handled > 0 ? lastAt : (before?.handledAt ?? null),
  }
}

/** The text of an error for a page of the console, without phones, secrets and rows. */
const formatError = (error: unknown): string =>
  toLoggedError(error).message.replace(/\s+/g, ' ').slice(0, MAX_ERROR_LENGTH)

/** Reads the oldest due row by cell and task. A cell that does not answer has none this time. */
async function readOldestDue(cells: readonly App[]): Promise<Map<string, Date>> {
  const oldest = new Map<string, Date>()
  const each = await Promise.all(
    cells.map(async ({ cell, db }) => ({ cell, rows: await db.query(OLDEST_DUE).catch(() => []) })),
  )
  for (const { cell, rows } of each)
    for (const { sweep, due } of rows) if (due !== null) oldest.set(`${cell} ${sweep}`, due)
  return oldest
}

function makeWriteCall(rows: readonly (RunSummary & { dueAt: Date | null })[]) {
  const time = (at: Date | null) => at?.toISOString() ?? null
  const each = toColumns(rows)
  return call(
    WRITE,
    ...each.values('cell', 'sweep', 'periodMs'),
    rows.map(({ lastAt }) => time(lastAt)),
    rows.map(({ okAt }) => time(okAt)),
    ...each.values('tookMs', 'failures', 'allFailed', 'error', 'handled'),
    rows.map(({ handledAt }) => time(handledAt)),
    rows.map(({ dueAt }) => time(dueAt)),
  )
}
