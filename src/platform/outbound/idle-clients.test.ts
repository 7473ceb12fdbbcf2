import assert from 'node:assert/strict'
import test from 'node:test'
import { newIdleClients } from './idle-clients.ts'

const line = (origin: string, nth: number) => ({ origin, nth })

test('the newest line to an origin is taken first, and each only once', () => {
  const lines = newIdleClients<ReturnType<typeof line>>(10)
  const [first, other, second] = [line('https://a', 1), line('https://b', 1), line('https://a', 2)]
  for (const one of [first, other, second]) assert.equal(lines.add(one), undefined)
  assert.equal(lines.take('https://a'), second)
  assert.equal(lines.take('https://a'), first)
  assert.equal(lines.take('https://a'), undefined)
  assert.equal(lines.take('https://b'), other)
})

test('one more than are kept puts the oldest of all out, whatever its origin', () => {
  const lines = newIdleClients<ReturnType<typeof line>>(2)
  const [first, second, third] = [line('https://a', 1), line('https://b', 1), line('https://b', 2)]
  lines.add(first)
  lines.add(second)
  assert.equal(lines.add(third), first)
  assert.equal(lines.take('https://a'), undefined)
  assert.deepEqual(lines.takeAll(), [second, third])
  assert.equal(lines.take('https://b'), undefined)
})

test('a line that was lost is not taken any more, and may be told lost again', () => {
  const lines = newIdleClients<ReturnType<typeof line>>(2)
  const [first, second] = [line('https://a', 1), line('https://a', 2)]
  lines.add(first)
  lines.add(second)
  lines.delete(second)
  lines.delete(second)
  assert.equal(lines.take('https://a'), first)
  lines.delete(first)
  assert.deepEqual(lines.takeAll(), [])
})
