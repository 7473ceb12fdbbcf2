import assert from 'node:assert/strict'
import type { Mode } from '../../../src/platform/mode.ts'
import type { Reply } from '../../helpers/service/test-service.ts'

/** An error answer with its exact text. */
export type Refused = { status: number; code: string; error: string; hint?: string }

export const badRequest = (error: string): Refused => ({ status: 400, code: 'bad_request', error })
export const invalid = (problem: string): Refused => badRequest(`invalid request: ${problem}`)
export const domain = (code: string, error: string): Refused => ({ status: 400, code, error })
/** Money that is missing for an amount and its fee; in test mode with what to do about it. */
export const insufficient = (have: number, [amount, fee]: readonly [number, number], mode: Mode = 'test'): Refused => ({
  ...domain(
    'insufficient_balance',
    `insufficient available balance: have ${have}, need ${amount + fee} (amount ${amount} + fee ${fee})`,
  ),
  ...(mode === 'test' && {
    hint: `test mode: add at least ${amount + fee - have} with POST /v1/test/funds or on the dashboard (Developers, Sandbox), or let another test payment succeed first`,
  }),
})
export const unauthorized = (error: 'missing bearer token' | 'invalid api key'): Refused => ({
  status: 401,
  code: 'unauthorized',
  error,
})
export const notFound = (error: string): Refused => ({ status: 404, code: 'not_found', error })
export const TOO_LARGE: Refused = {
  status: 413,
  code: 'payload_too_large',
  error: 'invalid request: body too large',
}

/**
 * The answer is exactly this refusal: its fields and no others but what helps a person (`hint`, `field`), JSON, the id of its own header,
 * no Retry-After.
 */
export function assertRefused(
  reply: Reply,
  { status, hint: wanted, ...said }: Refused,
  options: { retryAfter?: string; because?: string } = {},
): void {
  const { retryAfter = null, because = '' } = options
  const request_id = reply.headers.get('x-request-id')
  const { hint = '', field = '', ...body } = reply.body ?? {}
  assert.deepEqual([typeof hint, typeof field], ['string', 'string'], because)
  if (wanted !== undefined) assert.equal(hint, wanted, because)
  assert.deepEqual({ because, status: reply.status, body }, { because, status, body: { ...said, request_id } })
  assert.match(request_id ?? '', /^[A-Za-z0-9._-]{1,128}$/)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(reply.headers.get('retry-after'), retryAfter, because)
  assert.equal(reply.headers.get('idempotent-replayed'), null, because)
}
