import type { App } from '../app.ts'
import { leftOf, type Span } from '../platform/clock.ts'
import type { Call } from '../platform/db/database.ts'
import type { QuestionLevel } from './question-levels.ts'

/** How one noun finds and claims its rows that are due at contracts with a status budget. */
export type BudgetedNoun<Row> = {
  /** The task that asks about it: it is woken when there may be a question again. */
  sweep: Parameters<App['nudge']>[0]
  /** Those of the contracts where something is due, and at which levels. */
  look(now: Date, installations: readonly string[]): Call<{ installation: string; levels: QuestionLevel[] }>
  /** Claims rows of one contract and level that are due, at most `places`, until `leaseUntil`. */
  claim(
    times: { now: Date; leaseUntil: Date },
    of: { installation: string; level: QuestionLevel; places: number },
  ): Call<Row>
}

/** `claim` answers with the rows that may be asked about now. `stop` ends the waiting for the next question. */
export type BudgetedClaims<Row> = { claim(leaseMs: number): Promise<Row[]>; stop(): void }

// A contract with nothing due is looked for behind all that is due at others. A look that took so long is followed by a rest, so
// that it never costs more than a tenth of a processor.
const LONG_LOOK_MS = 10
const RESTS = 9

/**
 * Claims what the status budgets allow (rails.md 4.2): first a question is taken, then a row is claimed for it. A row that may
 * not be asked about is never claimed, so it keeps its place; a contract without a question left holds up no other.
 * `placesAt` says how many questions this process has room for.
 */
export const budgetedClaims = <Row>(
  app: App,
  noun: BudgetedNoun<Row>,
  placesAt: (installation: string) => number,
): BudgetedClaims<Row> => new OwnClaims(app, noun, placesAt)

class OwnClaims<Row> implements BudgetedClaims<Row> {
  readonly #app: App
  readonly #noun: BudgetedNoun<Row>
  readonly #placesAt: (installation: string) => number
  readonly #lastDue = new Map<string, QuestionLevel[]>()
  readonly #rests = new Map<string, Span>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(app: App, noun: BudgetedNoun<Row>, placesAt: (installation: string) => number) {
    this.#app = app
    this.#noun = noun
    this.#placesAt = placesAt
  }

  async claim(leaseMs: number): Promise<Row[]> {
    const claimed: Row[] = []
    for (const installation of this.#app.statusBudget.limited()) {
      if (!this.#mayLookAt(installation)) continue
      const due = await this.#lookAt(installation)
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

  #mayLookAt(installation: string): boolean {
    if (this.#placesAt(installation) <= 0 || this.#waitAt(installation) > 0) return false
    const rests = this.#rests.get(installation)
    return rests === undefined || leftOf(rests, this.#app.clock.nowMs()) === 0
  }

  async #lookAt(installation: string): Promise<QuestionLevel[]> {
    const { clock, db } = this.#app
    const started = performance.now()
    const look = this.#noun.look(clock.now(), [installation])
    const [found] = await db.query(look.statement, look.values)
    const levels = found?.levels ?? []
    const tookMs = performance.now() - started
    if (levels.length === 0 && tookMs > LONG_LOOK_MS)
      this.#rests.set(installation, { fromMs: clock.nowMs(), untilMs: clock.nowMs() + RESTS * tookMs })
    this.#lastDue.set(installation, levels)
    return levels
  }

  async #claimAt(installation: string, due: readonly QuestionLevel[], leaseMs: number): Promise<Row[]> {
    const { clock, db, statusBudget } = this.#app
    const { level, count } = await statusBudget.takeTurn(installation, due, this.#placesAt(installation))
    if (count === 0) return []
    const times = { now: clock.now(), leaseUntil: new Date(clock.nowMs() + leaseMs) }
    const claim = this.#noun.claim(times, { installation, level, places: count })
    const rows = await db.query(claim.statement, claim.values)
    await statusBudget.giveBack(installation, count - rows.length)
    return rows
  }

  /** The period of the task is longer than the time between two questions. */
  #wakeForNext(): void {
    clearTimeout(this.#timer)
    const waits = [...this.#lastDue.keys()].map((one) => this.#waitAt(one)).filter((ms) => ms > 0)
    if (waits.length === 0 || this.#stopped) return
    this.#timer = setTimeout(() => this.#app.nudge(this.#noun.sweep), Math.min(...waits)).unref()
  }
}

/** Whether some contract has no budget. Where all have one, no movement can be at another. */
export function asksFreely(app: App): boolean {
  const limited = app.statusBudget.limited()
  const known = app.rails.live.op1_momo?.installations ?? []
  return limited.length === 0 || known.some(({ id }) => !limited.includes(id))
}
