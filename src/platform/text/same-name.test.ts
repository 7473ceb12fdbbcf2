import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBeSameName } from './same-name.ts'

test('a name in another order, in capitals or cut short is the same; one without a word in common is not', () => {
  for (const [typed, holder, same] of [
    ['Jane Nakato', 'NAKATO JANE', true],
    ['James', 'OKOT JAMES', true],
    ['Nákató  J.', 'NAKATO JANE ROSE', true],
    ["o'Brien", "O'BRIEN PATRICK", true],
    ['Kato Supplier', 'HOLDER OF 8111', false],
    ['J. K.', 'JAMES KATO', false],
    ['', 'OKOT JAMES', false],
    ['Ŋŋanda', 'ŊŊANDA JOHN', true],
  ] as const)
    assert.equal(mayBeSameName(typed, holder), same, `${typed} / ${holder}`)
})
