import type { Database } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import type { Clock } from './clock.ts'

/** Compares the clock of this process with that of the database server (reliability.md F45), which is asked every two seconds. */
export type ClockWitness = {
  /** Asks the server for its time. Throws DatabaseAway; then the last answer stays in force. */
  askServer(): Promise<void>
  /** How far the clock of this process is ahead (negative: behind), in ms; 0 within what can be measured; null before the first answer. */
  apartMs(): number | null
  /** A sentence why nothing may be done that depends on the time; null while the clocks agree. */
  doubt(): string | null
  /** The earlier of both clocks, for decisions that cannot be undone. */
  earlier(): Date
  /** `earlier` in ms. */
  earlierMs(): number
}

type ClockWitnessOptions = {
  clock: Clock
  directory: Pick<Database, 'query'>
  log: { warn(fields: object, message: string): void }
}

/** A time that the server gave, and when it arrived, on the monotonic clock. The server read its clock within the `tookMs` before. */
type ServerTime = { serverMs: number; atMs: number; tookMs: number }

export const WITNESS_EVERY_MS = 2000

// The only time of the database that the product reads. It is compared with ours, and the earlier of both is used; nothing is dated by it.
const TIME = statement<{ at: Date }>('time of the server', 'select clock_timestamp() as at')
const MAX_APART_MS = 2000
// A smaller difference comes from the rounding of both clocks and the wait for a processor.
const NOISE_MS = 100
// A slow answer is less exact than a quick one before it, and does not replace it for a minute.
const QUICK_MS = 1000
const STALE_MS = 60_000
// When the server's clock has stepped ahead, as on a machine that both share, the time before the step counts on too for what cannot be
// undone: long enough for a wrong minute to be over.
const STEP_REMEMBERED_MS = 5 * 60_000

/** The server's time at a moment of the monotonic clock, in ms. */
const serverMsAt = ({ serverMs, atMs }: ServerTime, monotonicMs: number) => serverMs + monotonicMs - atMs

/**
 * Between two answers the server's time goes on by the monotonic clock, so a step of our clock shows at once and not with the next
 * answer. A
 * clock that a test has moved on purpose is compared with the server's time moved as far.
 */
export function newClockWitness({ clock, directory, log }: ClockWitnessOptions): ClockWitness {
  let lastAnswer: ServerTime | null = null
  let beforeStep: (ServerTime & { untilMs: number }) | null = null
  let doubted = false

  const apartFrom = (answer: ServerTime): number => {
    const own = clock.nowMs() - (clock.movedMs?.() ?? 0)
    const server = serverMsAt(answer, performance.now())
    const apart = own < server ? own - server : Math.max(0, own - server - answer.tookMs)
    return Math.abs(apart) <= NOISE_MS ? 0 : apart
  }
  const apartMs = () => (lastAnswer === null ? null : apartFrom(lastAnswer))

  function doubt(): string | null {
    const apart = apartMs()
    if (apart === null) return 'the clock has not been compared with that of the database yet'
    if (Math.abs(apart) <= MAX_APART_MS) return null
    const seconds = (Math.abs(apart) / 1000).toFixed(1)
    return `the clock of this process is ${seconds} s ${apart > 0 ? 'ahead of' : 'behind'} that of the database`
  }

  function earlierMs(): number {
    const stepped = beforeStep !== null && performance.now() < beforeStep.untilMs ? apartFrom(beforeStep) : 0
    return clock.nowMs() - Math.max(0, apartMs() ?? 0, stepped)
  }

  function take(answer: ServerTime): void {
    const before = lastAnswer
    lastAnswer = answer
    if (before === null || answer.serverMs - serverMsAt(before, answer.atMs) - before.tookMs <= MAX_APART_MS) return
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
    async askServer() {
      const askedMs = performance.now()
      const [row] = await directory.query(TIME)
      const atMs = performance.now()
      if (row === undefined) return
      const tookMs = atMs - askedMs
      if (lastAnswer === null || tookMs <= Math.max(QUICK_MS, lastAnswer.tookMs) || atMs - lastAnswer.atMs > STALE_MS)
        take({ serverMs: row.at.getTime(), atMs, tookMs })
      const reason = doubt()
      if ((reason !== null) !== doubted) log.warn({ apart_ms: apartMs() }, reason ?? 'the clocks agree again')
      doubted = reason !== null
    },
  }
}
