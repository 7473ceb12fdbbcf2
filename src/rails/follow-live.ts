import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import type { Statement } from '../platform/db/statement.ts'
import { type Asking, askAboutMovement } from './ask.ts'
import { asksFreely, type BudgetedNoun, budgetedClaims } from './budgeted-claims.ts'
import { followSafely } from './follow-safely.ts'
import type { Followed, Movable, Mover } from './mover.ts'
import type { QuestionLevel } from './question-levels.ts'

/** Follows open live movements of one noun. `stop` waits for questions that were started. */
export type LiveFollower = { start(): Promise<number>; stop(): Promise<void> }

/** How a noun claims its rows that are due. */
export type LiveClaims<Row> = BudgetedNoun<Row> & {
  /** At contracts without a status budget: at most `places` until `leaseUntil`, none at the contracts that are `full`. */
  claimFree(
    times: { now: Date; leaseUntil: Date },
    room: { places: number; full: readonly string[] },
  ): Call<Row>
}

type ClaimStatements<Row> = {
  free: Statement<Row>
  look: Statement<{ installation: string; levels: QuestionLevel[] }>
  recent: Statement<Row>
  old: Statement<Row>
}

const OLD_LEVEL = 2

/** The claims of a noun by its statements, which `dueRowsOf` helps to write. */
export const liveClaims = <Row>(
  sweep: LiveClaims<Row>['sweep'],
  { free, look, recent, old }: ClaimStatements<Row>,
): LiveClaims<Row> => ({
  sweep,
  claimFree: ({ now, leaseUntil }, { places, full }) =>
    call(free, now.toISOString(), places, leaseUntil.toISOString(), full),
  look: (now, installations) => call(look, now.toISOString(), installations),
  claim: ({ now, leaseUntil }, { installation, level, places }) => {
    const room = [now.toISOString(), places, leaseUntil.toISOString(), installation]
    return level === OLD_LEVEL ? call(old, ...room) : call(recent, ...room, level)
  },
})

const LIVE_AT_ONCE = 32
/** So that a contract that does not answer leaves places for the others. */
export const ONE_CONTRACT_AT_ONCE = 24
const CLAIMED_AT_ONCE = 8
const ROUNDS_A_RUN = 8
// Answers that are being written hold no place, but there is an end to how many: a slow database slows the questions.
const WRITTEN_AT_ONCE = 200
// After this long a question is asked again, in case its worker died.
const LEASE_MS = 30_000
/** How long one question may take. */
export const QUESTION_DEADLINE_MS = 12_000

/**
 * Asks the rail about every open live movement that is due (rails.md section 4). Questions are started, not awaited, and one
 * contract never has all the places: a slow operator delays nothing else.
 */
export function liveFollower<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  claims: LiveClaims<Followed<Row, Failure>>,
): LiveFollower {
  const places = openPlaces(() => app.nudge(claims.sweep))
  const budgeted = budgetedClaims(app, claims, places.leftFor)

  const begin = (row: Followed<Row, Failure>) =>
    places.take(row.installation, (heard) =>
      follow(app, mover, { row, deadline: app.deadlineIn(QUESTION_DEADLINE_MS), heard }).catch((error) =>
        app.log.warn({ err: error, object_id: row.id }, `a ${mover.noun} waits for the database`),
      ),
    )

  async function startFree(): Promise<number> {
    const now = app.clock.now()
    const leaseUntil = new Date(app.clock.nowMs() + LEASE_MS)
    let started = 0
    for (let round = 0; round < ROUNDS_A_RUN; round += 1) {
      const full = [...places.full(), ...app.statusBudget.limited()]
      const left = hasOthers(app, full) ? places.left() : 0
      if (left === 0) {
        places.wakeWhenFree()
        return started
      }
      const claim = claims.claimFree({ now, leaseUntil }, { places: left, full })
      const due = await app.db.query(claim.statement, claim.values)
      for (const row of due) begin(row)
      started += due.length
      if (due.length < left) return started
    }
    // There are more; whatever else this task does comes first.
    app.nudge(claims.sweep)
    return started
  }

  return {
    async start() {
      const allowed = await budgeted.claim(LEASE_MS)
      for (const row of allowed) begin(row)
      return allowed.length + (asksFreely(app) ? await startFree() : 0)
    },
    async stop() {
      budgeted.stop()
      await places.empty()
    },
  }
}

/** Whether there are contracts besides these. Looking for their movements would only pass over all that is due at these. */
const hasOthers = (app: App, full: readonly string[]): boolean => {
  const contracts = app.rails.live.op1_momo?.installations ?? []
  return contracts.length === 0 || contracts.some(({ id }) => !full.includes(id))
}

/** The places for questions under way. One is free again when its operator has answered; `wake` is called when that was waited for. */
function openPlaces(wake: () => void) {
  const asking = new Map<Promise<unknown>, string>()
  const working = new Set<Promise<unknown>>()
  let isAwaited = false

  const usedBy = (installation: string) => [...asking.values()].filter((one) => one === installation).length
  const left = () => {
    if (working.size - asking.size >= WRITTEN_AT_ONCE) return 0
    return Math.max(0, Math.min(CLAIMED_AT_ONCE, LIVE_AT_ONCE - asking.size))
  }
  return {
    left,
    leftFor: (installation: string) => Math.min(left(), ONE_CONTRACT_AT_ONCE - usedBy(installation)),
    /** Contracts that have used all their places. */
    full: () =>
      [...new Set(asking.values())].filter((one) => usedBy(one) > ONE_CONTRACT_AT_ONCE - CLAIMED_AT_ONCE),
    wakeWhenFree: () => {
      isAwaited = true
    },
    /** `begin` calls `heard` when the operator has answered, and ends when that is written. */
    take(installation: string, begin: (heard: () => void) => Promise<unknown>) {
      const heard = () => {
        asking.delete(work)
        if (!isAwaited || left() < CLAIMED_AT_ONCE) return
        isAwaited = false
        wake()
      }
      const work = begin(heard).finally(() => {
        working.delete(work)
        heard()
      })
      asking.set(work, installation)
      working.add(work)
    },
    empty: () => Promise.all(working),
  }
}

/** Asks about one claimed movement. Answers whether anything was written. */
export const follow = <Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  asked: Asking<Row, Failure>,
): Promise<boolean> => followSafely(app, mover, asked.row, () => askAboutMovement(app, mover, asked))
