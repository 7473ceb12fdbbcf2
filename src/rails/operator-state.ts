import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { oneInEachCell } from '../platform/lane.ts'
import type { RailSide } from './rail.ts'
import { standingTroubles } from './rail-troubles.ts'

/**
 * A state of an operator that merchants are shown, because they would otherwise blame us: it takes no payments (`silent`), or takes many
 * seconds to accept them (`slow`). `since` is the earliest time known.
 */
export type OperatorState = {
  channel: 'op1_momo'
  side: RailSide
  state: 'silent' | 'slow'
  since: Date
}

/** A post to the operator, and whether it took longer than a caller waits. */
type Posted = { at: Date; slow: boolean }
type PostRow = Posted & { side: RailSide }

const FRESH_MS = 5000
// The caller of a submit waits this long and then gets its answer without the operator's.
const SLOW_SECONDS = 5
const WINDOW_MS = 15 * 60_000
// Fewer posts say nothing about an operator.
const LEAST = 5
const MOST = 300

// The posts of the last minutes at every installation, newest first. A post that is still under way and not slow yet is left out.
const POSTED = statement<PostRow>(
  'posts of the last minutes',
  `select a.side, a.sending_since as at, a.reposts > 0
     or coalesce(a.submit_ended_at, $3) - a.sending_since > interval '${SLOW_SECONDS} seconds' as slow
   from unnest($1::text[]) i (installation) cross join lateral (
     select * from rail_attempts r where r.installation = i.installation and r.reviewed_at is null and r.created_at >= $2
     order by r.created_at desc limit ${MOST}) a
   where a.sending_since is not null
     and (a.submit_ended_at is not null or a.sending_since < $3::timestamptz - interval '${SLOW_SECONDS} seconds')
   order by a.sending_since desc`,
)

/** Finds since when at least half of these posts, newest first, were slow; null while too few were. */
export function slowSince(posts: readonly Posted[]): Date | null {
  let slow = 0
  let since: Date | null = null
  for (const [index, post] of posts.entries()) {
    if (post.slow) slow += 1
    if (index + 1 >= LEAST && slow < (index + 1) / 2) break
    if (post.slow && index + 1 >= LEAST) since = post.at
  }
  return posts.length < LEAST || slow < LEAST / 2 ? null : since
}

type Seen = { atMs: number; states: Promise<readonly OperatorState[]> }
const looks = oneInEachCell((): Seen => ({ atMs: Number.NEGATIVE_INFINITY, states: Promise.resolve([]) }))

/** Reads which operators are silent or slow now. Queries at most every five seconds, however many pages ask. */
export function operatorStates(app: App): Promise<readonly OperatorState[]> {
  const cached = looks(app)
  const nowMs = app.clock.nowMs()
  if (Math.abs(nowMs - cached.atMs) < FRESH_MS) return cached.states
  cached.atMs = nowMs
  // Where the query fails, pages show nothing about operators.
  cached.states = look(app).catch(() => [])
  return cached.states
}

async function look(app: App): Promise<OperatorState[]> {
  const now = app.clock.now()
  const installations = app.rails.live.op1_momo?.installations.map(({ id }) => id) ?? []
  if (installations.length === 0) return []
  const standing = standingTroubles(now)
  const from = new Date(now.getTime() - WINDOW_MS)
  const [troubles, posts] = await Promise.all([
    app.directory.query(standing.statement, standing.values),
    app.db.query(POSTED, [installations, from.toISOString(), now.toISOString()]),
  ])
  return (['collect', 'disburse'] as const).flatMap((side): OperatorState[] => {
    const silent = troubles.find((trouble) => trouble.kind === 'breaker' && trouble.side === side)
    if (silent) return [{ channel: 'op1_momo', side, state: 'silent', since: silent.since }]
    const since = slowSince(posts.filter((post) => post.side === side))
    return since === null ? [] : [{ channel: 'op1_momo', side, state: 'slow', since }]
  })
}
