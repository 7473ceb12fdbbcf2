import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { newAscendingId, newId, newTag, parseTag, randomText, uuidFor } from './ids.ts'

test('an id carries its prefix, its merchant and sixteen random characters', () => {
  const tag = newTag()
  match(tag, /^[a-z0-9]{5}$/)
  const id = newId('chg_', tag)
  match(id, new RegExp(`^chg_${tag}[a-z0-9]{16}$`))
  equal(parseTag('chg_', id), tag)
  equal(parseTag('pay_', id), null)
})

test('ids of all merchants follow the time and still have sixteen random characters', () => {
  const at = (iso: string, tag = 'k3v9q') => newAscendingId('chg_', tag, new Date(iso))
  const ids = [
    at('2026-11-24T00:00:00Z', 'zzzzz'),
    at('2026-11-24T00:00:01Z', 'aaaaa'),
    at('2030-01-01T00:00:00Z', 'mmmmm'),
    at('2038-12-24T05:45:35Z', 'aaaaa'),
  ]
  deepEqual([...ids].sort(), ids)
  for (const time of ['1969-01-01T00:00:00Z', '2026-11-24T00:00:00Z', '+010000-01-01T00:00:00Z']) {
    match(at(time), /^chg_[a-z0-9]{6}k3v9q[a-z0-9]{16}$/)
    equal(parseTag('chg_', at(time)), 'k3v9q')
  }
  notEqual(at('2026-11-24T00:00:00Z').slice(-16), at('2026-11-24T00:00:00Z').slice(-16))
})

test('ids that were made before the time came first keep their merchant', () => {
  equal(parseTag('chg_', `chg_k3v9q${'0'.repeat(16)}`), 'k3v9q')
  equal(parseTag('chg_', `chg_k3v9q0000${'0'.repeat(16)}`), 'k3v9q')
})

test('malformed ids have no tag', () => {
  const tail = 'k3v9q0123456789abcdef'
  equal(parseTag('chg_', `chg_${tail}`), 'k3v9q')
  equal(parseTag('chg_', `chg_${tail}${'a'.repeat(35)}`), 'k3v9q')
  const malformed = [
    '',
    'chg_',
    tail,
    `chg_${tail.slice(1)}`,
    `chg_${tail}${'a'.repeat(36)}`,
    `CHG_${tail}`,
    `chg_${tail.toUpperCase()}`,
    `chg_${tail}'`,
    `chg_${tail}%`,
    `chg_${tail} `,
    `chg_${tail}\n`,
    `chg_${tail}\u0000`,
    `chg_k3v9q_123456789abcdef`,
    `chg_k3v9é0123456789abcdef`,
    ` chg_${tail}`,
  ]
  for (const id of malformed) equal(parseTag('chg_', id), null, JSON.stringify(id))
})

test('a hundred thousand ids differ', () => {
  const seen = new Set<string>()
  for (let left = 100_000; left > 0; left--) seen.add(newId('evt_', 'k3v9q'))
  equal(seen.size, 100_000)
})

test('every character is equally likely', () => {
  for (const alphabet of [
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  ]) {
    const counts = new Map<string, number>()
    for (const character of randomText(alphabet, 360_000)) counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = 360_000 / alphabet.length
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    equal(counts.size, alphabet.length)
    // Eight standard deviations above the mean: a fair source never gets there, a modulo bias lands far beyond.
    ok(chiSquare < alphabet.length + 8 * Math.sqrt(2 * alphabet.length), `chi square ${chiSquare}`)
  }
})

test('the reference that a rail sees is derived from the id and looks like a version-4 UUID', () => {
  const id = newId('chg_', 'k3v9q')
  equal(uuidFor(id), uuidFor(id))
  notEqual(uuidFor(id), uuidFor(newId('chg_', 'k3v9q')))
  equal(uuidFor('abc'), 'ba7816bf-8f01-4fea-8141-40de5dae2223')
  for (let left = 1000; left > 0; left--) {
    match(uuidFor(newId('po_', 'k3v9q')), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})
