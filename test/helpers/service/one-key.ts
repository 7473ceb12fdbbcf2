import assert from 'node:assert/strict'
import { gate } from '../database/gate.ts'
import { type LiveService, newPayer } from './live-service.ts'
import type { Reply } from './test-service.ts'

type Send = (phone: string, headers: Record<string, string>) => Promise<Reply>

/**
 * Sends one request at once to two processes, under one key, while the operator is slow: the operator is asked once, one process
 * answers 201 and the other 409, and a repeat gets the first answer. Returns the 201.
 */
export async function sendToBoth(service: LiveService, key: string, [here, there]: [Send, Send]) {
  const phone = newPayer()
  const headers = { 'idempotency-key': key }
  const held = gate()
  service.operator.onSubmit(() => ({ answer: 'accept', until: held.opened }), phone)
  const both = [here(phone, headers), there(phone, headers)]
  await Promise.race(both)
  held.open()
  const answers = await Promise.all(both)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  const taken = [...service.operator.book.values()].filter((entry) => entry.phone === phone)
  assert.equal(taken.length, 1)
  const first = answers.find(({ status }) => status === 201)
  assert.equal((await there(phone, headers)).text, first?.text)
  return first as Reply
}
