import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { MerchantChange } from '../../../src/merchants/account/set-merchant.ts'
import type { Client, Reply } from '../../helpers/service/test-service.ts'
import { assertRefused, type Refused } from './refused.ts'

type Sent = {
  api: Client
  path: string
  body: unknown
  expected: Refused
  /** One text over everything that must not be written. */
  digest(): Promise<string>
  /** The endpoint takes requests without a key too. */
  keyless?: true
}

/** A refusal by a rule, and the merchant while its cause lasts and afterwards. */
export type Rule = {
  expected: Refused
  /** Part of the body; a text is the whole body. */
  body?: Record<string, unknown> | string
  live?: boolean
  fault?: MerchantChange
  cured?: MerchantChange
}

const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed')

/** As a name of a test: the body and what is wrong with the merchant. */
export const caseOf = ({ body, live = false, fault }: Omit<Rule, 'expected'>): string =>
  (typeof body === 'string' ? body : JSON.stringify({ ...body, ...fault, live })).slice(0, 80).trim()

/** A refusal by a rule writes nothing and is kept under its key, the request id in its body too, whatever is cured since. */
export async function assertKept(sent: Sent, cure: () => Promise<unknown> = async () => {}): Promise<void> {
  const { api, path, body, expected, digest } = sent
  const key = { 'idempotency-key': randomUUID() }
  const before = await digest()
  const first = await api.post(path, body, key)
  const keyless = sent.keyless ? await api.post(path, body, { 'idempotency-key': undefined }) : null
  const after = await digest()
  await cure()
  assertRefused(first, expected)
  if (keyless) assertRefused(keyless, expected, { because: 'without a key too' })
  assert.equal(after, before, 'zero writes')
  const again = await api.post(path, body, key)
  assert.deepEqual([again.status, again.text, replayed(again)], [expected.status, first.text, 'true'])
  assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
}

/** A fault of form writes nothing and leaves its key free: with the right body it is accepted. */
export async function assertFree(sent: Sent, right: object): Promise<void> {
  const { api, path, body, expected, digest } = sent
  const key = { 'idempotency-key': randomUUID() }
  const before = await digest()
  for (const because of ['first', 'not a replay']) assertRefused(await api.post(path, body, key), expected, { because })
  if (sent.keyless) assertRefused(await api.post(path, body, { 'idempotency-key': undefined }), expected)
  assert.equal(await digest(), before, 'zero writes')
  const good = await api.post(path, right, key)
  assert.deepEqual([good.status < 300, replayed(good)], [true, null], good.text)
}
