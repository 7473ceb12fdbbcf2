import type { App } from '../app.ts'
import { termsOf } from '../merchants/merchant.ts'
import { addLinks, newLink } from '../payment-links/write-links.ts'
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
import { Refusal } from '../platform/refusal.ts'
import { presentOrder, type VendingOrder } from './order.ts'
import { type GivenOrder, readOrderCreate, type VendingOrderCreate } from './order-create.ts'
import { judgeOrder, vendingTermsOf } from './order-rules.ts'

/** One POST /v1/vending/orders, its form read as far as the frame reads it. The key is the caller's choice (G57). */
export type OrderRequest = {
  caller: Caller
  idempotency: { key: string; fingerprint: Buffer } | null
  requestId: string
  given: GivenOrder
}

const TRIES = 3
const LOCK_NOT_AVAILABLE = '55P03'
const UNIQUE_VIOLATION = '23505'

const ADD_ORDER = statement(
  'add vending order',
  `insert into vending_orders (merchant_id, id, mode, machine, goods, pay_account, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

/**
 * Creates an order, or repeats the stored answer of its Idempotency-Key where one was sent (spec 4.6; contract.md 3 h, G30).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createOrder(app: App, request: OrderRequest): Promise<Answer> {
  const { caller, idempotency } = request
  if (idempotency === null) return storeOrder(app, request, null)
  const { merchantId, mode } = caller
  const use = { merchantId, mode, key: idempotency.key, fingerprint: idempotency.fingerprint }
  return app.keysInFlight.during(use, () => storeKnowingOthers(app, request, use))
}

/** Another process may have taken the same key: still under way (409), or committed, and then its answer is found. */
async function storeKnowingOthers(app: App, request: OrderRequest, use: KeyUse): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await storeOrder(app, request, use)
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw keyInFlight()
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      if (attempt === TRIES) throw keyInFlight()
    }
  }
}

/** Link, order, key and answer in one commit. */
function storeOrder(app: App, request: OrderRequest, use: KeyUse | null): Promise<Answer> {
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: Answer; last?: readonly Call[] }> => {
    const stored = use === null ? null : await storedAnswer(tx, use)
    if (stored !== null) return { value: { ...stored, replayed: true } }
    const { answer, writes } = await decide(app, tx, { request, at })
    const kept = use === null ? [] : addKeys([{ ...use, answer, objectId: answer.objectId }], at)
    return { value: answer, last: [...kept, ...writes] }
  })
}

async function storedAnswer(tx: Tx, use: KeyUse): Promise<StoredAnswer | null> {
  const [[seen]] = await tx.send(findKeys([use]))
  return seen === undefined ? null : replayOf(seen, use.fingerprint)
}

type Decided = { answer: StoredAnswer; writes: readonly Call[] }

async function decide(
  app: App,
  tx: Tx,
  { request, at }: { request: OrderRequest; at: Date },
): Promise<Decided> {
  const { caller, given, requestId } = request
  const input = readOrderCreate(given)
  const { merchantId, mode } = caller
  const [[terms], [vending]] = await tx.send(termsOf([merchantId]), vendingTermsOf(merchantId, input.machine))
  assert(terms && vending, 'a merchant with a key has a row')
  try {
    judgeOrder(input, { terms, vending, mode, config: app.config })
  } catch (error) {
    // A refusal by the rules of the business is kept under the key, where there is one.
    if (!(error instanceof Refusal) || !error.stored) throw error
    const answer = { status: error.status, body: errorBody(error, requestId), objectId: null }
    return { answer, writes: [] }
  }
  const { order, writes } = newOrder(app, { caller, input, at })
  const body = JSON.stringify(presentOrder(order, { baseUrl: app.baseUrl, at }))
  return { answer: { status: 201, body, objectId: order.id }, writes }
}

/** The order, and its two rows: the link that a customer pays, and the machine's side of it. */
function newOrder(
  app: App,
  { caller, input, at }: { caller: Caller; input: VendingOrderCreate; at: Date },
): { order: VendingOrder; writes: readonly Call[] } {
  const expiresAt = new Date(at.getTime() + app.config.orderLifetimeSeconds * 1000)
  const made = { ...input, cancelUrl: null, allowMultipleUses: false }
  const link = { ...newLink(caller, made, at), kind: 'order' as const, expiresAt }
  const { merchantId, id, mode } = link
  const { machine, goods, payAccount } = input
  const order: VendingOrder = {
    ...link,
    expiresAt,
    machine,
    goods,
    payAccount,
    vendingStatus: 'pending',
    vendingError: null,
    confirmed: false,
    dispenseResult: null,
    unitsDispensed: null,
    dispensedAt: null,
    attempts: 0,
    charge: null,
  }
  const values = [merchantId, id, mode, machine, JSON.stringify(goods), payAccount, at.toISOString()]
  return { order, writes: [...addLinks([link]), call(ADD_ORDER, ...values)] }
}
