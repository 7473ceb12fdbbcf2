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

export function realClock(): Clock {
  const timers = new Set<NodeJS.Timeout>()
  const after: Clock['after'] = (ms, work) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void work()
    }, ms)
    timers.add(timer)
  }
  return {
    nowMs: () => Date.now(),
    after,
    wait: (ms) => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => after(ms, resolve))),
    advance: async () => {
      throw new Error('only a virtual clock can be moved')
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

export function virtualClock(startMs = VIRTUAL_START_MS): Clock {
  let now = startMs
  let order = 0
  let due: { at: number; order: number; work: () => void | Promise<void> }[] = []
  const after: Clock['after'] = (ms, work) => {
    order += 1
    due.push({ at: now + Math.max(0, ms), order, work })
  }
  const next = (until: number) =>
    due
      .filter(({ at }) => at <= until)
      .sort((a, b) => a.at - b.at || a.order - b.order)
      .at(0)
  return {
    nowMs: () => now,
    after,
    wait: (ms) => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => after(ms, resolve))),
    async advance(ms) {
      const until = now + ms
      for (let one = next(until); one !== undefined; one = next(until)) {
        due = due.filter((other) => other !== one)
        now = Math.max(now, one.at)
        await one.work()
      }
      now = until
    },
    stop: () => {
      due = []
    },
  }
}
