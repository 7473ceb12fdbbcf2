import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { isReserved, judgeHandle, makeHandle } from './handle.ts'

test('a handle that looks like an operator, an authority or a page of ours is reserved, in whole and in part', () => {
  for (const handle of [
    ...['mtn', 'mtn-uganda', 'mtn-momo', 'mtnmomo', 'mtn-support', 'm-t-n', 'my-mtn', 'momo', 'momopay'],
    ...['airtel', 'airtel-money', 'airtelmoney', 'air-tel', 'bank-of-uganda', 'bankofuganda', 'ura'],
    ...['admin', 'dashboard', 'login', 'log-in', 'my-login', 'sign-in', 'pay', 'support', 'customer-care'],
    ...['xn--mtn-9za', 'xn--anything'],
  ])
    equal(isReserved(handle), true, handle)
  for (const handle of [
    ...['mama-joy', 'own-handle', 'self-help-group', 'kampala-bank-street', 'uganda-crafts', 'pearl-security'],
    ...['mountain-view', 'paywell', 'moments', 'shop-1', 'hostile-3', 'gateway-hotel'],
  ])
    equal(isReserved(handle), false, handle)
  throws(() => judgeHandle('mtn-uganda'), /no reserved word and have none in it/)
  throws(() => judgeHandle('Mama Joy'), /3 to 30 characters of a-z, 0-9 and -/)
  judgeHandle('mama-joy')
})

test('a handle that is made from a name is cut after a word, has no reserved ones, and is never made of nothing', () => {
  deepEqual(
    ['Kampala Fresh Vegetables and Fruits', 'Müller & Söhne', 'MTN Agent Ntinda', 'Self Help Group'].map((name) =>
      makeHandle(name, 1),
    ),
    ['kampala-fresh-vegetables', 'muller-sohne', 'agent-ntinda', 'self-help-group'],
  )
  equal(makeHandle('Internationalizationalization', 1), 'internationalizationaliz')
  for (const name of ['تاجر', '商店', 'MTN', '!!!', 'Pay']) match(makeHandle(name, 1), /^shop-[a-z0-9]{5}$/, name)
  match(makeHandle('Jo', 1), /^jo-[a-z0-9]{5}$/)
  match(makeHandle('Mama Joy', 2), /^mama-joy-[a-z0-9]{5}$/)
})
