import { call, type Database } from '../../platform/db/database.ts'
import { dueCondition, latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { type Clock, msLeft, type TimeSpan } from '../../platform/time/clock.ts'
import type { Installation } from '../rail.ts'
import type { QuestionLevel } from './question-levels.ts'

/** The budget of questions that all processes together may ask an installation (rails.md 4.2). */
export type StatusBudget = {
  /** Takes up to `count` questions for reconciliation, which gets what the other levels leave. Returns how many it got. */
  take(installation: string, count: number): Promise<number>
  /** Takes one question before all others, even if the bucket then owes one. Returns whether it got it. */
  takeFirst(installation: string): Promise<boolean>
  /**
   * Takes at most `limit` questions for one of the levels at which something is due. `count` 0: none now; waitMs says when there may
   * be one.
   */
  takeTurn(installation: string, due: readonly QuestionLevel[], limit: number): Promise<QuestionTurn>
  /** For how long (ms) there is no question for these levels, as far as this process knows; 0 when it must ask the database. */
  waitMs(installation: string, due: readonly QuestionLevel[]): number
  giveBack(installation: string, unused: number): Promise<void>
  /** Halves the rate for 60 s, because the operator answered that the questions are too many. */
  slowDown(installation: string): Promise<void>
  /** Reads how many questions each installation with a rate has left; a debt is below zero. */
  left(): Promise<{ installation: string; tokens: number }[]>
  /** Lists the installations that have a rate. */
  limited(): string[]
}
type QuestionTurn = { level: QuestionLevel; count: number }

const SLOWED_MS = 60_000
const SECOND_MS = 1000
// The bucket holds one whole question at 8 a second, and room for what flows in while a worker is a little late. With the one question
// that may be owed, no second sees more than 10.
const BUCKET_SECONDS = 0.125
const BUCKET_EXTRA = 0.5
// The part of that room that each level leaves to the levels before it, which gives them a head start without losing questions.
const LEFT_TO_EARLIER_LEVELS = [0, 0.2, 0.5, 0.8] as const satisfies { [level in QuestionLevel]: number }
const MAX_DEBT = 1
// The shares of all questions: a tenth for old movements, a twentieth for reconciliation.
const OLD_SHARE = 0.1
const RECONCILIATION_SHARE = 0.05
// The limit of saved-up credit, so that after a time without old movements at most one of them goes before the others.
const MAX_CREDIT = 1.5
const FIRST_LEVEL: QuestionLevel = 0
const RECONCILIATION_LEVEL: QuestionLevel = 3

const MAKE_BUDGET = statement(
  'make status budget',
  `insert into status_budgets (installation, tokens, filled_at) values ($1, $3, $2) on conflict do nothing`,
)
const SLOWED_SQL = `slowed_until > $2::timestamptz and not ${dueCondition('slowed_until', '$2', SLOWED_MS)}`
// The bucket fills with $3 questions a second up to $4, at half speed while it is slowed. $6 are the levels at which something is due,
// $7 is what each level must leave; the levels 2 and 3 leave nothing while they have a credit.
const TAKE_QUESTIONS = statement<{ taken: number; level: QuestionLevel; wait: number }>(
  'take from status budget',
  `with found as (
     select installation, old_credit, spare_credit, $3::float8 * case when ${SLOWED_SQL} then 0.5 else 1 end as rate,
       least($4::float8, tokens + greatest(0, extract(epoch from $2::timestamptz - filled_at))
         * $3::float8 * case when ${SLOWED_SQL} then 0.5 else 1 end) as tokens
     from status_budgets where installation = $1 for no key update),
   turned as (
     select f.*, case when 2 = any($6::int[]) and old_credit >= 1 then 2 when 3 = any($6) and spare_credit >= 1 then 3
       else (select min(l) from unnest($6) as l) end as level from found f),
   judged as (
     select t.*, case when (level = 2 and old_credit >= 1) or (level = 3 and spare_credit >= 1) then 0
       else ($7::float8[])[level + 1] end as leaves from turned t),
   taking as (select j.*, greatest(0, least($5::int, floor(tokens - leaves + 1e-9)))::int as taken from judged j)
   update status_budgets b set tokens = t.tokens - t.taken, filled_at = case when b.filled_at > $11 then $2 else greatest(b.filled_at, $2) end,
     old_credit = greatest(0, least($8::float8, t.old_credit + $9::float8 * t.taken - case when level = 2 then taken else 0 end)),
     spare_credit = greatest(0, least($8::float8, t.spare_credit + $10::float8 * t.taken - case when level = 3 then taken else 0 end))
   from taking t where b.installation = t.installation
   returning t.taken, t.level, greatest(0, 1 + t.leaves - b.tokens) / t.rate as wait`,
)
const TOKENS_LEFT = statement<{ installation: string; tokens: number }>(
  'left in status budgets',
  'select installation, tokens from status_budgets where installation = any($1::text[])',
)
const GIVE_BACK = statement(
  'give back to status budget',
  `update status_budgets set tokens = least($3::float8, tokens + $2) where installation = $1`,
)
const SLOW_DOWN = statement(
  'slow down status budget',
  `update status_budgets set slowed_until = $2 where installation = $1`,
)

type RatedInstallation = Pick<Installation, 'id' | 'statusPerSecond'>
type StatusBudgetParts = {
  directory: Database
  clock: Clock
  installations: () => readonly RatedInstallation[]
}

/**
 * Opens the buckets of these installations, which are rows of the database. An installation without a rate is not limited and costs no
 * query. Throws DatabaseAway.
 */
export const statusBudget = (parts: StatusBudgetParts): StatusBudget => new SharedBudget(parts)

const bucketSize = (rate: number) => Math.max(1, rate * BUCKET_SECONDS) + BUCKET_EXTRA

class SharedBudget implements StatusBudget {
  readonly #parts: StatusBudgetParts
  readonly #made = new Set<string>()
  /** When an installation may have a question again, by installation and levels. */
  readonly #notBefore = new Map<string, Map<string, TimeSpan>>()

  constructor(parts: StatusBudgetParts) {
    this.#parts = parts
  }

  async take(installation: string, count: number): Promise<number> {
    return (await this.takeTurn(installation, [RECONCILIATION_LEVEL], count)).count
  }

  async takeFirst(installation: string): Promise<boolean> {
    const rate = this.#rateOf(installation)
    if (rate === null) return true
    const leaves = [-MAX_DEBT, 0, 0, 0]
    return (await this.#take({ installation, rate, leaves }, [FIRST_LEVEL], 1)).count === 1
  }

  async takeTurn(installation: string, due: readonly QuestionLevel[], limit: number): Promise<QuestionTurn> {
    const rate = this.#rateOf(installation)
    if (rate === null) return { level: due[0] ?? RECONCILIATION_LEVEL, count: limit }
    const room = bucketSize(rate) - 1
    return this.#take({ installation, rate, leaves: LEFT_TO_EARLIER_LEVELS.map((part) => part * room) }, due, limit)
  }

  waitMs(installation: string, due: readonly QuestionLevel[]): number {
    const waits = this.#notBefore.get(installation)?.get(due.join())
    return waits === undefined ? 0 : msLeft(waits, this.#parts.clock.nowMs())
  }

  async giveBack(installation: string, unused: number): Promise<void> {
    const rate = this.#rateOf(installation)
    if (rate === null || unused <= 0) return
    this.#notBefore.delete(installation)
    await this.#parts.directory.query(GIVE_BACK, [installation, unused, bucketSize(rate)])
  }

  async slowDown(installation: string): Promise<void> {
    if (this.#rateOf(installation) === null) return
    const until = new Date(this.#parts.clock.nowMs() + SLOWED_MS).toISOString()
    await this.#parts.directory.query(SLOW_DOWN, [installation, until])
  }

  async left(): Promise<{ installation: string; tokens: number }[]> {
    const limited = this.limited()
    return limited.length === 0 ? [] : this.#parts.directory.query(TOKENS_LEFT, [limited])
  }

  limited(): string[] {
    const installations = this.#parts.installations()
    return installations.filter(({ statusPerSecond }) => statusPerSecond !== null).map(({ id }) => id)
  }

  #rateOf(installation: string): number | null {
    return this.#parts.installations().find(({ id }) => id === installation)?.statusPerSecond ?? null
  }

  async #take(
    { installation, rate, leaves }: { installation: string; rate: number; leaves: readonly number[] },
    due: readonly QuestionLevel[],
    limit: number,
  ): Promise<QuestionTurn> {
    const { directory, clock } = this.#parts
    const nowMs = clock.nowMs()
    const now = new Date(nowMs).toISOString()
    const ahead = latestPlausibleTime(new Date(nowMs), 0).toISOString()
    if (!this.#made.has(installation)) {
      await directory.query(MAKE_BUDGET, [installation, now, bucketSize(rate)])
      this.#made.add(installation)
    }
    const bounds = [MAX_CREDIT, OLD_SHARE, RECONCILIATION_SHARE]
    const taking = call(TAKE_QUESTIONS, installation, now, rate, bucketSize(rate), limit, due, leaves, ...bounds, ahead)
    const [row] = await directory.query(taking.statement, taking.values)
    // The row is gone after a crash of the database server, which empties the table.
    if (row === undefined) this.#made.delete(installation)
    const { taken = 0, level = RECONCILIATION_LEVEL, wait = 0 } = row ?? {}
    const waits = this.#notBefore.get(installation) ?? new Map<string, TimeSpan>()
    this.#notBefore.set(
      installation,
      waits.set(due.join(), { fromMs: nowMs, untilMs: nowMs + Math.ceil(wait * SECOND_MS) }),
    )
    return { level, count: taken }
  }
}
