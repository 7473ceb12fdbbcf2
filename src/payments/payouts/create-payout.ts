import { allow } from '../../api/access/allow.ts'
import { auditRows } from '../../api/access/audit-row.ts'
import type { Answer } from '../../api/http/answer.ts'
import { type CreatedAnswer, type CreateRequest, createUnderKeys } from '../../api/idempotency/create-under-keys.ts'
import { findKeys, type KeyUse } from '../../api/idempotency/keys.ts'
import { retryWhenKeyTaken } from '../../api/idempotency/under-key.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { findLimitedKey, listLimitedKeys } from '../../merchants/account/key-limits.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { batchByKind } from '../../platform/batches/batch-by-kind.ts'
import type { BatchTurn, ItemOutcome } from '../../platform/batches/batch-run.ts'
import { defineRequestLane } from '../../platform/batches/lane.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { type Desk, openDesk } from './desk/desk.ts'
import { lockDesk } from './desk/lock-desk.ts'
import type { NewPayout } from './new-payout.ts'
import { presentPayout } from './payout.ts'
import { checkPayoutReadiness, type PayoutReadiness } from './payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL, type PayoutCreate, readPayoutDetails } from './payout-request.ts'
import { judgePayout } from './payout-rules.ts'
import { type ApprovalInProgress, type CheckerChecks, openChecks } from './prepared/open-checks.ts'
import { submitLivePayout } from './sending/submit-live-payout.ts'

/** One POST /v1/payouts with a valid body. `prepared`: the prepared payout that its caller approves with it, if any. */
export type PayoutRequest = CreateRequest<PayoutCreate> & { prepared?: ApprovalInProgress }
type KeyedPayoutRequest = PayoutRequest & KeyUse & { readiness: PayoutReadiness }
type PayoutCreation = Batch<KeyedPayoutRequest, CreatedAnswer<NewPayout>>

/**
 * Creates a payout, or repeats the stored answer of its Idempotency-Key (spec 4.2; contract.md 3 h, 3 i, 3 j). Amount and
 * fee leave available in the commit that stores it. Throws Refusal for what is not kept under the key.
 */
export async function createPayout(app: App, request: PayoutRequest): Promise<Answer> {
  allow(request.caller, 'payout.create')
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  return app.keysInFlight.during(owner, async () => {
    const readiness = await checkPayoutReadiness(app, {
      mode,
      channel: request.input.channel ?? DEFAULT_PAYOUT_CHANNEL,
    })
    const created = await retryWhenKeyTaken(() => payoutCreation(app).add({ ...request, merchantId, mode, readiness }))
    if (created.stored === undefined) return created
    crashPoint('key.reserved')
    assert(readiness.kind === 'ready', 'a stored live payout has a rail')
    const { installation } = readiness
    const { made: payout, mark } = created.stored
    return submitLivePayout(app, {
      payout,
      mark,
      installation,
      owner: { ...owner, objectId: payout.id },
      requestId: request.requestId,
      spent: request.caller.spent ?? null,
    })
  })
}

/**
 * The batch that stores payouts: one transaction for everything that arrived while the previous one was running. Test and live
 * payouts never share one, because live ones lock the merchant's row before the heads and an armed sandbox switch locks it after them.
 */
const payoutCreation = defineRequestLane('create payouts', 'payouts', (app): PayoutCreation => {
  const ofOneMode = () =>
    newBatch<KeyedPayoutRequest, CreatedAnswer<NewPayout>>({
      run: (requests, turn) => inOpenMonth(() => storePayouts(app, requests, turn)),
      keyOf: ({ merchantId }) => merchantId,
      spentBy: ({ caller }) => caller.spent ?? null,
    })
  return batchByKind({ test: ofOneMode(), live: ofOneMode() }, ({ mode }) => mode)
})

export async function storePayouts(
  app: App,
  batchRequests: readonly KeyedPayoutRequest[],
  turn: Partial<BatchTurn> = {},
): Promise<ItemOutcome<CreatedAnswer<NewPayout>>[]> {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'out', ...turn }, async (tx) => {
    const locked = await lockDesk(tx, {
      merchantModes: distinctMerchantModes(batchRequests),
      at,
      own: [findKeys(batchRequests)],
      window: app.exactWindows.payouts,
    })
    const limitedKeys = listLimitedKeys(batchRequests.map(({ caller }) => caller))
    const desk = await openDesk(app, tx, { ...locked, at, limitedKeys })
    const checks = await openChecks(tx, batchRequests, at)
    const { outcomes, made, requests, addKeys } = createUnderKeys(batchRequests, {
      keys: locked.own[0],
      windows: locked.windows,
      at,
      decide: (request) => acceptChecked(app, request, { desk, checks, at }),
      bodyOf: (payout) => (payout.mode === 'live' ? null : JSON.stringify(presentPayout(payout))),
    })
    const rows = made.map(({ id, merchantId, mode, amount, fee, recipientPhone: phone }, index) => ({
      ...{ actor: (requests[index] as KeyedPayoutRequest).caller, action: 'payout.create' as const, at },
      ...{ merchantId, mode, subject: id, after: { amount, fee, phone } },
    }))
    const last = [...desk.writes(), ...addKeys(), ...auditRows(rows), ...checks.writes()]
    return { value: outcomes, last: [...last, ...locked.windows.writes()] }
  })
}

const acceptChecked = (
  app: App,
  request: KeyedPayoutRequest,
  { desk, checks, at }: { desk: Desk; checks: CheckerChecks; at: Date },
): NewPayout => checks.passing(request, request.input.amount, () => acceptRequest(app, request, { desk, at }))

/** Judges the rules in the order of contract.md G14a and reserves the money. Throws Refusal with nothing posted. */
export function acceptRequest(
  app: App,
  { caller, input, readiness }: Pick<KeyedPayoutRequest, 'caller' | 'input' | 'readiness'>,
  { desk, at }: { desk: Desk; at: Date },
): NewPayout {
  const { amount, channel = DEFAULT_PAYOUT_CHANNEL } = input
  judgePayout(
    { amount, currency: input.currency ?? 'UGX', channel },
    { terms: desk.termsOf(caller.merchantId), mode: caller.mode, config: app.config },
  )
  const facts = {
    origin: { kind: 'payout' as const },
    amount,
    channel,
    phone: input.recipient.phone,
    name: input.recipient.name ?? null,
    ...readPayoutDetails(input),
    limitedKey: findLimitedKey(caller),
    at,
  }
  return desk.accept(caller, facts, { readiness })
}
