import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeLocation } from './location.ts'

test('an address with any letter is one that a header can carry, and a plain one stays as it is', () => {
  for (const [address, written] of [
    ['/dashboard/test/charges?reference=a%20b', '/dashboard/test/charges?reference=a%20b'],
    ['/console/ledger/🍲', '/console/ledger/%F0%9F%8D%B2'],
    ['/pay/@é ü', '/pay/@%C3%A9%20%C3%BC'],
    ['/a\r\nSet-Cookie: b', '/a%0D%0ASet-Cookie:%20b'],
    ['/\u202Ex\u0000', '/%E2%80%AEx%00'],
    ['/\ud800', '/%EF%BF%BD'],
  ] as const)
    assert.equal(encodeLocation(address), written)
})
