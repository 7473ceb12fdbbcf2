import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { timeLimit } from './time-limit.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const passes = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a limit comes though nobody holds it and memory was collected meanwhile', async () => {
  const ended = new Promise((resolve) => {
    timeLimit(100, new AbortController().signal).addEventListener('abort', resolve)
  })
  for (let times = 0; times < 4; times += 1) {
    await passes(10)
    collect()
  }
  // Without this the process would end: the timer of a limit does not keep it.
  const waiting = setInterval(() => {}, 1000)
  await ended
  clearInterval(waiting)
})

test('the first of several ends it, with its reason, also one that was over before', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const limit = timeLimit(60_000, one.signal, other.signal)
  assert.equal(limit.aborted, false)
  other.abort('gone')
  one.abort('later')
  assert.equal(limit.reason, 'gone')
  assert.equal(timeLimit(60_000, other.signal).reason, 'gone')
})
