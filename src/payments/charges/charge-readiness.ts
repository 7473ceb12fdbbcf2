import type { MaybePromise } from '../../platform/batches/maybe-promise.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { findRail, READINESS_WAIT_MS } from '../../rails/find-rail.ts'

/** Whether the rail can collect now, known before the rules are judged. The sandbox is always ready and has no installation. */
export type ChargeReadiness =
  | { kind: 'ready'; installation: string | null }
  | { kind: 'away'; retryAfterSeconds?: number }

/** Checks configuration, breaker and token of the rail, without a network call (rails.md 1.3). */
export function checkChargeReadiness(
  app: App,
  target: { mode: Mode; channel: string },
  waitMs = READINESS_WAIT_MS,
): MaybePromise<ChargeReadiness> {
  const rail = findRail(app, target)
  if (!rail?.collect) return { kind: 'away' }
  if (rail.simulated) return { kind: 'ready', installation: null }
  return rail
    .readiness('collect', app.deadlineIn(waitMs))
    .then((verdict) =>
      verdict.kind === 'ready'
        ? { kind: 'ready', installation: verdict.installation }
        : { kind: 'away', retryAfterSeconds: verdict.retryAfterSeconds },
    )
}
