import type { Actor } from '../actors/actor.ts'
import { allow, requireLive } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { chargeReadiness } from '../charges/charge-readiness.ts'
import { railUnavailable, verificationRequired } from '../charges/charge-rules.ts'
import { balanceFull, headroomFor, heldBy } from '../charges/headroom.ts'
import { keyInFlight, keyReused } from '../idempotency/keys.ts'
import { judgeLimits } from '../merchants/amount-limits.ts'
import { lockTerms, type MerchantTerms, merchantInactive } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { newId, uuidFor } from '../platform/ids.ts'
import { type Mark, markAt } from '../platform/mark.ts'
import { requirePhone } from '../platform/phone.ts'
import type { Refusal } from '../platform/refusal.ts'
import { addAttempts } from '../rails/attempts.ts'
import type { Channel } from '../rails/rail.ts'
import { judgeRailAmount } from '../rails/rail-amounts.ts'
import { findTopUp, topUpOfKey } from './find-top-ups.ts'
import { submitTopUp } from './submit-top-up.ts'
import { TOP_UP_PREFIX, type TopUp } from './top-up.ts'
import { addTopUp } from './write-top-ups.ts'

/** Whole UGX from this phone. With the same key again nothing new is asked for. */
export type TopUpRequest = { merchantId: number; amount: number; phone: string; key?: string | undefined }

type Wanted = Omit<TopUpRequest, 'key'> & { key: string | null }
type Ready = { installation: string | null; refusal: Refusal | null }
/** `made` is false when this key has asked for it before. */
export type RequestedTopUp = { topUp: TopUp; made: boolean }
/** `mark`: when it was marked as sending; null where this key has asked for it before. */
type StoredTopUp = { topUp: TopUp; mark: Mark | null }

const CHANNEL: Channel = 'op1_momo'
// A token was seen to take 20 s (rails.md 3.4).
const TOKEN_WAIT_MS = 40_000

/**
 * Asks a phone for money that goes to the merchant's own live balance (G74): stored first, then the rail is asked with no
 * transaction open. Answers with the top-up as it stands then. Throws Refusal: 400 with nothing written, 409 while the first
 * request of this key is under way, 502 when the rail took nothing and nothing remains.
 */
export async function requestTopUp(app: App, actor: Actor, request: TopUpRequest): Promise<RequestedTopUp> {
  allow(actor, 'top-up.request', request.merchantId)
  requireLive(actor)
  const phone = requirePhone(request.phone, 'phone')
  const wanted = { ...request, phone, key: request.key ?? null }
  // The process of a command begins without a token, and ends with the command: nobody else would record a late answer.
  const untilAnswered = actor.kind === 'command'
  const ready = await readiness(app, untilAnswered ? TOKEN_WAIT_MS : undefined)
  const { topUp, mark } = await againWhenTaken(() => store(app, actor, { wanted, ready }))
  if (mark === null) return { topUp, made: false }
  assert(ready.installation !== null, 'it was stored because its rail was ready')
  await submitTopUp(app, { topUp, mark, installation: ready.installation, untilAnswered })
  app.nudge('follow-top-ups')
  const shown = await findTopUp(app, topUp.merchantId, topUp.id)
  assert(shown, 'what its rail may have taken is shown')
  return { topUp: shown, made: true }
}

async function readiness(app: App, waitMs?: number): Promise<Ready> {
  const found = await chargeReadiness(app, { mode: 'live', channel: CHANNEL }, waitMs)
  if (found.kind === 'ready') return { installation: found.installation, refusal: null }
  return { installation: null, refusal: railUnavailable(found.retryAfterSeconds) }
}

function store(
  app: App,
  actor: Actor,
  { wanted, ready }: { wanted: Wanted; ready: Ready },
): Promise<StoredTopUp> {
  const { merchantId, amount, phone, key } = wanted
  const at = app.clock.now()
  const place = { merchantId, mode: 'live' as const }
  return app.db.transactionFor({ kind: 'in', of: merchantId }, async (tx) => {
    const [before] = key === null ? [] : (await tx.send(topUpOfKey(merchantId, key)))[0]
    if (before !== undefined) return { value: madeBefore(before, wanted) }
    const [[terms], held] = await tx.send(lockTerms([merchantId]), heldBy([place]))
    assert(terms, 'a merchant that is acted on has a row')
    judgeTopUp(app, wanted, terms)
    const room = await headroomFor(tx, [{ ...place, amount }], held)
    if (!room.take({ ...place, amount })) throw balanceFull()
    if (ready.refusal !== null) throw ready.refusal
    const topUp = newTopUp(wanted, terms, at)
    const act = { actor, action: 'top-up.request', at, merchantId, mode: 'live' } as const
    return {
      value: { topUp, mark: markAt(at) },
      last: [
        addTopUp(topUp, key),
        ...addAttempts(app, [attemptOf(topUp, ready.installation)]),
        auditRow({ ...act, subject: topUp.id, after: { amount, phone } }),
      ],
    }
  })
}

/** The domain rules, one refusal a line; the rail comes last. */
function judgeTopUp(app: App, { amount }: Wanted, terms: MerchantTerms): void {
  if (!terms.active) throw merchantInactive(terms)
  judgeLimits(amount, { most: app.config.amountMax, own: null, noun: 'charge' })
  if (terms.kycStatus !== 'verified') throw verificationRequired()
  judgeRailAmount({ mode: 'live', side: 'collect', amount }, app.config)
}

function madeBefore({ published, ...topUp }: TopUp & { published: boolean }, wanted: Wanted): StoredTopUp {
  if (topUp.amount !== wanted.amount || topUp.phone !== wanted.phone) throw keyReused()
  if (!published) throw keyInFlight()
  return { topUp, mark: null }
}

function newTopUp({ merchantId, amount, phone }: Wanted, { tag }: MerchantTerms, at: Date): TopUp {
  const id = newId(TOP_UP_PREFIX, tag)
  return {
    merchantId,
    id,
    mode: 'live',
    status: 'pending',
    amount,
    channel: CHANNEL,
    phone,
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    createdAt: at,
    completedAt: null,
  }
}

function attemptOf(topUp: TopUp, installation: string | null) {
  assert(installation !== null, 'a top-up is stored when its rail is ready')
  return {
    merchantId: topUp.merchantId,
    reference: topUp.railReference,
    subject: topUp.id,
    side: 'collect' as const,
    channel: topUp.channel,
    installation,
    state: 'sending' as const,
    at: topUp.createdAt,
  }
}
