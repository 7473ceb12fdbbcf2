import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { findRail, READINESS_WAIT_MS } from '../../rails/find-rail.ts'
import type { Rail, Unavailable } from '../../rails/rail.ts'

/** Whether the rail can take a payout now. It is known before the rules are judged and reported after them. */
export type PayoutReadiness = { kind: 'ready'; installation: string } | Unavailable

/** Finds the rail that pays out on this channel in this mode; undefined where none is configured. */
export function findPayingRail(app: App, mode: Mode, channel: string): Rail | undefined {
  const rail = findRail(app, { mode, channel })
  return rail?.disburse ? rail : undefined
}

/**
 * Checks configuration, breaker and token of the rail, without a network call (rails.md 1.3), for the given installation or the
 * one that takes new payouts.
 */
export async function checkPayoutReadiness(
  app: App,
  { mode, channel }: { mode: Mode; channel: string },
  installation?: string,
): Promise<PayoutReadiness> {
  const rail = findPayingRail(app, mode, channel)
  if (rail) return rail.readiness('disburse', app.deadlineIn(READINESS_WAIT_MS), installation)
  const evidence = {
    at: app.clock.now(),
    operation: 'ready' as const,
    elapsedMs: 0,
    stage: 'gate' as const,
  }
  return {
    kind: 'unavailable',
    cure: 'person',
    why: 'rail not configured',
    retryAfterSeconds: 0,
    evidence,
  }
}
