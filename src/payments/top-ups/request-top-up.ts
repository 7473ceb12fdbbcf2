import type { Actor } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { keyInFlight, keyReused } from '../../api/idempotency/keys.ts'
import { judgeLimits } from '../../merchants/account/amount-limits.ts'
import { lockTerms, type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { newId, uuidFor } from '../../platform/text/ids.ts'
import { requirePhone } from '../../platform/text/phone.ts'
import { type Moment, momentAt } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { addAttempts } from '../../rails/attempts.ts'
import { DEFAULT_CHANNEL } from '../../rails/rail.ts'
import { judgeRailAmount } from '../../rails/rail-amounts.ts'
import { checkChargeReadiness } from '../charges/charge-readiness.ts'
import { railUnavailable, verificationRequired } from '../charges/charge-rules.ts'
import { balanceFull, balanceTotals, headroomFor } from '../charges/headroom.ts'
import { findTopUp, topUpByKey } from './find-top-ups.ts'
import { submitTopUp } from './submit-top-up.ts'
import { TOP_UP_PREFIX, type TopUp } from './top-up.ts'
import { addTopUp } from './write-top-ups.ts'

/** A request of a top-up: whole UGX from this phone. A repeat with the same key requests nothing new. */
export type TopUpInput = { merchantId: number; amount: number; phone: string; key?: string | undefined }

type KeyedTopUpInput = Omit<TopUpInput, 'key'> & { key: string | null }
type CheckedRail = { installation: string | null; refusal: Refusal | null }
/** `made`: false if an earlier request with this key made it. */
export type TopUpResult = { topUp: TopUp; made: boolean }
/** `mark`: when it was marked as sending; null if an earlier request with this key made it. */
type StoredTopUp = { topUp: TopUp; mark: Moment | null }

// A token was seen to take 20 s (rails.md 3.4).
const TOKEN_WAIT_MS = 40_000

/**
 * Asks a phone for money that goes to the merchant's own live balance (G74): stores the top-up, then asks the rail with no
 * transaction open. Returns the top-up as it is after that. Throws Refusal: 400 with nothing written, 409 while the first
 * request of this key is under way, 502 if the rail did not accept it and the top-up was taken back.
 */
export async function requestTopUp(app: App, actor: Actor, request: TopUpInput): Promise<TopUpResult> {
  allow(actor, 'top-up.request', request.merchantId)
  requireLiveMode(actor)
  const phone = requirePhone(request.phone, 'phone')
  const input = { ...request, phone, key: request.key ?? null }
  // The process of a command starts without a token and exits with the command, so no process would record a late answer.
  const untilAnswered = actor.kind === 'command'
  const ready = await checkRail(app, untilAnswered ? TOKEN_WAIT_MS : undefined)
  const { topUp, mark } = await retryOnUniqueViolation(() => storeTopUp(app, actor, { input, ready }))
  if (mark === null) return { topUp, made: false }
  assert(ready.installation !== null, 'it was stored because its rail was ready')
  await submitTopUp(app, { topUp, mark, installation: ready.installation, untilAnswered })
  app.nudge('follow-top-ups')
  const published = await findTopUp(app, topUp.merchantId, topUp.id)
  assert(published, 'what its rail may have taken is shown')
  return { topUp: published, made: true }
}

async function checkRail(app: App, waitMs?: number): Promise<CheckedRail> {
  const readiness = await checkChargeReadiness(app, { mode: 'live', channel: DEFAULT_CHANNEL }, waitMs)
  if (readiness.kind === 'ready') return { installation: readiness.installation, refusal: null }
  return { installation: null, refusal: railUnavailable(readiness.retryAfterSeconds) }
}

function storeTopUp(
  app: App,
  actor: Actor,
  { input, ready }: { input: KeyedTopUpInput; ready: CheckedRail },
): Promise<StoredTopUp> {
  const { merchantId, amount, phone, key } = input
  const at = app.clock.now()
  const merchantMode = { merchantId, mode: 'live' as const }
  return app.db.transactionFor({ kind: 'in', of: merchantId }, async (tx) => {
    const [before] = key === null ? [] : (await tx.send(topUpByKey(merchantId, key)))[0]
    if (before !== undefined) return { value: findSameTopUp(before, input) }
    const [[terms], balances] = await tx.send(lockTerms([merchantId]), balanceTotals([merchantMode]))
    assert(terms, 'a merchant that is acted on has a row')
    judgeTopUp(app, input, terms)
    const headroom = await headroomFor(tx, [{ ...merchantMode, amount }], balances)
    if (!headroom.take({ ...merchantMode, amount })) throw balanceFull()
    if (ready.refusal !== null) throw ready.refusal
    const topUp = newTopUp(input, terms, at)
    const act = { actor, action: 'top-up.request', at, merchantId, mode: 'live' } as const
    return {
      value: { topUp, mark: momentAt(at) },
      last: [
        addTopUp(topUp, key),
        ...addAttempts(app, [newTopUpAttempt(topUp, ready.installation)]),
        auditRow({ ...act, subject: topUp.id, after: { amount, phone } }),
      ],
    }
  })
}

/** Throws the refusal of the first domain rule that the request breaks; the limits of the rail come last. */
function judgeTopUp(app: App, { amount }: KeyedTopUpInput, terms: MerchantTerms): void {
  if (!terms.active) throw merchantInactive(terms)
  judgeLimits(amount, { most: app.config.amountMax, own: null, noun: 'charge' })
  if (terms.kycStatus !== 'verified') throw verificationRequired()
  judgeRailAmount({ mode: 'live', side: 'collect', amount }, app.config)
}

/** The top-up of an earlier request with this key. Throws 409 if that request differs or is still under way. */
function findSameTopUp({ published, ...topUp }: TopUp & { published: boolean }, input: KeyedTopUpInput): StoredTopUp {
  if (topUp.amount !== input.amount || topUp.phone !== input.phone) throw keyReused()
  if (!published) throw keyInFlight()
  return { topUp, mark: null }
}

function newTopUp({ merchantId, amount, phone }: KeyedTopUpInput, { tag }: MerchantTerms, at: Date): TopUp {
  const id = newId(TOP_UP_PREFIX, tag)
  return {
    merchantId,
    id,
    mode: 'live',
    status: 'pending',
    amount,
    channel: DEFAULT_CHANNEL,
    phone,
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    createdAt: at,
    completedAt: null,
  }
}

function newTopUpAttempt(topUp: TopUp, installation: string | null) {
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
