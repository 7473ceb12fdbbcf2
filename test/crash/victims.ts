import { setTimeout as sleep } from 'node:timers/promises'
import type { End, Running } from './processes.ts'

// A busy machine takes time to start a process; only a failing case waits this long.
export const PASSED_WITHIN_MS = 120_000

/** Ends the wait for a process that does not die at its point. */
export const untilTooLate = (): Promise<null> => sleep(PASSED_WITHIN_MS, null, { ref: false })

/** Waits until the process has killed itself at its point, or until the time is over; afterwards none of its processes runs. */
export async function killedBy(
  victim: Running,
  crashPoint: string,
  underWay: readonly Promise<unknown>[] = [],
): Promise<string[]> {
  const end = await Promise.race([victim.ended, untilTooLate()])
  await victim.kill()
  await Promise.all(underWay)
  return notKilled(end, crashPoint)
}

export const notKilled = (end: Pick<End, 'signal'> | { signal: string | null } | null, crashPoint: string): string[] =>
  end?.signal === 'SIGKILL' ? [] : [`${crashPoint} was not passed`]

/** Looks until there is something; on a busy machine that takes time. */
export async function untilThere<Thing>(what: string, look: () => Promise<Thing | null | undefined>): Promise<Thing> {
  const giveUpAt = performance.now() + PASSED_WITHIN_MS
  for (;;) {
    const thing = await look()
    if (thing !== null && thing !== undefined) return thing
    if (performance.now() > giveUpAt) throw new Error(`not in time: ${what}`)
    await sleep(50)
  }
}
