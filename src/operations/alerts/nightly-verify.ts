import { toLoggedError } from '../../platform/log/error-log.ts'
import type { App } from '../../program/app.ts'
import { verifyStops } from '../verify/stops.ts'
import { verifyCell } from '../verify/verify.ts'
import { claimVerifyRun, finishVerifyRun } from '../verify/verify-runs.ts'
import { checkAudit } from './check-audit.ts'
import { recordVerifyResult } from './record-proofs.ts'

/**
 * Proves one cell: every invariant, and the chain of the audit. Runs at three in the morning of Kampala, later where no worker
 * ran then, and whenever it is asked for; one at a time over all workers. It reads in snapshots on connections for reports, so no payment
 * waits for it. Returns 1 if it ran, else 0.
 */
export async function verifyAtNight(app: App): Promise<number> {
  const id = await claimVerifyRun(app)
  if (id === null) return 0
  try {
    const findings = [...(await verifyCell(app.db, app.clock.now())), await verifyStops(app)]
    await finishVerifyRun(app, { id, ended: { findings } })
    await recordVerifyResult(app, findings)
  } catch (error) {
    await finishVerifyRun(app, { id, ended: { error: toLoggedError(error).message } })
    throw error
  }
  const chains = [
    { place: app.cell, db: app.db },
    { place: 'directory', db: app.directory },
  ]
  await checkAudit(app, chains, { by: 'nightly verify' })
  return 1
}
