import type { Call } from '../../platform/db/database.ts'
import { msLeft, type TimeSpan } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { liveInstallations } from '../live-rails.ts'
import type { QuestionLevel } from './question-levels.ts'

/** How charges, payouts or top-ups find and claim their due rows at installations with a status budget. */
export type BudgetedNoun<Row> = {
  /** The task that asks the questions: it is woken when there may be a question again. */
  sweep: Parameters<App['nudge']>[0]
  /** Reads at which of these installations something is due, and at which levels. */
  dueLevels(now: Date, installations: readonly string[]): Call<{ installation: string; levels: QuestionLevel[] }>
  /** Claims at most `limit` due rows of one installation and level until `leaseUntil`. */
  claim(
    times: { now: Date; leaseUntil: Date },
    input: { installation: string; level: QuestionLevel; limit: number },
  ): Call<Row>
}

/** `claim` returns the rows that may be asked about now. `stop` stops the timer of the next question. */
type BudgetedClaims<Row> = { claim(leaseMs: number): Promise<Row[]>; stop(): void }

// The search for due rows of one installation passes over all that is due at the others. A search that found nothing and took at least
// this long is followed by a rest of nine times its duration, so that searching never costs more than a tenth of a processor.
const LONG_SEARCH_MS = 10
const REST_FACTOR = 9

/**
 * Claims the rows that the status budgets allow (rails.md 4.2): first a question is taken from the budget, then a row is claimed for it.
 * A row that may not be asked about is never claimed, so it keeps its turn; an installation without a question left holds up no other.
 * `freeSlotsAt` says how many more questions this process may have under way at an installation.
 */
export const budgetedClaims = <Row>(
  app: App,
  noun: BudgetedNoun<Row>,
  freeSlotsAt: (installation: string) => number,
): BudgetedClaims<Row> => new OwnClaims(app, noun, freeSlotsAt)

class OwnClaims<Row> implements BudgetedClaims<Row> {
  readonly #app: App
  readonly #noun: BudgetedNoun<Row>
  readonly #freeSlotsAt: (installation: string) => number
  readonly #lastDue = new Map<string, QuestionLevel[]>()
  readonly #restUntil = new Map<string, TimeSpan>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(app: App, noun: BudgetedNoun<Row>, freeSlotsAt: (installation: string) => number) {
    this.#app = app
    this.#noun = noun
    this.#freeSlotsAt = freeSlotsAt
  }

  async claim(leaseMs: number): Promise<Row[]> {
    const claimed: Row[] = []
    for (const installation of this.#app.statusBudget.limited()) {
      if (!this.#maySearchAt(installation)) continue
      const due = await this.#searchAt(installation)
      if (due.length > 0) claimed.push(...(await this.#claimAt(installation, due, leaseMs)))
    }
    this.#wakeForNext()
    return claimed
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #waitAt(installation: string): number {
    return this.#app.statusBudget.waitMs(installation, this.#lastDue.get(installation) ?? [])
  }

  #maySearchAt(installation: string): boolean {
    if (this.#freeSlotsAt(installation) <= 0 || this.#waitAt(installation) > 0) return false
    const rest = this.#restUntil.get(installation)
    return rest === undefined || msLeft(rest, this.#app.clock.nowMs()) === 0
  }

  async #searchAt(installation: string): Promise<QuestionLevel[]> {
    const { clock, db } = this.#app
    const started = performance.now()
    const search = this.#noun.dueLevels(clock.now(), [installation])
    const [row] = await db.query(search.statement, search.values)
    const levels = row?.levels ?? []
    const tookMs = performance.now() - started
    if (levels.length === 0 && tookMs > LONG_SEARCH_MS)
      this.#restUntil.set(installation, {
        fromMs: clock.nowMs(),
        untilMs: clock.nowMs() + REST_FACTOR * tookMs,
      })
    this.#lastDue.set(installation, levels)
    return levels
  }

  async #claimAt(installation: string, due: readonly QuestionLevel[], leaseMs: number): Promise<Row[]> {
    const { clock, db, statusBudget } = this.#app
    const { level, count } = await statusBudget.takeTurn(installation, due, this.#freeSlotsAt(installation))
    if (count === 0) return []
    const times = { now: clock.now(), leaseUntil: new Date(clock.nowMs() + leaseMs) }
    const claim = this.#noun.claim(times, { installation, level, limit: count })
    const rows = await db.query(claim.statement, claim.values)
    await statusBudget.giveBack(installation, count - rows.length)
    return rows
  }

  /** Wakes the task for the next question, because its period is longer than the time between two questions. */
  #wakeForNext(): void {
    clearTimeout(this.#timer)
    const waits = [...this.#lastDue.keys()].map((id) => this.#waitAt(id)).filter((ms) => ms > 0)
    if (waits.length === 0 || this.#stopped) return
    this.#timer = setTimeout(() => this.#app.nudge(this.#noun.sweep), Math.min(...waits)).unref()
  }
}

/** Whether some installation has no budget. Where all have one, every movement is at one of them and the free claims find nothing. */
export function hasUnlimitedInstallation(app: App): boolean {
  const limited = app.statusBudget.limited()
  return limited.length === 0 || liveInstallations(app).some(({ id }) => !limited.includes(id))
}
