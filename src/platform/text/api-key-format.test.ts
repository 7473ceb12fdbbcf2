import { deepEqual, equal, match } from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../test/helpers/service/parts.ts'
import { type ApiKeyKind, hashApiKey, newApiKey, parseApiKey } from './api-key-format.ts'

const seed = randomInt(2 ** 31)
console.log(`api-key-format.test.ts seed ${seed}`)

const PREFIXES: Record<ApiKeyKind, string> = {
  test: 'sk_test_',
  live: 'sk_live_',
  test_collections: 'sk_test_col_',
  live_collections: 'sk_live_col_',
}
const kinds = Object.keys(PREFIXES) as ApiKeyKind[]

test('a new key is read as its own kind', () => {
  for (const kind of kinds) {
    const key = newApiKey(kind)
    match(key, new RegExp(`^${PREFIXES[kind]}[0-9A-Za-z]{33}$`))
    deepEqual(parseApiKey(key), { kind })
  }
})

test('a key whose prefix was swapped is refused', () => {
  for (const kind of kinds) {
    for (const other of kinds.filter((any) => any !== kind)) {
      const body = newApiKey(kind).slice(PREFIXES[kind].length)
      equal(parseApiKey(PREFIXES[other] + body), null, `${kind} as ${other}`)
    }
  }
})

test('text in another form is refused', () => {
  const key = newApiKey('test')
  const bad = ['', 'sk_', 'sk_test_', 'sk_test_col_', ` ${key}`, `${key} `, `${key}\n`, `${key}0`, key.slice(0, -1)]
  for (const text of [...bad, key.replace('sk', 'pk'), `sk_test_col${key.slice(8)}`, 'x'.repeat(100_000)]) {
    equal(parseApiKey(text), null, text.slice(0, 60))
  }
})

test('one changed character is always noticed', () => {
  const change = fc.tuple(
    fc.constantFrom(...kinds),
    fc.nat(44),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  const noticed = fc.property(change, ([kind, place, character]) => {
    const key = newApiKey(kind)
    const at = place % key.length
    const changed = key.slice(0, at) + character + key.slice(at + 1)
    if (changed !== key) equal(parseApiKey(changed), null)
  })
  fc.assert(noticed, { seed, numRuns: sized(500, 3000) })
})

test('a key is looked up by its SHA-256', () => {
  const key = newApiKey('live')
  deepEqual(hashApiKey(key), createHash('sha256').update(key).digest())
})
