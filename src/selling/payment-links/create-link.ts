import { allow } from '../../api/access/allow.ts'
import type { Answer } from '../../api/http/answer.ts'
import { type CreatedObject, createUnderOptionalKey, type KeyedRequest } from '../../api/idempotency/under-key.ts'
import { findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { App } from '../../program/app.ts'
import { type LinkCreateBody, parseLinkCreate } from './link-request.ts'
import { judgeLink } from './link-rules.ts'
import { presentLink } from './payment-link.ts'
import { findUnpayableReason } from './unpayable.ts'
import { addLinks, newLink } from './write-links.ts'

/** One POST /v1/payment-links; `parseLinkCreate` reads the rest of the body. The key is optional (G57). */
export type LinkRequest = KeyedRequest & { given: LinkCreateBody }

/**
 * Creates a link, or repeats the stored answer of its Idempotency-Key where one was sent (spec 4.4; contract.md 3 h).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createLink(app: App, request: LinkRequest): Promise<Answer> {
  allow(request.caller, 'link.create')
  return createUnderOptionalKey(app, request, (tx, at) => makeLink(app, tx, { request, at }))
}

async function makeLink(app: App, tx: Tx, { request, at }: { request: LinkRequest; at: Date }): Promise<CreatedObject> {
  const { caller, given } = request
  const input = parseLinkCreate(given)
  const [[terms]] = await tx.send(findTerms([caller.merchantId]))
  assert(terms, 'a merchant with a key has a row')
  judgeLink(input, { terms, mode: caller.mode, config: app.config })
  const link = newLink(caller, input, at)
  const { merchantId, mode } = caller
  const hint = await findUnpayableReason(tx, {
    merchantId,
    mode,
    amount: input.amount,
    at,
    limits: app.config,
  })
  const view = presentLink({ ...link, attempt: null, paid: null }, app.baseUrl)
  return { id: link.id, view: hint === null ? view : { ...view, hint }, writes: addLinks([link]) }
}
