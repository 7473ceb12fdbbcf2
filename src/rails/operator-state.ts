import { oncePerCell } from '../platform/batches/lane.ts'
import { statement } from '../platform/db/statement.ts'
import type { App } from '../program/app.ts'
import { liveInstallations, liveRailsByChannel } from './live-rails.ts'
import type { Channel, Rail, RailSide } from './rail.ts'
import { type StandingTrouble, standingTroubles } from './rail-troubles.ts'

/**
 * A state of an operator that merchants are shown, because they would otherwise blame us: it takes no payments (`silent`), or takes many
 * seconds to accept them (`slow`). `since` is the earliest time known.
 */
export type OperatorState = {
  channel: Channel
  side: RailSide
  state: 'silent' | 'slow'
  since: Date
}

/** A post to the operator, and whether it took longer than a caller waits. */
type TimedPost = { at: Date; slow: boolean }
type TimedPostRow = TimedPost & { side: RailSide; installation: string }

const STATES_FRESH_MS = 5000
// The caller of a submit waits this long and then gets its answer without the operator's.
const SLOW_SECONDS = 5
const POSTS_WINDOW_MS = 15 * 60_000
// Fewer posts say nothing about an operator.
const MIN_POSTS = 5
const MAX_POSTS = 300

// The posts of the last minutes at every installation, newest first. A post that is still under way and not slow yet is left out.
const RECENT_POSTS = statement<TimedPostRow>(
  'posts of the last minutes',
  `select a.installation, a.side, a.sending_since as at, a.reposts > 0
     or coalesce(a.submit_ended_at, $3) - a.sending_since > interval '${SLOW_SECONDS} seconds' as slow
   from unnest($1::text[]) i (installation) cross join lateral (
     select * from rail_attempts r where r.installation = i.installation and r.reviewed_at is null and r.created_at >= $2
     order by r.created_at desc limit ${MAX_POSTS}) a
   where a.sending_since is not null
     and (a.submit_ended_at is not null or a.sending_since < $3::timestamptz - interval '${SLOW_SECONDS} seconds')
   order by a.sending_since desc`,
)

/** Finds since when at least half of these posts, newest first, were slow; null while too few were. */
export function findSlowSince(posts: readonly TimedPost[]): Date | null {
  let slow = 0
  let since: Date | null = null
  for (const [index, post] of posts.entries()) {
    if (post.slow) slow += 1
    if (index + 1 >= MIN_POSTS && slow < (index + 1) / 2) break
    if (post.slow && index + 1 >= MIN_POSTS) since = post.at
  }
  return posts.length < MIN_POSTS || slow < MIN_POSTS / 2 ? null : since
}

type CachedStates = { atMs: number; states: Promise<readonly OperatorState[]> }
const cachedStates = oncePerCell((): CachedStates => ({ atMs: Number.NEGATIVE_INFINITY, states: Promise.resolve([]) }))

/** Reads which operators are silent or slow now. Queries at most every five seconds, however many pages ask. */
export function readOperatorStates(app: App): Promise<readonly OperatorState[]> {
  const cached = cachedStates(app)
  const nowMs = app.clock.nowMs()
  if (Math.abs(nowMs - cached.atMs) < STATES_FRESH_MS) return cached.states
  cached.atMs = nowMs
  // Where the query fails, pages show nothing about operators.
  cached.states = queryOperatorStates(app).catch(() => [])
  return cached.states
}

async function queryOperatorStates(app: App): Promise<OperatorState[]> {
  const now = app.clock.now()
  const installations = liveInstallations(app).map(({ id }) => id)
  if (installations.length === 0) return []
  const standing = standingTroubles(now)
  const from = new Date(now.getTime() - POSTS_WINDOW_MS)
  const [troubles, posts] = await Promise.all([
    app.directory.query(standing.statement, standing.values),
    app.db.query(RECENT_POSTS, [installations, from.toISOString(), now.toISOString()]),
  ])
  return liveRailsByChannel(app).flatMap(([channel, rail]) => judgeRail(rail, { channel, troubles, posts }))
}

type RailFacts = { channel: Channel; troubles: readonly StandingTrouble[]; posts: readonly TimedPostRow[] }

/** Judges both sides of one rail by the troubles and posts at its installations. */
function judgeRail(rail: Rail, { channel, troubles, posts }: RailFacts): OperatorState[] {
  const isOwn = ({ installation }: { installation: string }) => rail.installations.some(({ id }) => id === installation)
  return (['collect', 'disburse'] as const).flatMap((side): OperatorState[] => {
    const silent = troubles.find((trouble) => trouble.kind === 'breaker' && trouble.side === side && isOwn(trouble))
    if (silent) return [{ channel, side, state: 'silent', since: silent.since }]
    const since = findSlowSince(posts.filter((post) => post.side === side && isOwn(post)))
    return since === null ? [] : [{ channel, side, state: 'slow', since }]
  })
}
