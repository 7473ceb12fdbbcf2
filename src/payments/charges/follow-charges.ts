import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { type LiveFollower, liveFollower } from '../../rails/following/follow-live.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import { CHARGE_MOVER } from './charge-mover.ts'
import { askSandbox, TEST_CHARGES_PER_RUN } from './test-charges/ask-sandbox.ts'
import { takeDueTestCharges } from './test-charges/due-test-charges.ts'
import { LIVE_CHARGE_CLAIMS } from './write-charge-status.ts'

/**
 * Asks the rail about every open charge that is due, and finishes those with a final answer (rails.md section 4). Nothing else
 * finishes a charge: not its age, not silence, not `not_found`. Live questions never delay the sandbox.
 */
export function chargeFollower(app: App): LiveFollower {
  const live = liveFollower(app, CHARGE_MOVER, LIVE_CHARGE_CLAIMS)
  return {
    async start() {
      const testCharges = await takeDueTestCharges(app, TEST_CHARGES_PER_RUN)
      crashPoint('charge.sandbox-due')
      const started = hasLiveRail(app) ? await live.start() : 0
      return (await askSandbox(app, testCharges)) + started
    },
    stop: live.stop,
  }
}
