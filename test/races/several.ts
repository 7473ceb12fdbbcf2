import type { Verdict } from './fleet.ts'

/** The verdict over several rounds of one race. */
export const joined = (verdicts: readonly Verdict[]): Verdict => ({
  wrong: verdicts.flatMap(({ wrong }) => wrong),
  seen: verdicts.map(({ seen }) => seen).join('; '),
})

/** Clients that go on until they are told to stop; `heard` holds the answers so far. */
export const untilStopped = <Heard>(clients: readonly Promise<void>[], heard: readonly Heard[], stop: () => void) => ({
  /** Waits for this many more answers. */
  answered: async (count: number) => {
    const wanted = heard.length + count
    while (heard.length < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
  },
  end: async () => {
    stop()
    await Promise.all(clients)
    return heard
  },
})
