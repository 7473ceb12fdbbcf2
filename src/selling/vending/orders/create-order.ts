import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { type CreatedObject, createUnderOptionalKey, type KeyedRequest } from '../../../api/idempotency/under-key.ts'
import { findTerms } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { writeExactJson } from '../../../platform/text/exact-json.ts'
import type { App } from '../../../program/app.ts'
import { findUnpayableReason } from '../../payment-links/unpayable.ts'
import { addLinks, newLink } from '../../payment-links/write-links.ts'
import { presentOrder, type VendingOrder } from './order.ts'
import { type OrderCreateBody, parseOrderCreate, type VendingOrderCreate } from './order-request.ts'
import { judgeOrder, vendingTermsOf } from './order-rules.ts'

/** One POST /v1/vending/orders; `parseOrderCreate` reads the rest of the body. The key is optional (G57). */
export type OrderRequest = KeyedRequest & { given: OrderCreateBody }

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
  allow(request.caller, 'order.create')
  return createUnderOptionalKey(app, request, (tx, at) => makeOrder(app, tx, { request, at }))
}

async function makeOrder(
  app: App,
  tx: Tx,
  { request, at }: { request: OrderRequest; at: Date },
): Promise<CreatedObject> {
  const { caller, given } = request
  const input = parseOrderCreate(given)
  const { merchantId, mode } = caller
  const [[terms], [vending]] = await tx.send(findTerms([merchantId]), vendingTermsOf(merchantId, input.machine))
  assert(terms && vending, 'a merchant with a key has a row')
  judgeOrder(input, { terms, vending, mode, config: app.config })
  const machine = vending.machine ?? input.machine
  const { order, writes } = newOrder(app, { caller, input: { ...input, machine }, at })
  const hint = await findUnpayableReason(tx, {
    merchantId,
    mode,
    amount: order.amount,
    at,
    limits: app.config,
  })
  const view = presentOrder(order, { baseUrl: app.baseUrl, at })
  return { id: order.id, view: hint === null ? view : { ...view, hint }, writes }
}

/** Makes an order of two rows: the link that a customer pays, and the vending order. */
function newOrder(
  app: App,
  { caller, input, at }: { caller: Caller; input: VendingOrderCreate; at: Date },
): { order: VendingOrder; writes: readonly Call[] } {
  const expiresAt = new Date(at.getTime() + app.config.orderLifetimeSeconds * 1000)
  const linkInput = { ...input, cancelUrl: null, allowMultipleUses: false }
  const link = { ...newLink(caller, linkInput, at), kind: 'order' as const, expiresAt }
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
  const values = [merchantId, id, mode, machine, writeExactJson(goods), payAccount, at.toISOString()]
  return { order, writes: [...addLinks([link]), call(ADD_ORDER, ...values)] }
}
