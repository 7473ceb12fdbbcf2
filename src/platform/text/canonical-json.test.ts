import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalJson, writeLargeInSteps } from './canonical-json.ts'

// No half of a pair: a body with one is refused before.
const SPECIAL = ['"', '\\', '\n', '\u007f', '\u2028', '\ud83d\ude00', '\ue000', '__proto__', '10', '9', '']
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...SPECIAL))
const plain = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
// Up to forty names: few are sorted in place, many by Array.sort.
const names = fc.dictionary(text, plain, { maxKeys: 40, noNullPrototype: true })
const value = fc.oneof(plain, names, fc.array(names, { maxLength: 4 }), fc.dictionary(text, names, { maxKeys: 4 }))

/** By code points, as the contract says it (G72): the plainest way to write it down. */
function expected(of: unknown): string {
  if (Array.isArray(of)) return `[${of.map(expected).join(',')}]`
  if (typeof of !== 'object' || of === null) return JSON.stringify(of)
  const members = Object.entries(of).sort(([a], [b]) => comparePoints([...a], [...b]))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${expected(member)}`).join(',')}}`
}

function comparePoints(a: string[], b: string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

test('canonical JSON sorts names by code point and writes what JSON.stringify writes', (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  fc.assert(
    fc.property(value, (one) => assert.equal(canonicalJson(one), expected(one))),
    { seed, numRuns: 2000 },
  )
})

test('an object that is written in steps has the same text', () => {
  const large = Object.fromEntries(
    Array.from({ length: 9000 }, (_, at) => [`${(at * 7919) % 9000} "\u{1f600}${at % 3 === 0 ? '\ue000' : ''}`, at]),
  )
  const steps = writeLargeInSteps(large)
  let step = steps.next()
  let count = 0
  for (; !step.done; step = steps.next()) count += 1
  assert.ok(count > 4, 'it was written in steps')
  assert.equal(canonicalJson(large, step.value), expected(large))
})
