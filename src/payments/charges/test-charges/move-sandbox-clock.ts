import { type Actor, serviceActor } from '../../../api/access/actor.ts'
import { advanceTestClock } from '../../../merchants/account/test-clock.ts'
import type { App } from '../../../program/app.ts'
import { settleLedger } from '../settle-charges.ts'

/**
 * Moves a merchant's test clock forward and settles what is due then; whatever else is due follows with its own sweep. Returns
 * null when `advance` is no step that the clock knows.
 */
export async function moveSandboxClock(
  app: App,
  actor: Actor,
  { merchantId, advance }: { merchantId: number; advance: string },
): Promise<{ offsetMs: number; testTime: Date; settled: number } | null> {
  const moved = await advanceTestClock(app, actor, { merchantId, advance })
  if (moved === null) return null
  return { ...moved, settled: await followSandboxClock(app, merchantId) }
}

/** Does what the moved clock has made due, and returns how many charges were settled. */
export function followSandboxClock(app: App, merchantId: number): Promise<number> {
  app.nudge('run-schedules')
  return settleLedger(app, serviceActor('sandbox clock'), { merchantId, mode: 'test' })
}
