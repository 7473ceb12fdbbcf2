import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import { columnsOf } from '../platform/db/columns.ts'
import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { RailSide } from './rail.ts'
import type { BreakerPosition, RailAlarm, RailAlarms, RailObserver } from './rail-observer.ts'
import { type WordWatch, wordWatch } from './word-watch.ts'

/** Alarms that outlive the process, as rows from which the alerts are made. `close` writes those that still wait. */
type RailTroubles = RailAlarms & RailObserver & { close(): Promise<void> }

type Trouble = RailAlarm & { firstAt: Date; lastAt: Date; count: number }
type Parts = { directory: Database; clock: Clock; log: Logger }

const MOST_CHARACTERS = 300
// An operator may write any text, so the number of different sentences is limited: all in memory, and rows of one kind.
const MOST_WAITING = 100
const MOST_ROWS = 20
// Alarms that repeat are written no more often than this.
const WRITE_EVERY_MS = 250
const AFTER_FAILURE_MS = 5000

// A trouble is over this long after its last alarm. An open breaker raises one at every failed probe, twice a minute.
const LASTS = `(case when t.kind = 'breaker' then interval '2 minutes' else interval '1 hour' end)`

const TELL = statement(
  'tell rail troubles',
  `insert into rail_troubles as t (installation, side, kind, says, first_at, last_at, count)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])
   on conflict (installation, side, kind, says) do update set last_at = greatest(t.last_at, excluded.last_at),
     first_at = case when excluded.first_at > t.last_at + ${LASTS} then excluded.first_at else t.first_at end,
     count = excluded.count + case when excluded.first_at > t.last_at + ${LASTS} then 0 else t.count end`,
)
const FORGET = statement(
  'forget rail troubles',
  `delete from rail_troubles t using (
     select installation, side, kind, says,
       row_number() over (partition by installation, side, kind order by last_at desc, says) as nth from rail_troubles) o
   where o.nth > $1 and t.installation = o.installation and t.side = o.side and t.kind = o.kind and t.says = o.says`,
)

// A breaker that stays open for a minute or longer means that its operator was probed and is silent.
const STANDING = statement<StandingTrouble>(
  'standing rail troubles',
  `select installation, side, kind, says, count, first_at as since from rail_troubles t
   where last_at > $1::timestamptz - ${LASTS} and (kind <> 'breaker' or last_at - first_at >= interval '1 minute')`,
)

export type StandingTrouble = RailAlarm & { count: number; since: Date }

/** Reads the troubles of rails that are not over. */
export const standingTroubles = (now: Date): Call<StandingTrouble> => call(STANDING, now.toISOString())

/** Writes the alarms of rails in the background: a payment never waits for it, and while the database is away it is retried. */
export const railTroubles = (parts: Parts): RailTroubles => new WrittenTroubles(parts)

class WrittenTroubles implements RailTroubles {
  readonly #parts: Parts
  readonly #unknownWords: WordWatch
  readonly #pending = new Map<string, Trouble>()
  /** The last write, which never fails. */
  #writing = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #writtenMs = -Infinity
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#unknownWords = wordWatch(parts.clock)
  }

  tell(alarm: RailAlarm): void {
    if (alarm.kind === 'unknown-word' && !this.#unknownWords.isTooMany(alarm.installation)) return
    const at = this.#parts.clock.now()
    const says = alarm.says.slice(0, MOST_CHARACTERS)
    const trouble = { ...alarm, says, firstAt: at, lastAt: at, count: 1 }
    const pending = this.#pending.get(keyOf(trouble))
    if (pending === undefined && this.#pending.size >= MOST_WAITING) return
    if (pending === undefined)
      this.#parts.log.error({ alarm: { ...alarm, says } }, 'a person must look at a rail')
    this.#add(trouble)
    this.#writeSoon()
  }

  request(installation: string, operation: string): void {
    if (operation === 'status') this.#unknownWords.answered(installation)
  }

  breaker(installation: string, side: RailSide, state: BreakerPosition): void {
    if (state === 'open')
      this.tell({ installation, side, kind: 'breaker', says: 'the operator does not answer payments' })
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
    await this.#write()
  }

  #add(trouble: Trouble): void {
    const pending = this.#pending.get(keyOf(trouble))
    const sum = pending && {
      firstAt: new Date(Math.min(pending.firstAt.getTime(), trouble.firstAt.getTime())),
      lastAt: new Date(Math.max(pending.lastAt.getTime(), trouble.lastAt.getTime())),
      count: pending.count + trouble.count,
    }
    this.#pending.set(keyOf(trouble), { ...trouble, ...sum })
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
      const each = columnsOf(troubles)
      const write = call(
        TELL,
        ...each.values('installation', 'side', 'kind', 'says'),
        ...each.times('firstAt', 'lastAt'),
        ...each.numbers('count'),
      )
      await this.#parts.directory.query(write.statement, write.values)
      await this.#parts.directory.query(FORGET, [MOST_ROWS])
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'what a rail has told could not be written; it is tried again')
      for (const trouble of troubles) this.#add(trouble)
      this.#writtenMs = performance.now() + AFTER_FAILURE_MS
      this.#writeSoon()
    }
  }
}

const keyOf = ({ installation, side, kind, says }: RailAlarm) => `${installation} ${side} ${kind} ${says}`
