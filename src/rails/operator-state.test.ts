import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { findSlowSince } from './operator-state.ts'

/** Posts a minute apart, newest first: `s` was slow, `q` was quick. */
const posts = (text: string) =>
  [...text].map((letter, nth) => ({ at: new Date(1e12 - nth * 60_000), slow: letter === 's' }))
const nth = (place: number) => new Date(1e12 - place * 60_000)

test('an operator is slow while at least half of its last posts were, and from the oldest of them', () => {
  deepEqual(findSlowSince(posts('sssss')), nth(4))
  deepEqual(findSlowSince(posts('sssssqqqqqqqqqq')), nth(4))
  deepEqual(findSlowSince(posts('sqssqssqqqqqqqqqqqq')), nth(6))
  deepEqual(findSlowSince(posts('qqsss')), nth(4))
})

test('few posts, or few slow ones, say nothing', () => {
  equal(findSlowSince([]), null)
  equal(findSlowSince(posts('ssss')), null)
  equal(findSlowSince(posts('qqqqq')), null)
  equal(findSlowSince(posts('sqqqqqqqqs')), null)
  equal(findSlowSince(posts('qqqqqqqqqqsssssss')), null)
})
