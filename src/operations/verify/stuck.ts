import type { ClientBase } from 'pg'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { repostWindowsOf } from '../../rails/posting/repost-times.ts'
import { STUCK_KINDS, type StuckKind } from './stuck-kinds.ts'

/** A question or post to the operator, with its answer. */
export type StuckAnswer = {
  at: Date
  operation: string
  answer: string
  installation: string | null
  httpStatus: number | null
  operatorCode: string | null
  transport: string | null
}
/** Money or a message that waits too long: since when, why, and the operator's answers about it. Whole UGX. */
export type StuckItem = {
  kind: string
  id: string
  merchant: string
  mode: Mode
  status: string
  amount: number | null
  since: Date
  nextAt: Date | null
  why: string
  attempt: string | null
  attemptState: string | null
  /** Newest first, at most MAX_ANSWERS_EACH. */
  evidence: readonly StuckAnswer[]
}

const MINUTE_MS = 60_000
// Every sweep runs far more often; a row that lies for so long shows a fault (reliability.md 2.10, OP5).
const LEFT_LYING_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS
// At most so many of each kind are named, the oldest first.
const MAX_OF_A_KIND = 500
const MAX_ANSWERS_EACH = 5

const EVIDENCE = `select e.merchant_id as "merchantId", e.attempt_id as attempt, e.at, e.operation, e.answer, e.installation,
    e.http_status as "httpStatus", e.operator_code as "operatorCode", e.transport
  from unnest($1::bigint[], $2::text[]) as n (merchant_id, attempt)
  cross join lateral (select * from rail_evidence e where e.merchant_id = n.merchant_id and e.attempt_id = n.attempt
    order by e.seq desc limit $3) e order by e.seq desc`

type Row = Omit<StuckItem, 'kind' | 'evidence' | 'nextAt' | 'attemptState'> & {
  merchant_id: number
  next_at: Date | null
  attempt_state: string | null
}

/**
 * Finds money and messages of one cell that wait longer than they should, with the reason and the operator's answers, in one snapshot. An
 * empty result means that nothing needs a person (reliability.md 2.10, OP5). Throws DatabaseAway, or the server's own error.
 */
export const findStuck = (app: Pick<App, 'db' | 'config' | 'rails'>, now: Date): Promise<StuckItem[]> =>
  app.db.snapshot(async (client) => {
    const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
    const windows = (['collect', 'disburse'] as const).map((side) => JSON.stringify(repostWindowsOf(app, side)))
    const openTooLongMs = app.config.stuckHours * HOUR_MS
    const values = [now.toISOString(), before(LEFT_LYING_MS), before(openTooLongMs), MAX_OF_A_KIND, ...windows]
    const items: StuckItem[] = []
    for (const kind of STUCK_KINDS) items.push(...(await findStuckOfKind(client, kind, values)))
    return items
  })

async function findStuckOfKind(
  client: ClientBase,
  { kind, sql }: StuckKind,
  values: readonly unknown[],
): Promise<StuckItem[]> {
  // Names each parameter with its type, also for kinds that do not use it.
  const text = `with parameters as (select $1::timestamptz, $2::timestamptz, $3::timestamptz, $4::integer, $5::jsonb, $6::jsonb) ${sql}`
  const { rows } = await client.query<Row>(text, [...values])
  const evidence = await readAnswers(client, rows)
  return rows.map(({ merchant_id, next_at: nextAt, attempt_state: attemptState, ...row }) => ({
    kind,
    ...row,
    nextAt,
    attemptState,
    evidence: evidence.get(`${merchant_id} ${row.attempt}`) ?? [],
  }))
}

async function readAnswers(client: ClientBase, rows: readonly Row[]): Promise<Map<string, StuckAnswer[]>> {
  const attempted = rows.filter(({ attempt }) => attempt !== null)
  if (attempted.length === 0) return new Map()
  const values = [attempted.map((row) => row.merchant_id), attempted.map((row) => row.attempt), MAX_ANSWERS_EACH]
  const answers = await client.query<StuckAnswer & { merchantId: number; attempt: string }>(EVIDENCE, values)
  const byAttempt = new Map<string, StuckAnswer[]>()
  for (const { merchantId, attempt, ...answer } of answers.rows) {
    const name = `${merchantId} ${attempt}`
    byAttempt.set(name, [...(byAttempt.get(name) ?? []), answer])
  }
  return byAttempt
}
