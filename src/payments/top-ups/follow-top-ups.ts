import type { App } from '../../program/app.ts'
import { type LiveFollower, liveFollower } from '../../rails/following/follow-live.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import { TOP_UP_MOVER } from './top-up-mover.ts'
import { TOP_UP_CLAIMS } from './write-top-ups.ts'

/** Asks the rail about every open top-up that is due. Only the rail's final answer finishes one (rails.md section 4). */
export function topUpFollower(app: App): LiveFollower {
  const live = liveFollower(app, TOP_UP_MOVER, TOP_UP_CLAIMS)
  return { start: async () => (hasLiveRail(app) ? live.start() : 0), stop: live.stop }
}
