import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../test/helpers/service/parts.ts'
import { canonicalJson, writeLargeInSteps } from './canonical-json.ts'
import { parseStrictJson } from './strict-json.ts'

const seed = randomInt(2 ** 31)
console.log(`json.test.ts seed ${seed}`)

const read = (text: string) => parseStrictJson(Buffer.from(text))
const problem = (text: string) => {
  const result = read(text)
  return result.ok ? 'passed' : result.problem
}
const NOT_JSON = 'body is not valid JSON'
const CONTROL = 'body contains control characters'
const UNICODE = 'body contains invalid Unicode'
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('each bad body is refused with its own message', () => {
  const cases: [string, string][] = [
    ['', NOT_JSON],
    ['{', NOT_JSON],
    ['{"a":1', NOT_JSON],
    ['{"a":"b', NOT_JSON],
    ['{"a":"b\\', NOT_JSON],
    ['{"a":"\\u12', NOT_JSON],
    ['{"a":"\\u12g4"}', NOT_JSON],
    ['{"a":"\\x"}', NOT_JSON],
    ['{"a":1}}', NOT_JSON],
    ['{"a":NaN}', NOT_JSON],
    ["{'a':1}", NOT_JSON],
    ['\ufeff{"a":1}', NOT_JSON],
    ['{"a":"line\nbreak"}', NOT_JSON],
    ['a=1&b=2', NOT_JSON],
    ['{"a":1,"a":2}', 'duplicate field a'],
    ['{"a":1,"b":1,"\\u0061":2}', 'duplicate field a'],
    ['{"a":{"b":1,"c":[{"d":1,"d" \n:2}]}}', 'duplicate field d'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate field __proto__'],
    ['{"x\\n":1,"x\\n":2}', 'duplicate field x'],
    [`{"${'n'.repeat(60)}":1,"${'n'.repeat(60)}":2}`, `duplicate field ${'n'.repeat(40)}`],
    ['{"":1,"":2}', 'duplicate field '],
    [nested(33), 'body is nested too deeply'],
    ['{"a":'.repeat(33), 'body is nested too deeply'],
    ['{"a":"\\u0000"}', CONTROL],
    ['{"a":"\u0000"}', CONTROL],
    ['{"a":"\\b"}', CONTROL],
    ['{"a":"\\f"}', CONTROL],
    ['{"a":"\\u001F"}', CONTROL],
    ['{"a":"\u007f"}', CONTROL],
    ['{"a":"\\u007f"}', CONTROL],
    ['{"a":"\u0085"}', CONTROL],
    ['{"a":"\\u009f"}', CONTROL],
    ['{"\\u0000":1}', CONTROL],
    ['{"a":"\\ud800"}', UNICODE],
    ['{"a":"\\uDC00"}', UNICODE],
    ['{"a":"\\ud83d\\ud83d"}', UNICODE],
    ['{"a":"\\ud83dx\\ude00"}', UNICODE],
    ['{"a":"\\ude00\\ud83d"}', UNICODE],
  ]
  for (const [text, expected] of cases) equal(problem(text), expected, JSON.stringify(text))
})

test('bytes that are not UTF-8 are refused', () => {
  const loneSurrogate = [0xed, 0xa0, 0x80]
  const overlong = [0xc0, 0xaf]
  for (const bytes of [[0xff], [0xc3], loneSurrogate, overlong]) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
    deepEqual(parseStrictJson(body), { ok: false, problem: 'body is not valid UTF-8' })
  }
})

test('everything allowed is read as JSON.parse reads it', () => {
  const bodies = [
    '{}',
    ' [1, 2.5e3, -0, null, true] ',
    '"text"',
    '7',
    nested(32),
    '{"a":"\\t\\n\\r\\u0009\\u000A\\/\\\\\\""}',
    '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}',
    '{"a":"x:y,{[\\"","b":":"}',
    '{"a":"\\ud83d\\ude00 😀 é \u00a0 \uffff"}',
    '{"constructor":{"prototype":1},"toString":2}',
    '{"a":"a","b":"a"}',
  ]
  for (const body of bodies) deepEqual(read(body), { ok: true, value: JSON.parse(body) }, body)
})

test('a member called __proto__ is ignored and pollutes nothing', () => {
  const result = read('{"a":1,"__proto__":{"admin":true},"b":[{"__proto__":1}]}')
  ok(result.ok)
  deepEqual(result.value, { a: 1, b: [{}] })
  const copy = Object.assign({}, result.value) as Record<string, unknown>
  equal(copy.admin, undefined)
  equal(({} as Record<string, unknown>).admin, undefined)
})

test('every well-formed value that was printed is read back, whatever its spacing', () => {
  const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }).filter((any) => isPlain(JSON.stringify(any)))
  const same = fc.property(value, fc.nat(3), (any, spaces) => {
    const text = JSON.stringify(any, null, spaces)
    deepEqual(read(text), { ok: true, value: JSON.parse(text) })
  })
  fc.assert(same, { seed, numRuns: sized(60, 500) })
})

test('arbitrary bytes never throw an unexpected error and pass only when JSON.parse agrees', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '"a"',
    '\\',
    '\\u',
    'd800',
    '0',
    ' ',
    '\u0000',
    'é',
    '1',
  )
  const agrees = fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
    const text = pieces.join('')
    const result = read(text)
    if (result.ok) deepEqual(result.value, JSON.parse(text))
  })
  fc.assert(agrees, { seed, numRuns: sized(500, 3000) })
})

test('hostile bodies of a megabyte are rejected or read in time', () => {
  const bodies = [
    '['.repeat(100_000),
    '{"a":'.repeat(100_000),
    `${']'.repeat(5e5)}${'['.repeat(5e5)}`,
    `"${'\\'.repeat(1e6)}`,
  ]
  for (const body of bodies) {
    const bytes = Buffer.from(body)
    const start = process.hrtime.bigint()
    equal(parseStrictJson(bytes).ok, false)
    ok(process.hrtime.bigint() - start < 2_000_000_000n, `${body.slice(0, 10)} took more than 2 s`)
  }
})

test('D1: 120,000 values and 30,000 fields are read, more are refused', () => {
  const listed = (values: number) => `[${'0,'.repeat(values - 3)}0]`
  equal(parseStrictJson(Buffer.from(listed(120_001))).ok, true)
  equal(problem(listed(120_002)), 'body holds more than 120000 values')
  equal(problem(`[${'[],'.repeat(60_000)}0]`), 'body holds more than 120000 values')
  const objects = (fields: number) => `[${'{"a":1},'.repeat(fields)}0]`
  equal(parseStrictJson(Buffer.from(objects(30_000))).ok, true)
  equal(problem(objects(30_001)), 'body holds more than 30000 fields')
  ok(parseStrictJson(Buffer.from(`"${'{:,['.repeat(200_000)}"`)).ok, 'what stands in a text is no value')
})

test('D1: whole numbers keep their digits up to 1e40 and get an exponent beyond', () => {
  equal(canonicalJson([2 ** 60 + 1, -1e39]), '[1152921504606846976,-999999999999999939709166371603178586112]')
  equal(canonicalJson([1e40, -1e308, Number.MAX_VALUE]), '[1e+40,-1e+308,1.7976931348623157e+308]')
})

test('canonical JSON has one form', () => {
  const cases: [unknown, string][] = [
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ a: undefined, b: null, c: [undefined, null] }, '{"b":null,"c":[null,null]}'],
    [{ a: undefined }, '{}'],
    [{ n: 1e21, m: -0, f: 0.5, x: 12n }, '{"f":0.5,"m":0,"n":1000000000000000000000,"x":12}'],
    ['é 😀 "\\\n', '"é 😀 \\"\\\\\\n"'],
    [{ 10: 'x', 9: 'y', '': 'z' }, '{"":"z","10":"x","9":"y"}'],
    [{ '\u{1f600}': 1, '\uffff': 2, '\ue000': 3, a: 4, ab: 5 }, '{"a":4,"ab":5,"\ue000":3,"\uffff":2,"\u{1f600}":1}'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [[true, false, 'x', Number.POSITIVE_INFINITY], '[true,false,"x",null]'],
  ]
  for (const [value, expected] of cases) equal(canonicalJson(value), expected)
})

test('canonical JSON is the same whether or not large objects were written beforehand', () => {
  const large = (piece: string, count = 3000) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${piece}${(at * 7919) % count}`, at]))
  const mixed = { ...large('x', 5000), ...large('\uff00', 5000), ...large('\u{1f600}', 100) }
  const value = { b: [large('x'), { a: large('\uff00') }, null], a: large('\u{1f600}'.repeat(70)), c: mixed }
  const steps = writeLargeInSteps(value)
  let step = steps.next()
  let taken = 0
  for (; !step.done; step = steps.next()) taken += 1
  // To sort and to write: one each for the small ones; three runs of the mixed one, two and one to make one of them, three to write it.
  equal(taken, 3 * 2 + 6 + 3)
  equal(canonicalJson(value, step.value), canonicalJson(value))
})

test('canonical JSON keeps the value, ignores the order and sorts by code point', () => {
  const members = fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), fc.jsonValue()), {
    selector: ([name]) => name,
  })
  const holds = fc.property(members, (pairs) => {
    const text = canonicalJson(Object.fromEntries(pairs))
    equal(canonicalJson(Object.fromEntries(pairs.toReversed())), text)
    equal(canonicalJson(JSON.parse(text)), text)
    const plain = JSON.parse(JSON.stringify(Object.fromEntries(pairs), (_, any) => (Object.is(any, -0) ? 0 : any)))
    deepEqual(JSON.parse(text), plain)
    const names = pairs.map(([name]) => name)
    const byBytes = names.map((name) => Buffer.from(name)).sort(Buffer.compare)
    const members = byBytes.map((name) => `${JSON.stringify(name.toString())}:0`)
    equal(canonicalJson(Object.fromEntries(names.map((name) => [name, 0]))), `{${members.join(',')}}`)
  })
  fc.assert(holds, { seed })
})

// Without the values that the strict reader refuses on purpose.
function isPlain(text: string): boolean {
  return !/\\u|\\b|\\f|[\u007f-\u009f]|__proto__/.test(text)
}
