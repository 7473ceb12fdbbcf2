import { readFileSync } from 'node:fs'
import { rounded } from './figures.ts'
import { cpuOfTrees } from './processes.ts'

/** A second of a measurement, and how many ms of processor time in it went to others than the measurement. */
export type Second = { at: number; stolen_ms: number | null; longest_pause_ms: number }

type Ours = { service: { pid: number }; postgres: { pid: number } }

const SECOND_MS = 1000
const PAUSE_MS = 5
// On two processors: a tenth of the machine, or one turn that it took away for longer than an answer may take.
const MOST_STOLEN_MS = 200
const LONGEST_PAUSE_MS = 20
const TICK_MS = 10

/**
 * Watches what the machine does beside the measurement: processor time that the host took, or that other processes used, and
 * moments in which this process, which does little, did not run. `stop` answers the seconds so far.
 */
export function watchMachine(ours: Ours): { stop(): Second[] } {
  const seconds: Second[] = []
  let last = read(ours)
  let longest = 0
  let ranAt = performance.now()
  const pauses = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - ranAt - PAUSE_MS)
    ranAt = now
  }, PAUSE_MS)
  const sampling = setInterval(() => {
    const now = read(ours)
    const stolen = last === null || now === null ? null : Math.max(0, now.foreign - last.foreign)
    seconds.push({
      at: performance.now() - SECOND_MS,
      stolen_ms: rounded(stolen, 0),
      longest_pause_ms: rounded(longest, 1) ?? 0,
    })
    last = now
    longest = 0
  }, SECOND_MS)
  return {
    stop() {
      clearInterval(pauses)
      clearInterval(sampling)
      return seconds
    },
  }
}

/** Whether the measurement had the machine to itself. */
export const isQuiet = ({ stolen_ms, longest_pause_ms }: Second): boolean =>
  (stolen_ms ?? 0) <= MOST_STOLEN_MS && longest_pause_ms <= LONGEST_PAUSE_MS

/** Processor ms so far that were not ours: of everything that ran or was taken by the host, less our own. */
function read({ service, postgres }: Ours): { foreign: number } | null {
  const own = cpuOfTrees([service.pid, postgres.pid, process.pid])
  if (own === null) return null
  try {
    const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string).split(/\s+/)
    // user, nice, system, idle, iowait, irq, softirq, steal.
    const ticks = fields.slice(0, 8).map(Number)
    const busy = ticks.reduce((sum, some, at) => (at === 3 || at === 4 ? sum : sum + some), 0)
    return { foreign: busy * TICK_MS - own * 1000 }
  } catch {
    return null
  }
}
