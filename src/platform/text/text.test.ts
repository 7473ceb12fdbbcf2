import { equal, ok } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { cleanTyped, echo, hasForbiddenControl } from './text.ts'

const seed = randomInt(2 ** 31)
console.log(`text.test.ts seed ${seed}`)

test('echoed input is cut to 40 characters and stripped of control characters', () => {
  equal(echo('amount'), 'amount')
  equal(echo('a\u0000b\nc\td\u007fe\u0085f'), 'abcdef')
  equal(echo('x'.repeat(41)), 'x'.repeat(40))
  equal(echo('\u0000'.repeat(50) + 'x'.repeat(41)), 'x'.repeat(40))
  equal(echo('😀'.repeat(41)), '😀'.repeat(40))
  equal(echo('a\ud800b\udc00'), 'ab')
  equal(echo(''), '')
})

test('what a person has pasted is read as it looks', () => {
  const seen: [string, string][] = [
    ['\u2068+256 772 123456\u2069', '+256 772 123456'],
    ['\u202a0772123456\u202c', '0772123456'],
    ['\ufeff0772\u200b123\u200e456\ufe0f', '0772123456'],
    ['0772\u00a0123\u202f456\t', '0772 123 456 '],
    ['0772\u2011123\u2013456\u2212', '0772-123-456-'],
    ['Nakato Gra\u00e7e', 'Nakato Gra\u00e7e'],
    ['\u0dc1\u0dca\u200d\u0dbb\u0dd3', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
    ['\u0660\u0667', '\u0660\u0667'],
    ['a\nb', 'a\nb'],
  ]
  for (const [text, as] of seen) equal(cleanTyped(text), as, JSON.stringify(text))
})

test('an echo is short, well formed and free of control characters, whatever the input', () => {
  const any = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 90 })
  const holds = fc.property(any, (text) => {
    const echoed = echo(text)
    ok([...echoed].length <= 40)
    equal(Buffer.from(echoed).toString(), echoed)
    equal(hasForbiddenControl(echoed, false), false)
    equal(echo(echoed), echoed)
  })
  fc.assert(holds, { seed, numRuns: 2000 })
})

test('exactly C0, DEL and C1 are control characters; tab, LF and CR pass where lines are allowed', () => {
  for (let unit = 0; unit < 0x300; unit++) {
    const text = `ab${String.fromCharCode(unit)}c`
    const control = /\p{Cc}/u.test(text)
    equal(hasForbiddenControl(text, false), control, `U+${unit.toString(16)}`)
    equal(hasForbiddenControl(text, true), control && !'\t\n\r'.includes(String.fromCharCode(unit)))
  }
})
