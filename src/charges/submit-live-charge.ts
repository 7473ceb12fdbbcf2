import type { App } from '../app.ts'
import type { Answer } from '../http/caller.ts'
import { finishKey, freeKey, type KeyOwner } from '../idempotency/keys.ts'
import { assert } from '../platform/assert.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Call } from '../platform/db/database.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import { Refusal, TooBusy } from '../platform/refusal.ts'
import type { AttemptFacts } from '../rails/attempt-facts.ts'
import { type AttemptState, addEvidence, keepRefusal, moveAttempt } from '../rails/attempts.ts'
import type { Attempt, Channel, ChargeFailure, Submitted } from '../rails/rail.ts'
import { type Charge, dueOf, presentCharge } from './charge.ts'
import { railUnavailable } from './charge-rules.ts'
import { endCards } from './end-cards.ts'
import { lockChargePosts } from './lock-charge-posts.ts'
import { type ChargeMove, type Moved, moveCharge } from './move-charge.ts'
import { publishCharge, takeBackCharge } from './write-charge-status.ts'

type Heard = Submitted<ChargeFailure>
type Parked = { parked: boolean }

/**
 * A stored live charge, the contract that will carry it, and the key that waits for its answer: null for a customer on a
 * hosted page, who has none.
 */
export type Submission = { charge: Charge; installation: string; owner: KeyOwner | null }

// The submit of the request that created the charge is its first post.
const FIRST_POST = 1
// The caller waits this long for the rail; the submit itself lives on to its own end (rails.md 3.8 rule 3).
const ANSWER_DEADLINE_MS = 5000
const SUBMIT_DEADLINE_MS = 25_000
export const KEPT_MS = 60_000

type Travelling = Pick<
  Charge,
  'id' | 'amount' | 'giftCardAmount' | 'channel' | 'phone' | 'reference' | 'railReference' | 'createdAt'
>

/** The attempt that carries this charge to its rail. */
export function attemptFor(charge: Travelling, installation: string): Attempt {
  assert(
    charge.railReference !== null && charge.phone !== null,
    'a charge that travels has a reference and a phone',
  )
  return {
    reference: charge.railReference,
    installation,
    publicId: charge.id,
    amount: dueOf(charge),
    currency: 'UGX',
    phone: charge.phone,
    note: charge.reference ?? '',
    createdAt: charge.createdAt,
  }
}

/**
 * Asks the rail to collect a stored live charge, outside any transaction, and records the answer (rails.md 3.8). Answers
 * 201 with the charge as `authorized`, or throws 502 when nothing was taken and nothing remains.
 */
export async function submitLiveCharge(app: App, work: Submission): Promise<Answer> {
  const { charge } = work
  crashPoint('charge.stored')
  const state: Parked = { parked: false }
  // Until it is recorded, only this process knows what the rail answered.
  const submitted = askToCollect(app, work).then((heard) =>
    againWhileAway(() => record(app, { ...work, heard, state }), KEPT_MS),
  )
  // A late answer is recorded whether or not the caller is still there.
  const late = submitted.catch((error) => {
    if (!(error instanceof Refusal) || error instanceof TooBusy)
      app.log.error(
        { err: error, object_id: charge.id },
        'recording a live submit failed; the follower goes on',
      )
    throw error
  })
  return Promise.race([late, parkAfterDeadline(app, { ...work, state, submitted: late })])
}

/** One submit to the rail. A throw counts as ambiguous, because it is unknown how far the call got. */
export async function askToCollect(
  app: App,
  { charge, installation }: { charge: Travelling; installation: string },
): Promise<Heard> {
  const rail = app.rails.live[charge.channel as Channel]
  assert(rail?.collect && !rail.simulated, 'a stored live charge has a live rail')
  const started = performance.now()
  try {
    crashPoint('charge.rail-sent')
    return await rail.collect.submit(attemptFor(charge, installation), app.deadlineIn(SUBMIT_DEADLINE_MS))
  } catch (error) {
    app.log.error({ err: error, object_id: charge.id }, 'a rail threw')
    return {
      kind: 'ambiguous',
      evidence: {
        at: app.clock.now(),
        operation: 'submit',
        stage: 'sent',
        elapsedMs: performance.now() - started,
      },
    }
  }
}

async function parkAfterDeadline(
  app: App,
  work: Submission & { state: Parked; submitted: Promise<Answer> },
): Promise<Answer> {
  const waited = await Promise.race([
    work.submitted.then(
      () => 'answered',
      () => 'answered',
    ),
    after(ANSWER_DEADLINE_MS),
  ])
  if (waited === 'answered') return work.submitted
  work.state.parked = true
  return publish(app, work, { state: 'in_doubt', submitEndedAt: null, evidence: [] })
}

type Verdict = Submission & { heard: Heard; state: Parked }

async function record(app: App, verdict: Verdict): Promise<Answer> {
  crashPoint('charge.rail-answered')
  const { heard, state, ...work } = verdict
  const attempt = attemptNameOf(work.charge, work.installation)
  const evidence = [addEvidence(attempt, heard.kind, heard.evidence)]
  const now = app.clock.now()
  switch (heard.kind) {
    case 'accepted':
      return publish(app, work, { state: 'accepted', submitEndedAt: now, evidence })
    case 'ambiguous':
      return publish(app, work, { state: 'in_doubt', submitEndedAt: now, evidence })
    case 'rejected':
    case 'unavailable':
      return recordNo(app, { ...work, heard, state })
  }
}

type No = Extract<Heard, { kind: 'rejected' | 'unavailable' }>

/** Stores the operator's refusal first, so that this process or another can apply it whatever happens next. */
async function recordNo(app: App, { heard, state, ...work }: Verdict & { heard: No }): Promise<Answer> {
  const { charge, installation, owner } = work
  const kept = await keepNo(app, work, heard)
  crashPoint('charge.no-kept')
  // After the 201 the charge exists, so the operator's proof that it took nothing makes it fail (rails.md 3.8 rule 3).
  if (kept === 'counts' && heard.kind === 'unavailable' && !state.parked && (await voidCharge(app, work)))
    throw railUnavailable(heard.retryAfterSeconds)
  const refused = { ...charge, installation, refusedAs: reasonOf(heard) }
  const alongside = finish(owner, firstAnswer(charge))
  if (
    kept === 'counts' &&
    (await endAsRefused(app, refused, { still: isRefusedOnce, alongside })) !== 'overtaken'
  )
    return firstAnswer(charge)
  // There were other posts, or the operator has since accepted one: only a later answer ends the charge.
  return publish(app, work, { state: null, submitEndedAt: null, evidence: [] })
}

const reasonOf = (heard: No): ChargeFailure => (heard.kind === 'rejected' ? heard.reason : 'rail_rejected')

/** Whether the attempt has a stored refusal of its only post. That refusal ends the charge. */
export const isRefusedOnce = ({ refusedAs, reposts, state }: AttemptFacts): boolean =>
  refusedAs !== null && reposts === 0 && state !== 'accepted'

/** Whether it counts, decided on the locked attempt and stored with its evidence. */
function keepNo(app: App, { charge, installation }: Submission, heard: No): Promise<'counts' | 'overtaken'> {
  const attempt = attemptNameOf(charge, installation)
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[found]] = await tx.send(lockChargePosts([charge]))
    assert(found, 'a live charge has an attempt')
    const counts = found.reposts === 0 && found.state !== 'accepted'
    // An earlier try of this process was committed, but the answer to its COMMIT was lost.
    if (counts && found.refusedAs !== null) return { value: 'counts' }
    const kept = keepRefusal(attempt, app.clock.now(), counts ? reasonOf(heard) : null)
    const evidence = addEvidence(attempt, heard.kind, heard.evidence)
    return { value: counts ? 'counts' : 'overtaken', last: [kept, evidence] }
  })
}

type Refused = Pick<Charge, 'merchantId' | 'id' | 'mode' | 'giftCardAmount' | 'railReference'> & {
  installation: string
  refusedAs: ChargeFailure | null
}

/** Ends a charge whose refusal is stored with its attempt, if that still holds on the locked rows. */
export function endAsRefused(
  app: App,
  charge: Refused,
  { still, alongside }: { still: NonNullable<ChargeMove['still']>; alongside: readonly Call[] },
): Promise<Moved> {
  assert(charge.refusedAs !== null, 'a refusal has its word')
  const ended = moveAttempt(attemptNameOf(charge, charge.installation), 'ended', null)
  const to = { status: 'failed', reason: charge.refusedAs } as const
  return moveCharge(app, { charge, to, still, alongside: [...alongside, ended] })
}

/** The attempt of a charge, and the contract that answered about it. */
export const attemptNameOf = (
  { merchantId, railReference }: Pick<Charge, 'merchantId' | 'railReference'>,
  installation: string,
) => ({
  merchantId,
  reference: railReference as string, // A charge that travels has one (attemptFor).
  installation,
})

const finish = (owner: KeyOwner | null, answer: Answer & { objectId: string }) =>
  owner === null ? [] : [finishKey(owner, answer)]

/** The 201 of every live charge: authorized, never final (G11a). */
function firstAnswer(charge: Charge): Answer & { objectId: string } {
  return {
    status: 201,
    body: JSON.stringify(presentCharge({ ...charge, status: 'authorized' })),
    objectId: charge.id,
  }
}

async function publish(
  app: App,
  { charge, owner, installation }: Submission,
  heard: { state: AttemptState | null; submitEndedAt: Date | null; evidence: readonly Call[] },
): Promise<Answer> {
  const answer = firstAnswer(charge)
  const attempt = attemptNameOf(charge, installation)
  const gone = await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[sent]] = await tx.send(lockChargePosts([charge]), publishCharge(app, charge))
    // The charge was taken back in the meantime, and its key may already belong to the next request.
    if (sent?.voided) return { value: true }
    // The charge before its key, as moveCharge takes them.
    const key = finish(owner, answer)
    // An earlier try was committed and its answer was lost: the evidence is stored already.
    if (heard.submitEndedAt !== null && sent?.submitEndedAt != null) return { value: false, last: key }
    // It was posted again in the meantime: an unclear answer to the first post says nothing about the second.
    const news = heard.state === 'accepted' || sent?.nth === FIRST_POST ? heard.state : null
    const moved = news === null ? [] : [moveAttempt(attempt, news, heard.submitEndedAt)]
    return { value: false, last: [...key, ...moved, ...heard.evidence] }
  })
  if (gone) throw railUnavailable()
  return answer
}

/**
 * Takes back a charge that was never shown. False, with nothing written, when it was shown. Also true when an earlier try
 * whose COMMIT was not answered has done it.
 */
async function voidCharge(app: App, { charge, owner, installation }: Submission): Promise<boolean> {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [voided, [now]] = await tx.send(takeBackCharge(charge, at), lockChargePosts([charge]))
    if (voided.length === 0) return { value: now?.voided === true }
    const freed = [...(owner === null ? [] : [freeKey(owner)]), ...freeCard(charge, at)]
    return { value: true, last: [...freed, moveAttempt(attemptNameOf(charge, installation), 'void', null)] }
  })
}

/** Frees what the charge had reserved on a gift card. */
const freeCard = ({ merchantId, id: chargeId, giftCardAmount }: Charge, at: Date): Call[] =>
  giftCardAmount === 0 ? [] : endCards([{ merchantId, chargeId, to: 'freed' }], at)

const after = (ms: number) => new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), ms).unref())
