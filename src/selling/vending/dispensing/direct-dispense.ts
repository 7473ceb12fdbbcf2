import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import type { Answer } from '../../../api/http/answer.ts'
import {
  addKeys,
  answerForObject,
  findKeys,
  finishKey,
  freeKey,
  type KeyOwner,
  type KeyUse,
} from '../../../api/idempotency/keys.ts'
import { toStoredRefusal } from '../../../api/idempotency/refused-answer.ts'
import { findReplay, type KeyedRequest, retryWhileKeyHeld, toKeyUse } from '../../../api/idempotency/under-key.ts'
import { findTerms, merchantInactive } from '../../../merchants/account/merchant.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import { lockCharges } from '../../../payments/charges/lock-charges.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { newId, parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import {
  chargeNotSucceeded,
  machineNotRegistered,
  supplierNotConfigured,
  vendingOff,
  vendingTermsOf,
} from '../orders/order-rules.ts'
import type { DispenseClaim } from './claim.ts'
import { claimTurns } from './claim-order.ts'
import { directRefusal, lockAnsweredClaim, presentDispense } from './direct-answer.ts'
import { type DirectDispense, type DirectDispenseBody, parseDirectDispense } from './dispense-request.ts'
import { addDispenseClaim } from './move-claim.ts'
import { sendCommand } from './send-command.ts'

/** One POST /v1/vending/dispense; `parseDirectDispense` reads its body. The key is optional (G57). */
export type DispenseRequest = KeyedRequest & { given: DirectDispenseBody }

/** `claimed`: the claim is stored, nothing has been sent. `answer`: the stored answer, or the answer of a refusal. */
type ClaimOrAnswer = { kind: 'claimed'; claim: DispenseClaim } | { kind: 'answer'; answer: Answer }

const ORDER_OF_CHARGE = statement<{ id: string }>(
  'vending order of charge',
  'select o.id from vending_orders o where o.merchant_id = $1 and o.id = $2',
)
const LAST_ATTEMPT = statement<{ attempt: number }>(
  'last attempt of direct dispense',
  `select coalesce(max(k.attempt), 0)::int as attempt from dispense_claims k
   where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'direct'`,
)

const chargeAlreadyUsed = () =>
  new Refusal(409, 'conflict', 'this charge has already paid for a dispense', { stored: true })

/**
 * Uses a succeeded charge for one command to a machine, for merchants with their own payment flow (contract.md G36): stores claim
 * and key in one commit, then sends the command, which is never sent twice. Throws Refusal for what is not kept under the key;
 * if the supplier refuses (502), charge and key are free again.
 */
export async function dispenseDirect(app: App, request: DispenseRequest): Promise<Answer> {
  allow(request.caller, 'order.dispense')
  const use = toKeyUse(request)
  if (use === null) return finishDispense(app, await claimDirect(app, request, null), null)
  return app.keysInFlight.during(use, async () =>
    finishDispense(app, await retryWhileKeyHeld(() => claimDirect(app, request, use)), use),
  )
}

function claimDirect(app: App, request: DispenseRequest, use: KeyUse | null): Promise<ClaimOrAnswer> {
  return claimTurns(app).run(request.caller.merchantId, () => claimInTurn(app, request, use))
}

function claimInTurn(app: App, request: DispenseRequest, use: KeyUse | null): Promise<ClaimOrAnswer> {
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: ClaimOrAnswer; last?: readonly Call[] }> => {
    const replayed = use === null ? null : await findReplay(tx, use)
    if (replayed !== null) return { value: { kind: 'answer', answer: replayed } }
    const input = parseDirectDispense(request.given)
    try {
      const claim = await decideClaim(tx, { caller: request.caller, input, at })
      const keyWrites = use === null ? [] : addKeys([{ ...use, answer: null, objectId: claim.id }], at)
      return { value: { kind: 'claimed', claim }, last: keyWrites }
    } catch (error) {
      const answer = toStoredRefusal(error, request.requestId)
      if (answer === null) throw error
      const keyWrites = use === null ? [] : addKeys([{ ...use, answer, objectId: null }], at)
      return { value: { kind: 'answer', answer }, last: keyWrites }
    }
  })
}

type ClaimDecisionInput = { caller: Caller; input: DirectDispense; at: Date }

/**
 * Checks the rules in the order of contract.md G36, one refusal a line, and claims the charge. The claim comes last, so that
 * a typing error never uses up a charge.
 */
async function decideClaim(tx: Tx, { caller, input, at }: ClaimDecisionInput): Promise<DispenseClaim> {
  const { merchantId, tag, mode } = caller
  const { machine, orderId } = input
  const own = parseTag('txn_', input.chargeId) === tag ? [{ merchantId, id: input.chargeId }] : []
  const [[terms], [locked], [vending], [last]] = await tx.send(
    findTerms([merchantId]),
    lockCharges(own),
    vendingTermsOf(merchantId, machine),
    call(LAST_ATTEMPT, merchantId, orderId),
  )
  assert(terms && vending && last, 'a merchant with a key has a row')
  if (!terms.active) throw merchantInactive(terms)
  if (!vending.vendingEnabled) throw vendingOff()
  const charge = locked?.mode === mode ? locked : null
  if (charge === null) throw notFound('charge')
  if (charge.status !== 'succeeded') throw chargeNotSucceeded(charge.status)
  if (vending.machine === null) throw machineNotRegistered()
  if (mode === 'live' && !vending.supplierConfigured) throw supplierNotConfigured()
  if (await paysForOrder(tx, charge)) throw chargeAlreadyUsed()
  const claim = newDirectClaim({
    caller,
    input: { ...input, machine: vending.machine },
    attempt: last.attempt + 1,
  })
  const [[added]] = await tx.send(addDispenseClaim(claim, at))
  if (!added) throw chargeAlreadyUsed()
  return claim
}

/** Whether a charge was paid for a vending order: then it belongs to that order, dispensed or not. */
async function paysForOrder(tx: Tx, { merchantId, paymentLinkId }: Charge): Promise<boolean> {
  if (paymentLinkId === null) return false
  const [orders] = await tx.send(call(ORDER_OF_CHARGE, merchantId, paymentLinkId))
  return orders.length > 0
}

function newDirectClaim({
  caller,
  input,
  attempt,
}: {
  caller: Caller
  input: DirectDispense
  attempt: number
}): DispenseClaim {
  const { merchantId, mode, tag } = caller
  return { ...input, merchantId, mode, id: newId('dclm_', tag), kind: 'direct', attempt }
}

/** Sends the command of a new claim and stores the answer under the key. */
async function finishDispense(app: App, stored: ClaimOrAnswer, owner: KeyOwner | null): Promise<Answer> {
  if (stored.kind === 'answer') return stored.answer
  await sendCommand(app, stored.claim)
  const answer = await app.db.transactionFor({ kind: 'outcome' }, (tx) => decideAnswer(tx, stored.claim, owner))
  if (answer instanceof Refusal) throw answer
  return answer
}

/** Decides the answer on the locked claim. The job that finishes orphaned keys does the same; the first of the two counts. */
async function decideAnswer(
  tx: Tx,
  claimed: DispenseClaim,
  owner: KeyOwner | null,
): Promise<{ value: Answer | Refusal; last?: readonly Call[] }> {
  const [[claim], [key]] = await tx.send(lockAnsweredClaim(claimed), findKeys(owner === null ? [] : [owner]))
  assert(claim, 'a claim is never deleted')
  const keyHolder = owner === null ? null : { ...owner, objectId: claim.id }
  const storedAnswer = keyHolder && key ? answerForObject(keyHolder, key) : null
  if (storedAnswer !== null) return { value: storedAnswer }
  const refusal = directRefusal(claim)
  const answer = { status: 200, body: JSON.stringify(presentDispense(claim)), objectId: claim.orderId }
  const keyWrites = keyHolder === null ? [] : [refusal === null ? finishKey(keyHolder, answer) : freeKey(keyHolder)]
  return { value: refusal ?? answer, last: keyWrites }
}
