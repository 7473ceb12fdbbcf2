import { type Call, call } from '../../platform/db/database.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { liveInstallations } from '../live-rails.ts'
import type { Followed, Movable, Mover } from '../mover.ts'
import { askAboutMovement, QUESTION_DEADLINE_MS } from './ask.ts'
import { type BudgetedNoun, budgetedClaims, hasUnlimitedInstallation } from './budgeted-claims.ts'
import { followSafely } from './follow-safely.ts'
import type { QuestionLevel } from './question-levels.ts'
import { questionPlaces } from './question-places.ts'

/** Follows open live movements of one noun: `start` starts the questions that are due, `stop` waits for those that were started. */
export type LiveFollower = { start(): Promise<number>; stop(): Promise<void> }

/** How one noun claims its due rows. */
export type LiveClaims<Row> = BudgetedNoun<Row> & {
  /** Claims at most `limit` rows until `leaseUntil`, at any installation except those that are `full`. */
  claimFree(times: { now: Date; leaseUntil: Date }, room: { limit: number; full: readonly string[] }): Call<Row>
}

type ClaimStatements<Row> = {
  free: Statement<Row>
  dueLevels: Statement<{ installation: string; levels: QuestionLevel[] }>
  recent: Statement<Row>
  old: Statement<Row>
}

const OLD_LEVEL = 2

/** Builds the claims of a noun from its statements, which dueRowsOf helps to write. */
export const buildLiveClaims = <Row>(
  sweep: LiveClaims<Row>['sweep'],
  { free, dueLevels, recent, old }: ClaimStatements<Row>,
): LiveClaims<Row> => ({
  sweep,
  claimFree: ({ now, leaseUntil }, { limit, full }) =>
    call(free, now.toISOString(), limit, leaseUntil.toISOString(), full),
  dueLevels: (now, installations) => call(dueLevels, now.toISOString(), installations),
  claim: ({ now, leaseUntil }, { installation, level, limit }) => {
    const room = [now.toISOString(), limit, leaseUntil.toISOString(), installation]
    return level === OLD_LEVEL ? call(old, ...room) : call(recent, ...room, level)
  },
})

const CLAIMS_PER_RUN = 8
// After this long a question is asked again, in case the process that claimed it died.
const QUESTION_LEASE_MS = 30_000

/**
 * Makes the follower that asks the rail about every open live movement that is due (rails.md section 4). Questions are started, not
 * awaited, and one installation never has all the places, so that a slow operator delays nothing else.
 */
export function liveFollower<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  claims: LiveClaims<Followed<Row, Failure>>,
): LiveFollower {
  const places = questionPlaces(app, mover.noun)
  const budgeted = budgetedClaims(app, claims, places.freeFor)

  const begin = (row: Followed<Row, Failure>) =>
    places.take(row.installation, (onAnswer) => {
      const question = { row, deadline: app.deadlineIn(QUESTION_DEADLINE_MS), onAnswer }
      return followSafely(app, mover, row, () => askAboutMovement(app, mover, question)).catch((error) =>
        app.log.warn({ err: error, object_id: row.id }, `a ${mover.noun} waits for the database`),
      )
    })

  async function startFree(): Promise<number> {
    const now = app.clock.now()
    const leaseUntil = new Date(app.clock.nowMs() + QUESTION_LEASE_MS)
    let started = 0
    for (let round = 0; round < CLAIMS_PER_RUN; round += 1) {
      const full = [...places.full(), ...app.statusBudget.limited()]
      const free = hasOtherInstallations(app, full) ? places.free() : 0
      if (free === 0) {
        places.wakeWhenFree()
        return started
      }
      const claim = claims.claimFree({ now, leaseUntil }, { limit: free, full })
      const due = await app.db.query(claim.statement, claim.values)
      for (const row of due) begin(row)
      started += due.length
      if (due.length < free) return started
    }
    // More rows may be due; the other work of this task comes first.
    app.nudge(claims.sweep)
    return started
  }

  return {
    async start() {
      const allowed = await budgeted.claim(QUESTION_LEASE_MS)
      for (const row of allowed) begin(row)
      return allowed.length + (hasUnlimitedInstallation(app) ? await startFree() : 0)
    },
    async stop() {
      budgeted.stop()
      await places.empty()
    },
  }
}

/** Whether there are installations besides these. Without others, a search would only pass over all that is due at these. */
const hasOtherInstallations = (app: App, full: readonly string[]): boolean => {
  const installations = liveInstallations(app)
  return installations.length === 0 || installations.some(({ id }) => !full.includes(id))
}
