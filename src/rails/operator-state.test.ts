import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { slowSince } from './operator-state.ts'

/** Posts a minute apart, newest first: `s` was slow, `q` was quick. */
const posts = (text: string) =>
  [...text].map((letter, nth) => ({ at: new Date(1e12 - nth * 60_000), slow: letter === 's' }))
const nth = (place: number) => new Date(1e12 - place * 60_000)

test('an operator is slow while at least half of its last posts were, and from the oldest of them', () => {
  deepEqual(slowSince(posts('sssss')), nth(4))
  deepEqual(slowSince(posts('sssssqqqqqqqqqq')), nth(4))
  deepEqual(slowSince(posts('sqssqssqqqqqqqqqqqq')), nth(6))
  deepEqual(slowSince(posts('qqsss')), nth(4))
})

test('few posts, or few slow ones, say nothing', () => {
  equal(slowSince([]), null)
  equal(slowSince(posts('ssss')), null)
  equal(slowSince(posts('qqqqq')), null)
  equal(slowSince(posts('sqqqqqqqqs')), null)
  equal(slowSince(posts('qqqqqqqqqqsssssss')), null)
})
