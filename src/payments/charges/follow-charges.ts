import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { type LiveFollower, liveFollower } from '../../rails/following/follow-live.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import { CHARGE_MOVER } from './charge-mover.ts'
import { askSandbox } from './test-charges/ask-sandbox.ts'
import { takeDueTestCharges } from './test-charges/due-test-charges.ts'
import { LIVE_CHARGE_CLAIMS } from './write-charge-status.ts'

/**
 * How many test charges one run takes. Those that become due meanwhile are left for the next run, because few large batches
 * cost less than many small ones.
 */
export const TEST_CHARGES_PER_RUN = 1000

/**
 * Asks the rail about every open charge that is due, and finishes those with a final answer (rails.md section 4). Nothing else
 * finishes a charge: not its age, not silence, not `not_found`. Live questions never delay the sandbox.
 */
export function chargeFollower(app: App): LiveFollower {
  const live = liveFollower(app, CHARGE_MOVER, LIVE_CHARGE_CLAIMS)
  return {
    async start() {
      const testCharges = await takeDueTestCharges(app, TEST_CHARGES_PER_RUN)
      // Nothing is written yet: where the process ends here, any process reads these charges from the table.
      crashPoint('charge.sandbox-due')
      const started = hasLiveRail(app) ? await live.start() : 0
      return (await askSandbox(app, testCharges)) + started
    },
    stop: live.stop,
  }
}
