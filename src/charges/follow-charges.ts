import type { App } from '../app.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { statement } from '../platform/db/statement.ts'
import { askAboutMovement } from '../rails/ask.ts'
import { followSafely } from '../rails/follow-safely.ts'
import type { Deadline } from '../rails/rail.ts'
import { CHARGE_MOVER, type DueCharge, type FollowedCharge } from './charge-mover.ts'
import { claimLive, DUE_COLUMNS } from './write-charge-status.ts'

/**
 * Charges in one run. Those that become due meanwhile are left for the next run, because few large batches cost less than
 * many small ones.
 */
export const FOLLOWED_AT_ONCE = 1000
const LIVE_AT_ONCE = 32
// So that a contract that does not answer leaves places for the others.
const ONE_CONTRACT_AT_ONCE = 24
const CLAIMED_AT_ONCE = 8
// After this long a question is asked again, in case its worker died.
const LEASE_MS = 30_000
const QUESTION_DEADLINE_MS = 12_000

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
  tag: '',
} satisfies Omit<FollowedCharge, keyof DueCharge>

/** Follows open charges. `stop` waits for live questions that were started. */
export type ChargeFollower = { start(): Promise<number>; stop(): Promise<void> }

/**
 * Asks the rail about every open charge that is due, and ends those with a final answer (rails.md section 4). Nothing else
 * ends a charge: not its age, not silence, not `not_found`. A slow operator delays neither the sandbox nor other questions:
 * live questions are started, not awaited, and one contract never has all the places.
 */
export function chargeFollower(app: App): ChargeFollower {
  const asking = new Map<Promise<unknown>, string>()

  function begin(charge: FollowedCharge): void {
    const work = follow(app, charge, app.deadlineIn(QUESTION_DEADLINE_MS)).catch((error) =>
      app.log.warn({ err: error, object_id: charge.id }, 'a charge waits for the database'),
    )
    asking.set(work, charge.installation)
    work.finally(() => asking.delete(work))
  }

  async function startLive(): Promise<number> {
    const now = app.clock.now()
    const leaseUntil = new Date(app.clock.nowMs() + LEASE_MS)
    let started = 0
    for (let round = 0; round < LIVE_AT_ONCE / CLAIMED_AT_ONCE; round += 1) {
      const free = Math.min(CLAIMED_AT_ONCE, LIVE_AT_ONCE - asking.size)
      if (free <= 0) break
      const claim = claimLive({ now, leaseUntil }, { places: free, full: fullOnes([...asking.values()]) })
      const due = await app.db.query(claim.statement, claim.values)
      for (const charge of due) begin(charge)
      started += due.length
      if (due.length < free) break
    }
    return started
  }

  return {
    async start() {
      const test = await app.db.query(DUE_TEST, [app.clock.now().toISOString(), FOLLOWED_AT_ONCE])
      crashPoint('charge.sandbox-due')
      const live = app.rails.live.op1_momo ? await startLive() : 0
      // The sandbox calls nobody: one deadline serves all its rows.
      const deadline = app.deadlineIn(QUESTION_DEADLINE_MS)
      const followed = await Promise.all(
        test.map((charge) => follow(app, Object.assign(charge, NEVER_SENT), deadline)),
      )
      return followed.filter(Boolean).length + live
    },
    async stop() {
      await Promise.all(asking.keys())
    },
  }
}

/** Contracts that have used all their places. */
const fullOnes = (underWay: readonly string[]): string[] =>
  [...new Set(underWay)].filter(
    (one) => underWay.filter((other) => other === one).length > ONE_CONTRACT_AT_ONCE - CLAIMED_AT_ONCE,
  )

const follow = (app: App, charge: FollowedCharge, deadline: Deadline): Promise<boolean> =>
  followSafely(app, CHARGE_MOVER, charge, () =>
    askAboutMovement(app, CHARGE_MOVER, { row: charge, deadline }),
  )
