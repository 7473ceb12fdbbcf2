import { setTimeout as sleep } from 'node:timers/promises'
import type { End, Running } from './processes.ts'

// A crowded machine takes its time to start a process; only a case that fails waits for so long.
export const PASSED_WITHIN_MS = 120_000

/** Too late for a victim to die at its point. */
export const untilTooLate = (): Promise<null> => sleep(PASSED_WITHIN_MS, null, { ref: false })

/** Waits until the process has killed itself at its point, or long enough; then nothing of it lives. */
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

export const notKilled = (
  end: Pick<End, 'signal'> | { signal: string | null } | null,
  crashPoint: string,
): string[] => (end?.signal === 'SIGKILL' ? [] : [`${crashPoint} was not passed`])
