import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { type CreatedAnswer, createUnderKey } from '../../../api/idempotency/create-under-keys.ts'
import { findKeys, finishKey, type RunningKey } from '../../../api/idempotency/keys.ts'
import { retryWhenKeyTaken } from '../../../api/idempotency/under-key.ts'
import { findLimitedKey } from '../../../merchants/account/key-limits.ts'
import { merchantInactive } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { newId } from '../../../platform/text/ids.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { type LockedDesk, lockDesk } from '../desk/lock-desk.ts'
import { findStop } from '../find-stop.ts'
import { judgeVerification } from '../payout-rules.ts'
import { type ApprovalInProgress, openChecks } from '../prepared/open-checks.ts'
import { addBatch, BULK_LEASE_MS, type BulkBatch, type StoredBulkItem } from './bulk-batch.ts'
import type { BulkItem } from './bulk-body.ts'
import { runChunks } from './bulk-chunk.ts'
import { bulkResults } from './bulk-results.ts'
import { bulkTurns, inBulkTurn } from './bulk-turns.ts'
import { presentBatch } from './present-bulk.ts'

/** One POST /v1/payouts/bulk with a parsed body. */
export type BulkRequest = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  items: readonly BulkItem[]
  /** The prepared payout that the caller approves with it, if any. */
  prepared?: ApprovalInProgress
}

/**
 * Pays many recipients, each item on its own (spec 2.6; contract.md G13 to G13f). The call is stored whole before its first
 * item runs, so after a crash it is finished and never restarted; the same key answers with the same batch. Throws Refusal
 * for what is not kept under the key.
 */
export async function createBulk(app: App, request: BulkRequest): Promise<Answer> {
  allow(request.caller, 'payout.bulk')
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  return app.keysInFlight.during(owner, () =>
    inBulkTurn(bulkTurns(app), merchantId, async () => {
      const created = await retryWhenKeyTaken(() => storeBatch(app, request))
      if (created.stored === undefined) return created
      crashPoint('bulk.stored')
      await runChunks(app, created.stored.made)
      return finishBatch(app, created.stored.made)
    }),
  )
}

/** Returns the answer of a finished batch, and stores under its key the form of it that a repeat gets (G13e). */
export async function finishBatch(
  app: App,
  batch: Pick<BulkBatch, 'merchantId' | 'id' | 'mode' | 'key'>,
): Promise<Answer> {
  const { merchantId, mode, key, id: objectId } = batch
  const owner: RunningKey = { merchantId, mode, key, objectId }
  const body = await app.db.transactionFor({ of: batch.merchantId, begun: true }, async (tx) => {
    const [rows] = await tx.send(bulkResults(batch.merchantId, batch.id))
    const repeated = JSON.stringify(presentBatch(batch.id, rows, true))
    return {
      value: JSON.stringify(presentBatch(batch.id, rows, false)),
      last: [finishKey(owner, { status: 200, body: repeated })],
    }
  })
  crashPoint('bulk.finished')
  app.nudge('send-payouts')
  return { status: 200, body, objectId: batch.id }
}

/** Stores the batch, whose items are then run, or returns a replay or a refusal of the whole call that is stored under the key. */
async function storeBatch(app: App, request: BulkRequest): Promise<CreatedAnswer<BulkBatch>> {
  const { merchantId, mode } = request.caller
  const keyed = { ...request, merchantId, mode }
  const at = app.clock.now()
  return app.db.transactionFor({ of: merchantId, begun: true }, async (tx) => {
    const locked = await lockDesk(tx, {
      merchantModes: [{ merchantId, mode }],
      at,
      own: [findKeys([keyed])],
      window: app.exactWindows.bulk_payouts,
    })
    const checks = await openChecks(tx, [request], at)
    const { created, made, addKeys } = createUnderKey(keyed, {
      keys: locked.own[0],
      windows: locked.windows,
      at,
      decide: () => checks.passing(request, sumPayable(request.items), () => acceptBatch(request, locked, at)),
      bodyOf: () => null,
    })
    const leaseUntil = addMs(at, BULK_LEASE_MS)
    const act = { actor: request.caller, action: 'payout.bulk', at, merchantId, mode } as const
    const rows = made.map(({ id, items, total }) =>
      auditRow({ ...act, subject: id, after: { items: total, amount: sumAmounts(items) } }),
    )
    const batches = made.map((batch) => addBatch(batch, leaseUntil))
    const last = [...addKeys(), ...batches, ...rows, ...checks.writes(), ...locked.windows.writes()]
    return { value: created, last }
  })
}

/** Sums the amounts of the items that can be read; some may still be refused. */
const sumAmounts = (items: readonly StoredBulkItem[]) =>
  items.reduce((sum, item) => sum + ('amount' in item ? item.amount : 0), 0)

function acceptBatch(request: BulkRequest, locked: LockedDesk, at: Date): BulkBatch {
  judgeBulkCall(request.caller, locked)
  return newBatch(request, at)
}

/** Sums the amounts for the rule of the second person: one below zero, which fails by itself, must not reduce the sum. */
const sumPayable = (items: readonly BulkItem[]): number =>
  items.reduce((sum, item) => sum + (item.ok ? Math.max(0, item.amount) : 0), 0)

/** Judges the whole call in the order of G13c. Its items are judged later, each on its own. Throws Refusal. */
export function judgeBulkCall(
  { mode }: Pick<Caller, 'mode'>,
  { terms: [terms], stops: [stop], heads: [head] }: Pick<LockedDesk, 'terms' | 'stops' | 'heads'>,
): void {
  assert(terms && head, 'a merchant with a key has a row and a ledger')
  if (!terms.active) throw merchantInactive(terms)
  judgeVerification({ terms, mode })
  const refusal = findStop({ mode, frozenFor: stop?.frozenFor ?? null, head })
  if (refusal !== null) throw refusal
}

function newBatch({ caller, key, items }: BulkRequest, at: Date): BulkBatch {
  return {
    merchantId: caller.merchantId,
    id: newId('batch_', caller.tag),
    mode: caller.mode,
    key,
    items: items.map((item) => toStoredItem(item, key)),
    total: items.length,
    done: 0,
    accepted: 0,
    createdAt: at,
    limitedKey: findLimitedKey(caller),
  }
}

/** Makes an item as its batch stores it. */
export function toStoredItem(item: BulkItem, key: string): StoredBulkItem {
  const reference = item.reference ?? `${key}-${item.index}`
  if (!item.ok) return { reference, error: item.error }
  const { amount, phone, name, channel, metadata } = item
  return { reference, amount, phone, name, channel, ...(metadata === undefined ? {} : { metadata }) }
}
