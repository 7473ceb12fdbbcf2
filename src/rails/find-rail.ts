import { assert } from '../platform/assert.ts'
import type { Mode } from '../platform/mode.ts'
import type { App } from '../program/app.ts'
import type { Channel, Rail } from './rail.ts'

/** How long a caller waits for the readiness of a rail, in ms. */
export const READINESS_WAIT_MS = 2000

/** Returns the rail of this channel in this mode; undefined where none is configured. */
export function findRail(
  app: Pick<App, 'rails'>,
  { mode, channel }: { mode: Mode; channel: string },
): Rail | undefined {
  const rails = app.rails[mode]
  const rail = Object.hasOwn(rails, channel) ? rails[channel as Channel] : undefined
  assert(mode === 'test' || !rail?.simulated, 'a live movement never meets a simulated rail')
  return rail
}
