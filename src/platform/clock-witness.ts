import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import { statement } from './db/statement.ts'

/** What the clock of the database server says of the clock of this process (reliability.md F45). It is asked every two seconds. */
export type ClockWitness = {
  /** Asks the server. Errors: DatabaseAway, which is no evidence: what was heard before counts on. */
  look(): Promise<void>
  /** How far the clock of this process is ahead (negative: behind), in ms; 0 within what can be measured; null before the first look. */
  apartMs(): number | null
  /** In words why nothing may be done that follows from the time; null while the clocks agree. */
  doubt(): string | null
  /** The earlier of both clocks: for what cannot be undone. */
  earlier(): Date
  earlierMs(): number
}

type Parts = {
  clock: Clock
  directory: Pick<Database, 'query'>
  log: { warn(fields: object, message: string): void }
}

/** What the server said, and when it was heard, on the clock that nobody sets. The answer was made in the `tookMs` before. */
type Heard = { serverMs: number; atMs: number; tookMs: number }

export const WITNESS_EVERY_MS = 2000

// The only time of the database in the product. It is compared with ours, and the earlier of both is used; nothing is dated by it.
const TIME = statement<{ at: Date }>('time of the server', 'select clock_timestamp() as at')
const MOST_APART_MS = 2000
// Below this it is the rounding of both clocks and the wait for a processor.
const EVEN_MS = 100
// A slow answer says less than a quick one before it, for a minute.
const QUICK_MS = 1000
const STALE_MS = 60_000
// Where the server's clock has stepped ahead, as on a machine that both share, the time as it was going on counts too for what cannot
// be undone: long enough for a wrong minute to be over.
const STEP_REMEMBERED_MS = 5 * 60_000

/** The server's time as the monotonic clock carries it on. */
const serverMsAt = ({ serverMs, atMs }: Heard, monotonicMs: number) => serverMs + monotonicMs - atMs

/**
 * Between two looks time goes on by the monotonic clock, so a step of the clock is seen at once and not with the next look. A clock that a
 * test has moved on purpose is compared with the time of the server moved as far.
 */
export function clockWitness({ clock, directory, log }: Parts): ClockWitness {
  let heard: Heard | null = null
  let beforeStep: (Heard & { untilMs: number }) | null = null
  let doubted = false

  const apartFrom = (one: Heard): number => {
    const own = clock.nowMs() - (clock.movedMs?.() ?? 0)
    const server = serverMsAt(one, performance.now())
    const apart = own < server ? own - server : Math.max(0, own - server - one.tookMs)
    return Math.abs(apart) <= EVEN_MS ? 0 : apart
  }
  const apartMs = () => (heard === null ? null : apartFrom(heard))

  function doubt(): string | null {
    const apart = apartMs()
    if (apart === null) return 'the clock has not been compared with that of the database yet'
    if (Math.abs(apart) <= MOST_APART_MS) return null
    const seconds = (Math.abs(apart) / 1000).toFixed(1)
    return `the clock of this process is ${seconds} s ${apart > 0 ? 'ahead of' : 'behind'} that of the database`
  }

  function earlierMs(): number {
    const stepped = beforeStep !== null && performance.now() < beforeStep.untilMs ? apartFrom(beforeStep) : 0
    return clock.nowMs() - Math.max(0, apartMs() ?? 0, stepped)
  }

  function take(answer: Heard): void {
    const before = heard
    heard = answer
    if (before === null || answer.serverMs - serverMsAt(before, answer.atMs) - before.tookMs <= MOST_APART_MS)
      return
    const untilMs = answer.atMs + STEP_REMEMBERED_MS
    beforeStep = {
      ...(beforeStep !== null && answer.atMs < beforeStep.untilMs ? beforeStep : before),
      untilMs,
    }
  }

  return {
    apartMs,
    doubt,
    earlierMs,
    earlier: () => new Date(earlierMs()),
    async look() {
      const askedMs = performance.now()
      const [row] = await directory.query(TIME)
      const atMs = performance.now()
      if (row === undefined) return
      const tookMs = atMs - askedMs
      if (heard === null || tookMs <= Math.max(QUICK_MS, heard.tookMs) || atMs - heard.atMs > STALE_MS)
        take({ serverMs: row.at.getTime(), atMs, tookMs })
      const says = doubt()
      if ((says !== null) !== doubted) log.warn({ apart_ms: apartMs() }, says ?? 'the clocks agree again')
      doubted = says !== null
    },
  }
}
