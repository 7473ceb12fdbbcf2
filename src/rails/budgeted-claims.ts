import type { App } from '../app.ts'
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

/**
 * Claims what the status budgets allow (rails.md 4.2): first a question is taken, then a row is claimed for it. A row that may
 * not be asked about is never claimed, so it keeps its place; a contract without a question left holds up no other.
 * `placesAt` says how many questions this process has room for.
 */
export function budgetedClaims<Row>(
  app: App,
  noun: BudgetedNoun<Row>,
  placesAt: (installation: string) => number,
): BudgetedClaims<Row> {
  const lastDue = new Map<string, QuestionLevel[]>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const waitAt = (installation: string) =>
    app.statusBudget.waitMs(installation, lastDue.get(installation) ?? [])

  /** The period of the task is longer than the time between two questions. */
  function wakeForNext(installations: readonly string[]): void {
    clearTimeout(timer)
    const waits = installations.map(waitAt).filter((ms) => ms > 0)
    if (waits.length === 0 || stopped) return
    timer = setTimeout(() => app.nudge(noun.sweep), Math.min(...waits)).unref()
  }

  async function claimAt(installation: string, leaseMs: number): Promise<Row[]> {
    const due = lastDue.get(installation) ?? []
    const { level, count } = await app.statusBudget.takeTurn(installation, due, placesAt(installation))
    if (count === 0) return []
    const times = { now: app.clock.now(), leaseUntil: new Date(app.clock.nowMs() + leaseMs) }
    const claim = noun.claim(times, { installation, level, places: count })
    const rows = await app.db.query(claim.statement, claim.values)
    await app.statusBudget.giveBack(installation, count - rows.length)
    return rows
  }

  return {
    async claim(leaseMs) {
      const open = app.statusBudget.limited().filter((one) => placesAt(one) > 0 && waitAt(one) === 0)
      const claimed: Row[] = []
      if (open.length > 0) {
        const look = noun.look(app.clock.now(), open)
        for (const { installation, levels } of await app.db.query(look.statement, look.values))
          lastDue.set(installation, levels)
        for (const installation of open)
          if ((lastDue.get(installation) ?? []).length > 0)
            claimed.push(...(await claimAt(installation, leaseMs)))
      }
      wakeForNext([...lastDue.keys()])
      return claimed
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Whether some contract has no budget. Where all have one, no movement can be at another. */
export function asksFreely(app: App): boolean {
  const limited = app.statusBudget.limited()
  const known = app.rails.live.op1_momo?.installations ?? []
  return limited.length === 0 || known.some(({ id }) => !limited.includes(id))
}
