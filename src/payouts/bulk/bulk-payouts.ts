import type { App } from '../../app.ts'
import type { Answer, Caller } from '../../http/caller.ts'
import { errorBody } from '../../http/errors.ts'
import { addKeys, findKeys, finishKey, type KeyOwner, replayOf } from '../../idempotency/keys.ts'
import { knowingOthers } from '../../idempotency/under-key.ts'
import { type Head, lockHeads } from '../../ledger/book.ts'
import { type MerchantTerms, merchantInactive, termsForPayout } from '../../merchants/merchant.ts'
import { lockStops } from '../../merchants/payout-freeze.ts'
import { assert } from '../../platform/assert.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { judgeVerification } from '../payout-rules.ts'
import { stopOf } from '../payout-stops.ts'
import {
  addBatch,
  BULK_LEASE_MS,
  type BulkBatch,
  presentBatch,
  resultsOf,
  type StoredItem,
} from './bulk-batch.ts'
import type { BulkItem } from './bulk-body.ts'
import { runChunks } from './bulk-chunk.ts'
import { bulkTurns, inBulkTurn } from './bulk-turns.ts'

/** One POST /v1/payouts/bulk whose body could be read. */
export type BulkRequest = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  items: readonly BulkItem[]
}

/**
 * Pays many recipients, each item on its own (spec 2.6; contract.md G13 to G13f). The call is stored whole before its first
 * item runs, so after a crash it is finished and never restarted; the same key answers with the same batch. Throws Refusal
 * for what is not kept under the key.
 */
export async function createBulk(app: App, request: BulkRequest): Promise<Answer> {
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  return app.keysInFlight.during(owner, () =>
    inBulkTurn(bulkTurns(app), merchantId, async () => {
      const stored = await knowingOthers(() => storeBatch(app, request))
      if ('status' in stored) return stored
      crashPoint('bulk.stored')
      await runChunks(app, stored)
      return finishBatch(app, stored)
    }),
  )
}

/** The answer of a finished batch, stored under its key in the form that a repeat shows (G13e). */
export async function finishBatch(
  app: App,
  batch: Pick<BulkBatch, 'merchantId' | 'id' | 'mode' | 'key'>,
): Promise<Answer> {
  const owner: KeyOwner = { merchantId: batch.merchantId, mode: batch.mode, key: batch.key }
  const body = await app.db.transactionFor({ of: batch.merchantId, begun: true }, async (tx) => {
    const [rows] = await tx.send(resultsOf(batch.merchantId, batch.id))
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

/** A replay, a refusal of the whole call that is kept, or the stored batch whose items are to be run now. */
async function storeBatch(app: App, request: BulkRequest): Promise<Answer | BulkBatch> {
  const { caller, key, fingerprint } = request
  const { merchantId, mode } = caller
  const owner = { merchantId, mode, key }
  const at = app.clock.now()
  return app.db.transactionFor<Answer | BulkBatch>({ of: merchantId, begun: true }, async (tx) => {
    const [[terms], [seen], [stops], ...locked] = await tx.send(
      termsForPayout([{ merchantId, mode }]),
      findKeys([owner]),
      lockStops(),
      ...app.exactWindows.bulk_payouts.lock([{ merchantId, mode }]),
      lockHeads([{ merchantId, mode }]),
    )
    const windows = app.exactWindows.bulk_payouts.open(locked.slice(0, -1), at.getTime())
    windows.check(caller)
    if (seen) {
      const stored = replayOf(seen, fingerprint)
      if (stored.status < 300) windows.take(caller)
      return { value: { ...stored, replayed: true }, last: windows.writes() }
    }
    const [head] = locked.at(-1) as Head[]
    assert(terms && head, 'a merchant with a key has a row and a ledger')
    const refusal = refusalOfAll({ terms, mode, frozenFor: stops?.frozenFor ?? null, head })
    if (refusal !== null) {
      const answer = { status: refusal.status, body: errorBody(refusal, request.requestId), objectId: null }
      return { value: answer, last: addKeys([{ ...owner, fingerprint, answer, objectId: null }], at) }
    }
    windows.take(caller)
    const batch = newBatch(request, at)
    return {
      value: batch,
      last: [
        ...addKeys([{ ...owner, fingerprint, answer: null, objectId: batch.id }], at),
        addBatch(batch, new Date(at.getTime() + BULK_LEASE_MS)),
        ...windows.writes(),
      ],
    }
  })
}

/** Refusals of the whole call in the order of G13c; only the answer is written. */
function refusalOfAll({
  terms,
  mode,
  frozenFor,
  head,
}: {
  terms: MerchantTerms
  mode: 'test' | 'live'
  frozenFor: string | null
  head: Head
}): Refusal | null {
  if (!terms.active) return merchantInactive()
  try {
    judgeVerification({ terms, mode })
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  return stopOf({ mode, frozenFor, head })
}

function newBatch({ caller, key, items }: BulkRequest, at: Date): BulkBatch {
  return {
    merchantId: caller.merchantId,
    id: newId('batch_', caller.tag),
    mode: caller.mode,
    key,
    items: items.map((item) => storedItem(item, key)),
    total: items.length,
    done: 0,
    accepted: 0,
    createdAt: at,
  }
}

function storedItem(item: BulkItem, key: string): StoredItem {
  const reference = item.reference ?? `${key}-${item.index}`
  if (!item.ok) return { reference, error: item.error }
  const { amount, phone, name, channel } = item
  return { reference, amount, phone, name, channel }
}
