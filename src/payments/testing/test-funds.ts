import { type Static, Type } from 'typebox'
import type { Answer } from '../../api/http/answer.ts'
import { MAX_TEST_FUNDS, postTestFunds } from '../../ledger/test-funds.ts'
import { newId } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { makeInTestMode, type TestRequest } from './in-test-mode.ts'

export const TestFundsAddShape = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: MAX_TEST_FUNDS, description: 'whole UGX', examples: [100_000] }),
  },
  { $id: 'TestFundsAdd' },
)

export const TestFundsShape = Type.Object(
  {
    object: Type.Literal('test_funds'),
    id: Type.String({ description: 'starts with `fund_`; the line of the statement has it' }),
    amount: Type.Integer(),
    currency: Type.Literal('UGX'),
    available: Type.Integer({ description: 'what you can spend in test mode then' }),
  },
  { $id: 'TestFunds' },
)

/** Adds test money to what is available in test mode (`gateway funds add` does the same). Throws Refusal. */
export const addFundsForTests = (app: App, request: TestRequest<Static<typeof TestFundsAddShape>>): Promise<Answer> =>
  makeInTestMode(app, request, async ({ tx, at, terms }) => {
    const { amount } = request.given
    const id = newId('fund_', terms.tag)
    const { available, writes } = await postTestFunds(tx, request.caller, { merchantId: terms.id, id, amount, at })
    return { view: { object: 'test_funds', id, amount, currency: 'UGX', available }, writes }
  })
