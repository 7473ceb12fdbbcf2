import type { Answer } from '../../api/http/answer.ts'
import { createUnderOptionalKey, type KeyedRequest } from '../../api/idempotency/under-key.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import { findTerms, type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { App } from '../../program/app.ts'

/** One POST of a test key with a valid body. The Idempotency-Key is optional (G57). */
export type TestRequest<Input> = KeyedRequest & { given: Input }

/** What was made: it is no object that can be asked for, so its key points at none. */
export type TestMade = { view: unknown; writes: readonly Call[] }

/** What a transaction of an act for tests knows. */
export type TestAct = { tx: Tx; at: Date; terms: MerchantTerms }

/**
 * Does something for the tests of a merchant, or repeats the stored answer of its Idempotency-Key. The frame has refused live keys. `make`
 * asks `allow`; an inactive merchant does nothing.
 */
export const makeInTestMode = (
  app: App,
  request: KeyedRequest,
  make: (act: TestAct) => Promise<TestMade>,
): Promise<Answer> =>
  inOpenMonth(() =>
    createUnderOptionalKey(app, request, async (tx, at) => {
      assert(request.caller.mode === 'test', 'the frame refuses live keys')
      const [[terms]] = await tx.send(findTerms([request.caller.merchantId]))
      assert(terms, 'a merchant with a key has a row')
      if (!terms.active) throw merchantInactive(terms)
      return { id: null, ...(await make({ tx, at, terms })) }
    }),
  )
