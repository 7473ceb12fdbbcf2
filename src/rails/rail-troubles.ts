import type { Logger } from 'pino'
import { toColumns } from '../platform/db/columns.ts'
import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { RailSide } from './rail.ts'
import type { BreakerPosition, RailAlarm, RailAlarms, RailObserver } from './rail-observer.ts'
import { openUnknownWordCounter, type UnknownWordCounter } from './unknown-words.ts'

/** Alarms that outlive the process, as rows from which the alerts are made. `close` writes those that still wait. */
type RailTroubles = RailAlarms & RailObserver & { close(): Promise<void> }

type PendingTrouble = RailAlarm & { firstAt: Date; lastAt: Date; count: number }
type RailTroubleParts = { directory: Database; clock: Clock; log: Logger }

const MAX_TROUBLE_CHARACTERS = 300
// An operator may write any text, so the number of different sentences is limited: all in memory, and rows of one kind.
const MAX_PENDING_TROUBLES = 100
const MAX_ROWS_PER_KIND = 20
// Alarms that repeat are written no more often than this.
const WRITE_EVERY_MS = 250
const AFTER_FAILURE_MS = 5000

// A trouble is over this long after its last alarm. An open breaker raises one at every failed probe, twice a minute.
const STANDING_INTERVAL_SQL = `(case when t.kind = 'breaker' then interval '2 minutes' else interval '1 hour' end)`

const WRITE_TROUBLES = statement(
  'tell rail troubles',
  `insert into rail_troubles as t (installation, side, kind, says, first_at, last_at, count)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])
   on conflict (installation, side, kind, says) do update set last_at = greatest(t.last_at, excluded.last_at),
     first_at = case when excluded.first_at - t.last_at > ${STANDING_INTERVAL_SQL} then excluded.first_at else t.first_at end,
     count = excluded.count + case when excluded.first_at - t.last_at > ${STANDING_INTERVAL_SQL} then 0 else t.count end`,
)
const PRUNE_TROUBLES = statement(
  'forget rail troubles',
  `delete from rail_troubles t using (
     select installation, side, kind, says,
       row_number() over (partition by installation, side, kind order by last_at desc, says) as nth from rail_troubles) o
   where o.nth > $1 and t.installation = o.installation and t.side = o.side and t.kind = o.kind and t.says = o.says`,
)

// A breaker that stays open for a minute or longer means that its operator was probed and is silent.
const STANDING_TROUBLES = statement<StandingTrouble>(
  'standing rail troubles',
  `select installation, side, kind, says, count, first_at as since from rail_troubles t
   where last_at > $1::timestamptz - ${STANDING_INTERVAL_SQL} and (kind <> 'breaker' or last_at - first_at >= interval '1 minute')`,
)

export type StandingTrouble = RailAlarm & { count: number; since: Date }

/** Reads the troubles of rails that are not over. */
export const standingTroubles = (now: Date): Call<StandingTrouble> => call(STANDING_TROUBLES, now.toISOString())

/** Writes the alarms of rails in the background: a payment never waits for it, and while the database is away it is retried. */
export const railTroubles = (parts: RailTroubleParts): RailTroubles => new WrittenTroubles(parts)

class WrittenTroubles implements RailTroubles {
  readonly #parts: RailTroubleParts
  readonly #unknownWords: UnknownWordCounter
  readonly #pending = new Map<string, PendingTrouble>()
  /** The last write, which never fails. */
  #writing = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #writtenMs = -Infinity
  #closed = false

  constructor(parts: RailTroubleParts) {
    this.#parts = parts
    this.#unknownWords = openUnknownWordCounter(parts.clock)
  }

  raise(alarm: RailAlarm): void {
    if (alarm.kind === 'unknown-word' && !this.#unknownWords.isTooMany(alarm.installation)) return
    const at = this.#parts.clock.now()
    const says = alarm.says.slice(0, MAX_TROUBLE_CHARACTERS)
    const trouble = { ...alarm, says, firstAt: at, lastAt: at, count: 1 }
    const pending = this.#pending.get(troubleKey(trouble))
    if (pending === undefined && this.#pending.size >= MAX_PENDING_TROUBLES) return
    if (pending === undefined) this.#parts.log.error({ alarm: { ...alarm, says } }, 'a person must look at a rail')
    this.#add(trouble)
    this.#writeSoon()
  }

  request(installation: string, operation: string): void {
    if (operation === 'status') this.#unknownWords.answered(installation)
  }

  breaker(installation: string, side: RailSide, state: BreakerPosition): void {
    if (state === 'open')
      this.raise({ installation, side, kind: 'breaker', says: 'the operator does not answer payments' })
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  #add(trouble: PendingTrouble): void {
    const pending = this.#pending.get(troubleKey(trouble))
    const sum = pending && {
      firstAt: new Date(Math.min(pending.firstAt.getTime(), trouble.firstAt.getTime())),
      lastAt: new Date(Math.max(pending.lastAt.getTime(), trouble.lastAt.getTime())),
      count: pending.count + trouble.count,
    }
    this.#pending.set(troubleKey(trouble), { ...trouble, ...sum })
  }

  #writeSoon(): void {
    if (this.#timer !== null || this.#closed) return
    const waitMs = Math.max(0, this.#writtenMs + WRITE_EVERY_MS - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writing = this.#writing.then(() => this.#write())
    }, waitMs).unref()
  }

  async #write(): Promise<void> {
    const troubles = [...this.#pending.values()]
    if (troubles.length === 0) return
    this.#pending.clear()
    this.#writtenMs = performance.now()
    try {
      const each = toColumns(troubles)
      const write = call(
        WRITE_TROUBLES,
        ...each.values('installation', 'side', 'kind', 'says'),
        ...each.times('firstAt', 'lastAt'),
        ...each.numbers('count'),
      )
      await this.#parts.directory.query(write.statement, write.values)
      await this.#parts.directory.query(PRUNE_TROUBLES, [MAX_ROWS_PER_KIND])
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'what a rail has told could not be written; it is tried again')
      for (const trouble of troubles) this.#add(trouble)
      this.#writtenMs = performance.now() + AFTER_FAILURE_MS
      this.#writeSoon()
    }
  }
}

const troubleKey = ({ installation, side, kind, says }: RailAlarm) => `${installation} ${side} ${kind} ${says}`
