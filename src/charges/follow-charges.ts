import type { App } from '../app.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { statement } from '../platform/db/statement.ts'
import { follow, type LiveFollower, liveFollower, QUESTION_DEADLINE_MS } from '../rails/follow-live.ts'
import { CHARGE_MOVER, type DueCharge, type FollowedCharge } from './charge-mover.ts'
import { DUE_COLUMNS, LIVE_CLAIMS } from './write-charge-status.ts'

/**
 * Charges in one run. Those that become due meanwhile are left for the next run, because few large batches cost less than
 * many small ones.
 */
export const FOLLOWED_AT_ONCE = 1000

// The sandbox calls nobody, so its rows need no lease: whoever asks twice finds the second move done already.
const DUE_TEST = statement<DueCharge>(
  'due test charges',
  `select ${DUE_COLUMNS} from charges c where c.follow_at <= $1 and c.mode = 'test' order by c.follow_at limit $2`,
)
// A test charge has no attempt.
const NEVER_SENT = {
  installation: 'sandbox',
  state: 'accepted',
  nth: 0,
  reposts: 0,
  firstSentAt: null,
  sendingSince: null,
  submitEndedAt: null,
  questionCount: 0,
  notFoundCount: 0,
  firstNotFoundAt: null,
  refusedAs: null,
  refusalToConfirm: false,
  callbackSeenAt: null,
  lastAnswer: null,
  tag: '',
} satisfies Omit<FollowedCharge, keyof DueCharge>

/**
 * Asks the rail about every open charge that is due, and ends those with a final answer (rails.md section 4). Nothing else
 * ends a charge: not its age, not silence, not `not_found`. Live questions never delay the sandbox.
 */
export function chargeFollower(app: App): LiveFollower {
  const live = liveFollower(app, CHARGE_MOVER, LIVE_CLAIMS)
  return {
    async start() {
      const test = await app.db.query(DUE_TEST, [app.clock.now().toISOString(), FOLLOWED_AT_ONCE])
      crashPoint('charge.sandbox-due')
      const started = app.rails.live.op1_momo ? await live.start() : 0
      // The sandbox calls nobody: one deadline serves all its rows.
      const deadline = app.deadlineIn(QUESTION_DEADLINE_MS)
      const followed = await Promise.all(
        test.map((charge) => follow(app, CHARGE_MOVER, { row: Object.assign(charge, NEVER_SENT), deadline })),
      )
      return followed.filter(Boolean).length + started
    },
    stop: live.stop,
  }
}
