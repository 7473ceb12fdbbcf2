import type { App } from '../app.ts'
import { termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { sqlState } from '../platform/db/errors.ts'
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
import { type GivenLink, readLinkCreate } from './link-create.ts'
import { judgeLink } from './link-rules.ts'
import { presentLink } from './payment-link.ts'
import { addLinks, newLink } from './write-links.ts'

/** One POST /v1/payment-links, its form read as far as the frame reads it. The key is the caller's choice (G57). */
export type LinkRequest = {
  caller: Caller
  idempotency: { key: string; fingerprint: Buffer } | null
  requestId: string
  given: GivenLink
}

const TRIES = 3
const LOCK_NOT_AVAILABLE = '55P03'
const UNIQUE_VIOLATION = '23505'

/**
 * Creates a link, or repeats the stored answer of its Idempotency-Key where one was sent (spec 4.4; contract.md 3 h).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createLink(app: App, request: LinkRequest): Promise<Answer> {
  const { caller, idempotency } = request
  if (idempotency === null) return storeLink(app, request, null)
  const { merchantId, mode } = caller
  const use = { merchantId, mode, key: idempotency.key, fingerprint: idempotency.fingerprint }
  return app.keysInFlight.during(use, () => storeKnowingOthers(app, request, use))
}

/** Another process may have taken the same key: still under way (409), or committed, and then its answer is found. */
async function storeKnowingOthers(app: App, request: LinkRequest, use: KeyUse): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await storeLink(app, request, use)
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw keyInFlight()
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      if (attempt === TRIES) throw keyInFlight()
    }
  }
}

/** Link, key and answer in one commit. */
function storeLink(app: App, request: LinkRequest, use: KeyUse | null): Promise<Answer> {
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
  { request, at }: { request: LinkRequest; at: Date },
): Promise<Decided> {
  const { caller, given, requestId } = request
  const input = readLinkCreate(given)
  const [[terms]] = await tx.send(termsOf([caller.merchantId]))
  assert(terms, 'a merchant with a key has a row')
  try {
    judgeLink(input, { terms, mode: caller.mode, config: app.config })
  } catch (error) {
    // A refusal by the rules of the business is kept under the key, where there is one.
    if (!(error instanceof Refusal) || !error.stored) throw error
    const answer = { status: error.status, body: errorBody(error, requestId), objectId: null }
    return { answer, writes: [] }
  }
  const link = newLink(caller, input, at)
  const body = JSON.stringify(presentLink({ ...link, attempt: null, paid: null }, app.baseUrl))
  return { answer: { status: 201, body, objectId: link.id }, writes: addLinks([link]) }
}
