import type { App } from '../app.ts'
import { openException } from '../exceptions/exception.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { call } from '../platform/db/database.ts'
import { classify, DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/phone.ts'
import { addEvidence, countQuestion, moveAttempt } from '../rails/attempts.ts'
import { nextQuestionMs } from '../rails/follow-ladder.ts'
import type { ChargeFailure, Deadline, Status } from '../rails/rail.ts'
import { type Charge, dueOf } from './charge.ts'
import { moveCharge } from './move-charge.ts'
import { attemptFor, attemptNameOf, endAsRefused } from './submit-live-charge.ts'

type Followed = Pick<
  Charge,
  | 'merchantId'
  | 'id'
  | 'mode'
  | 'amount'
  | 'giftCardAmount'
  | 'channel'
  | 'phone'
  | 'reference'
  | 'railReference'
  | 'createdAt'
> & {
  installation: string
  questionCount: number
  submitEndedAt: Date | null
  reposts: number
  /** With which word a post was refused. */
  refusedAs: ChargeFailure | null
  tag: string
}
type Answered = Status<ChargeFailure>

/** What one run takes. What falls due while it works is the next one's: few large batches cost less than many small ones. */
export const FOLLOWED_AT_ONCE = 1000
const LIVE_AT_ONCE = 32
// A contract that answers nothing leaves the other places to the others.
const ONE_CONTRACT_AT_ONCE = 24
const CLAIMED_AT_ONCE = 8
// A question is asked again after this long when its worker died over it.
const LEASE_MS = 30_000
const QUESTION_DEADLINE_MS = 12_000
const AFTER_TROUBLE_MS = 60_000

const COLUMNS = `c.merchant_id as "merchantId", c.id, c.mode, c.amount, c.gift_card_amount as "giftCardAmount", c.channel, c.phone, c.reference,
  c.rail_reference as "railReference", c.created_at as "createdAt"`

// The sandbox calls nobody, so its rows need no lease: whoever asks twice finds the second move done already.
const DUE_TEST = statement<Followed>(
  'due test charges',
  `select ${COLUMNS}, 'sandbox' as installation, 0 as "questionCount", null::timestamptz as "submitEndedAt", 0 as reposts,
     null as "refusedAs", '' as tag
   from charges c where c.follow_at <= $1 and c.mode = 'test' order by c.follow_at limit $2`,
)
const CLAIM_LIVE = statement<Followed>(
  'claim due live charges',
  `with due as (
     select c.merchant_id, c.id from charges c join rail_attempts a on a.merchant_id = c.merchant_id and a.subject = c.id
     where c.follow_at <= $1 and c.mode = 'live' and a.installation <> all($4::text[])
     order by c.follow_at limit $2 for no key update of c skip locked)
   update charges c set follow_at = $3,
     status = 'authorized', published = true
   from due, rail_attempts a, merchants m
   where c.merchant_id = due.merchant_id and c.id = due.id and m.id = c.merchant_id
     and a.merchant_id = c.merchant_id and a.subject = c.id
   returning ${COLUMNS}, a.installation, a.question_count as "questionCount", a.submit_ended_at as "submitEndedAt",
     a.reposts, a.refused_as as "refusedAs", m.tag`,
)
const ASK_AGAIN = statement(
  'ask about live charge again',
  `update charges set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null`,
)

/** Brings open charges forward; questions about live ones are on their way until `stop` has waited for them. */
export type ChargeFollower = { start(): Promise<number>; stop(): Promise<void> }

/**
 * Asks the rail about every open charge that is due, and moves those it has decided (rails.md section 4). Nothing else ends a
 * charge: not its age, not silence, not `not_found`. An operator that is slow with one holds up neither the sandbox nor the
 * questions about others: live questions are started, not awaited, and one contract never has all the places.
 */
export function chargeFollower(app: App): ChargeFollower {
  const asking = new Map<Promise<unknown>, string>()

  function begin(charge: Followed): void {
    const work = followSafely(app, charge, app.deadlineIn(QUESTION_DEADLINE_MS)).catch((error) =>
      app.log.warn({ err: error, object_id: charge.id }, 'a charge waits for the database'),
    )
    asking.set(work, charge.installation)
    work.finally(() => asking.delete(work))
  }

  async function startLive(): Promise<number> {
    const now = app.clock.now().toISOString()
    const lease = new Date(app.clock.nowMs() + LEASE_MS).toISOString()
    let started = 0
    for (let round = 0; round < LIVE_AT_ONCE / CLAIMED_AT_ONCE; round += 1) {
      const free = Math.min(CLAIMED_AT_ONCE, LIVE_AT_ONCE - asking.size)
      if (free <= 0) break
      const due = await app.db.query(CLAIM_LIVE, [now, free, lease, fullOnes([...asking.values()])])
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
      const followed = await Promise.all(test.map((charge) => followSafely(app, charge, deadline)))
      return followed.filter(Boolean).length + live
    },
    async stop() {
      await Promise.all(asking.keys())
    },
  }
}

/** The contracts that may not have one claim more. */
const fullOnes = (underWay: readonly string[]): string[] =>
  [...new Set(underWay)].filter(
    (one) => underWay.filter((other) => other === one).length > ONE_CONTRACT_AT_ONCE - CLAIMED_AT_ONCE,
  )

/** One charge's trouble delays that charge and nobody else; a database that is away stops the run. */
async function followSafely(app: App, charge: Followed, deadline: Deadline): Promise<boolean> {
  try {
    return await followOne(app, charge, deadline)
  } catch (error) {
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error(
      { err: error, object_id: charge.id },
      'following a charge failed; it is asked about again later',
    )
    const later = new Date(app.clock.nowMs() + AFTER_TROUBLE_MS).toISOString()
    await app.db.query(ASK_AGAIN, [charge.merchantId, charge.id, later])
    return false
  }
}

/** Whether the charge moved, or a question was asked and counted. */
async function followOne(app: App, charge: Followed, deadline: Deadline): Promise<boolean> {
  // The operator has said no to the only post there was: whoever heard it stored it, and could not apply it or is gone.
  if (charge.refusedAs !== null && charge.reposts === 0) {
    const { installation, refusedAs: reason } = charge
    await endAsRefused(app, { charge, installation }, { reason, alongside: [] })
    return true
  }
  const rail = app.rails[charge.mode][charge.channel as keyof (typeof app.rails)['test']]
  if (!rail?.collect) return false
  const attempt = attemptFor(charge, charge.installation)
  const answer = await rail.collect.status(attempt, deadline).catch((error): Answered => {
    app.log.error({ err: error, object_id: charge.id }, 'a rail threw on a status question')
    return {
      kind: 'unknown',
      evidence: { at: app.clock.now(), operation: 'status', stage: 'sent', elapsedMs: 0 },
    }
  })
  return apply(app, charge, answer)
}

async function apply(app: App, charge: Followed, answer: Answered): Promise<boolean> {
  switch (answer.kind) {
    case 'succeeded':
      if (!isAbout(charge, answer)) return reportMismatch(app, charge, answer)
      await moveCharge(app, {
        charge,
        to: { status: 'succeeded', railTransactionId: answer.railTransactionId },
        alongside: closing(app, charge, answer),
      })
      return true
    case 'failed':
      await moveCharge(app, {
        charge,
        to: { status: 'failed', reason: answer.reason },
        alongside: closing(app, charge, answer),
      })
      return true
    case 'pending':
    case 'not_found':
    case 'unknown':
      return charge.mode === 'live' ? askAgain(app, charge, answer) : false
  }
}

const referenceOf = (charge: Followed) => attemptNameOf(charge, charge.installation)

/** A live attempt ends with its charge; a test movement has none. */
function closing(app: App, charge: Followed, answer: Answered) {
  if (charge.mode === 'test') return []
  const attempt = referenceOf(charge)
  return [moveAttempt(attempt, 'ended', app.clock.now()), addEvidence(attempt, answer.kind, answer.evidence)]
}

/** Money moves only when what the operator says it moved is what was asked for (rails.md 1.4, rule 6). */
function isAbout(charge: Followed, answer: Extract<Answered, { kind: 'succeeded' }>): boolean {
  return (
    answer.amount === dueOf(charge) &&
    answer.currency === 'UGX' &&
    charge.phone !== null &&
    lastNine(answer.phone) === lastNine(charge.phone) &&
    answer.externalId === charge.id
  )
}

async function reportMismatch(
  app: App,
  charge: Followed,
  answer: Extract<Answered, { kind: 'succeeded' }>,
): Promise<boolean> {
  const now = app.clock.now()
  const details = { amount: answer.amount, currency: answer.currency, external_id: answer.externalId }
  const found = {
    merchantId: charge.merchantId,
    tag: charge.tag,
    mode: charge.mode,
    kind: 'rail_mismatch' as const,
    subject: charge.id,
    details,
  }
  app.log.error(
    { object_id: charge.id },
    'the rail reports another amount, party or reference than was asked for',
  )
  await app.db.transaction(async (tx) => {
    await tx.send(call(ASK_AGAIN, charge.merchantId, charge.id, nextTime(app, charge)))
    return {
      value: null,
      last: [...openException(found, now), addEvidence(referenceOf(charge), 'mismatch', answer.evidence)],
    }
  })
  return true
}

async function askAgain(app: App, charge: Followed, answer: Answered): Promise<boolean> {
  const notFoundAt = answer.kind === 'not_found' ? app.clock.now() : null
  const state = answer.kind === 'pending' ? 'accepted' : charge.submitEndedAt === null ? 'in_doubt' : null
  await app.db.transaction(async (tx) => {
    await tx.send(call(ASK_AGAIN, charge.merchantId, charge.id, nextTime(app, charge)))
    return {
      value: null,
      last: [
        countQuestion(referenceOf(charge), state, notFoundAt),
        addEvidence(referenceOf(charge), answer.kind, answer.evidence),
      ],
    }
  })
  return true
}

function nextTime(app: App, charge: Followed): string {
  const from = (charge.submitEndedAt ?? charge.createdAt).getTime()
  return new Date(nextQuestionMs(from, app.clock.nowMs())).toISOString()
}
