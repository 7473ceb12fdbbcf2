import assert from 'node:assert/strict'
import test from 'node:test'
import { shareRead } from './shared-read.ts'

/** A look that ends only when the test ends it. */
function looksOf() {
  const open: { resolve(): void; reject(error: Error): void }[] = []
  const look = () =>
    new Promise<void>((resolve, reject) => {
      open.push({ resolve, reject })
    })
  return { open, look }
}

test('C13: callers that ask during a look share it, and the next caller starts a new one', async () => {
  const { open, look } = looksOf()
  const ask = shareRead(look, 60_000)
  const waiting = [ask(), ask(), ask()]
  assert.equal(open.length, 1)
  open[0]?.resolve()
  await Promise.all(waiting)
  const next = ask()
  assert.equal(open.length, 2)
  open[1]?.resolve()
  await next
})

test('C13: a look that failed fails for all who shared it, and is not reused', async () => {
  const { open, look } = looksOf()
  const ask = shareRead(look, 60_000)
  const waiting = [ask(), ask()].map((one) => assert.rejects(one, /away/))
  open[0]?.reject(new Error('away'))
  await Promise.all(waiting)
  ask()
  assert.equal(open.length, 2)
})

test('C13: a look that began too long ago is not shared', () => {
  const { open, look } = looksOf()
  const ask = shareRead(look, 0)
  ask()
  ask()
  assert.equal(open.length, 2)
})
