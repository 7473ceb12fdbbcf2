import assert from 'node:assert/strict'
import type { Client, Reply, TestService } from '../service/test-service.ts'

export const ACCOUNTS = '/v1/test/accounts'

export const makeAccount = (by: Client, body: object = {}): Promise<Reply> => by.post(ACCOUNTS, body)
export const removeAccount = (by: Client, id: string): Promise<Reply> => by.post(`${ACCOUNTS}/${id}/remove`)

/** A business for tests of a new merchant: who made it, what was answered, and a client with its key. */
export async function freshAccount(service: TestService, body: object = {}) {
  const merchant = await service.merchant()
  const parent = service.client(merchant.keys.test)
  const reply = await makeAccount(parent, body)
  assert.equal(reply.status, 201, reply.text)
  return { merchant, parent, account: reply.body, own: service.client(reply.body.keys.full) }
}
