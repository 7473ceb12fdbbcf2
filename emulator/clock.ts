/** The one source of time of the emulator, in ms of UTC. Virtual time stands still until it is moved. */
export type Clock = {
  nowMs(): number
  /** Does something later; in virtual time when the clock is moved past it. */
  after(ms: number, work: () => void | Promise<void>): void
  wait(ms: number): Promise<void>
  /** Virtual time only: runs what falls due, in order, and waits for what that starts. */
  advance(ms: number): Promise<void>
  stop(): void
}

const VIRTUAL_START_MS = Date.UTC(2026, 0, 1)
const NOW = Promise.resolve()

/** Waits as long as they last. `nowMs`: what it says the time is, where that is not the machine's. */
export function realClock(nowMs: () => number = Date.now): Clock {
  const timers = new Set<NodeJS.Timeout>()
  const after: Clock['after'] = (ms, work) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void work()
    }, ms)
    timers.add(timer)
  }
  return {
    nowMs,
    after,
    wait: (ms) => (ms <= 0 ? NOW : new Promise((resolve) => after(ms, resolve))),
    advance: async () => {
      throw new Error('only a virtual clock can be moved')
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

type Due = { at: number; work: () => void | Promise<void> }

export function virtualClock(startMs = VIRTUAL_START_MS): Clock {
  let now = startMs
  const due: Due[] = []
  const after: Clock['after'] = (ms, work) => {
    const at = now + Math.max(0, ms)
    due.splice(placeFor(due, at), 0, { at, work })
  }
  return {
    nowMs: () => now,
    after,
    wait: (ms) => (ms <= 0 ? NOW : new Promise((resolve) => after(ms, resolve))),
    async advance(ms) {
      const until = now + ms
      for (let next = due[0]; next !== undefined && next.at <= until; next = due[0]) {
        due.shift()
        now = Math.max(now, next.at)
        await next.work()
        // A request that waited goes on before the next entry.
        await new Promise((resolve) => setImmediate(resolve))
      }
      now = until
    },
    stop: () => {
      due.length = 0
    },
  }
}

/** Behind all that is due by then, so that entries of one time run in the order in which they were planned. */
function placeFor(due: readonly Due[], at: number): number {
  let low = 0
  let high = due.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((due[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
