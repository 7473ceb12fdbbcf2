import type { App } from '../app.ts'
import { merchantInactive, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call, type Tx } from '../platform/db/database.ts'
import { sqlState } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import type { Answer, Caller } from '../platform/http/caller.ts'
import { errorBody } from '../platform/http/errors.ts'
import {
  addKeys,
  findKeys,
  type KeyUse,
  keyInFlight,
  replayOf,
  type StoredAnswer,
} from '../platform/idempotency/keys.ts'
import { newId } from '../platform/ids.ts'
import { badRequest, type Refusal } from '../platform/refusal.ts'
import { presentSubaccount, type Subaccount, type SubaccountCreate } from './subaccount.ts'

/** One POST /v1/subaccounts whose form is right. The key is the caller's choice (G57). */
export type SubaccountRequest = {
  caller: Caller
  idempotency: { key: string; fingerprint: Buffer } | null
  requestId: string
  input: SubaccountCreate
}

const TRIES = 3
const LOCK_NOT_AVAILABLE = '55P03'
const UNIQUE_VIOLATION = '23505'

const ADD = statement(
  'add subaccount',
  `insert into subaccounts (merchant_id, id, name, status, external_ref, payout_phone, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

/**
 * Creates a subaccount, or repeats the stored answer of its Idempotency-Key where one was sent (spec 4.5; contract.md 3 h).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createSubaccount(app: App, request: SubaccountRequest): Promise<Answer> {
  const { caller, idempotency } = request
  if (idempotency === null) return storeSubaccount(app, request, null)
  const { merchantId, mode } = caller
  const use = { merchantId, mode, key: idempotency.key, fingerprint: idempotency.fingerprint }
  return app.keysInFlight.during(use, () => storeKnowingOthers(app, request, use))
}

/** Another process may have taken the same key: still under way (409), or committed, and then its answer is found. */
async function storeKnowingOthers(app: App, request: SubaccountRequest, use: KeyUse): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await storeSubaccount(app, request, use)
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw keyInFlight()
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      if (attempt === TRIES) throw keyInFlight()
    }
  }
}

/** Subaccount, key and answer in one commit. */
function storeSubaccount(app: App, request: SubaccountRequest, use: KeyUse | null): Promise<Answer> {
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: Answer; last?: readonly Call[] }> => {
    const stored = use === null ? null : await storedAnswer(tx, use)
    if (stored !== null) return { value: { ...stored, replayed: true } }
    const { answer, writes } = await decide(tx, request, at)
    const kept = use === null ? [] : addKeys([{ ...use, answer, objectId: answer.objectId }], at)
    return { value: answer, last: [...kept, ...writes] }
  })
}

async function storedAnswer(tx: Tx, use: KeyUse): Promise<StoredAnswer | null> {
  const [[seen]] = await tx.send(findKeys([use]))
  return seen === undefined ? null : replayOf(seen, use.fingerprint)
}

type Decided = { answer: StoredAnswer; writes: readonly Call[] }

async function decide(tx: Tx, request: SubaccountRequest, at: Date): Promise<Decided> {
  const { caller, input, requestId } = request
  if (input.name === undefined) throw badRequest('subaccount name is required')
  const [[terms]] = await tx.send(termsOf([caller.merchantId]))
  assert(terms, 'a merchant with a key has a row')
  if (!terms.active) return refused(merchantInactive(), requestId)
  const subaccount: Subaccount = {
    merchantId: caller.merchantId,
    id: newId('sub_', caller.tag),
    name: input.name,
    status: 'active',
    externalRef: input.external_ref ?? null,
    payoutPhone: input.payout_phone ?? null,
    createdAt: at,
  }
  const body = JSON.stringify(presentSubaccount(subaccount))
  return { answer: { status: 201, body, objectId: subaccount.id }, writes: [addSubaccount(subaccount)] }
}

/** A refusal that is kept under the key, where there is one. */
function refused(refusal: Refusal, requestId: string): Decided {
  const answer = { status: refusal.status, body: errorBody(refusal, requestId), objectId: null }
  return { answer, writes: [] }
}

const addSubaccount = (one: Subaccount): Call =>
  call(
    ADD,
    one.merchantId,
    one.id,
    one.name,
    one.status,
    one.externalRef,
    one.payoutPhone,
    one.createdAt.toISOString(),
  )
