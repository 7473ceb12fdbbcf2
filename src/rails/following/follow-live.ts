import { type Call, call } from '../../platform/db/database.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { liveInstallations } from '../live-rails.ts'
import type { Followed, Movable, Mover } from '../mover.ts'
import { askAboutMovement, QUESTION_DEADLINE_MS } from './ask.ts'
import { type BudgetedNoun, budgetedClaims, hasUnlimitedInstallation } from './budgeted-claims.ts'
import { followSafely } from './follow-safely.ts'
import type { QuestionLevel } from './question-levels.ts'

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

const MAX_QUESTIONS_UNDER_WAY = 32
/** Fewer than all slots, so that an installation that does not answer leaves slots for the others. */
export const MAX_QUESTIONS_PER_INSTALLATION = 24
const MAX_ROWS_PER_CLAIM = 8
const CLAIMS_PER_RUN = 8
// Answers that are being written hold no slot, but their number is limited, so that a slow database slows the questions down.
const MAX_ANSWERS_BEING_WRITTEN = 200
// After this long a question is asked again, in case the process that claimed it died.
const QUESTION_LEASE_MS = 30_000

/**
 * Makes the follower that asks the rail about every open live movement that is due (rails.md section 4). Questions are started, not
 * awaited, and one installation never has all the slots, so that a slow operator delays nothing else.
 */
export function liveFollower<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  claims: LiveClaims<Followed<Row, Failure>>,
): LiveFollower {
  const slots = openSlots(() => app.nudge(claims.sweep))
  const budgeted = budgetedClaims(app, claims, slots.freeFor)

  const begin = (row: Followed<Row, Failure>) =>
    slots.take(row.installation, (onAnswer) => {
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
      const full = [...slots.full(), ...app.statusBudget.limited()]
      const free = hasOtherInstallations(app, full) ? slots.free() : 0
      if (free === 0) {
        slots.wakeWhenFree()
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
      await slots.empty()
    },
  }
}

/** Whether there are installations besides these. Without others, a search would only pass over all that is due at these. */
const hasOtherInstallations = (app: App, full: readonly string[]): boolean => {
  const installations = liveInstallations(app)
  return installations.length === 0 || installations.some(({ id }) => !full.includes(id))
}

/** Opens the slots for questions under way. A slot is free again when its operator has answered; then `wake` is called if wakeWhenFree was. */
function openSlots(wake: () => void) {
  const asking = new Map<Promise<unknown>, string>()
  const working = new Set<Promise<unknown>>()
  let isAwaited = false

  const usedBy = (installation: string) => [...asking.values()].filter((id) => id === installation).length
  const free = () => {
    if (working.size - asking.size >= MAX_ANSWERS_BEING_WRITTEN) return 0
    return Math.max(0, Math.min(MAX_ROWS_PER_CLAIM, MAX_QUESTIONS_UNDER_WAY - asking.size))
  }
  return {
    free,
    freeFor: (installation: string) => Math.min(free(), MAX_QUESTIONS_PER_INSTALLATION - usedBy(installation)),
    /** The installations that have used all their slots. */
    full: () =>
      [...new Set(asking.values())].filter((id) => usedBy(id) > MAX_QUESTIONS_PER_INSTALLATION - MAX_ROWS_PER_CLAIM),
    wakeWhenFree: () => {
      isAwaited = true
    },
    /** `begin` calls `onAnswer` when the operator has answered, and resolves when the answer is written. */
    take(installation: string, begin: (onAnswer: () => void) => Promise<unknown>) {
      const onAnswer = () => {
        asking.delete(work)
        if (!isAwaited || free() < MAX_ROWS_PER_CLAIM) return
        isAwaited = false
        wake()
      }
      const work = begin(onAnswer).finally(() => {
        working.delete(work)
        onAnswer()
      })
      asking.set(work, installation)
      working.add(work)
    },
    empty: () => Promise.all(working),
  }
}
