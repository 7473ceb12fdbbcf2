import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExactNumber, formatNumber, parseExactJson, writeExactJson } from './exact-json.ts'

const NUMBERS = [
  ...['0', '7', '-7', '1.5', '123456789012345', '9007199254740991', '-9007199254740991', '0.1', '1e+21'],
  ...['9007199254740993', '1731234567890123457', '-1731234567890123457', '12345678901234567890', '1.0', '1.50'],
  ...['-0', '1e5', '1E5', '1e-7', '1e400', '-1e400', '0.10000000000000000555', `${'9'.repeat(400)}`],
]

test('every number is written as it was read, wherever it stands', () => {
  for (const number of NUMBERS)
    for (const text of [number, `[${number},${number}]`, `{"a":{"b":[${number}]},"c":"${number}"}`])
      assert.equal(writeExactJson(parseExactJson(text)), text)
})

test('values that JSON.parse reads exactly are read as JSON.parse reads them', () => {
  const text = '{"n":[0,7,-7,1.5,9007199254740991],"s":"1.50 \\" \\\\","t":true,"z":null,"o":{}}'
  assert.deepEqual(parseExactJson(text), JSON.parse(text))
})

test('digits in a text are not a number, whatever is quoted and escaped around them', () => {
  for (const text of ['"1.50"', '"\\"1.50"', '"\\\\",1.50', '{"1.50":"-0","\\\\":1.50}']) {
    const json = text.startsWith('{') || !text.includes(',') ? text : `[${text}]`
    assert.equal(writeExactJson(parseExactJson(json)), json)
  }
  assert.equal(parseExactJson('"1.50"'), '1.50')
})

test('members keep their names, including __proto__, and no prototype changes', () => {
  const text = '{"__proto__":{"x":1.50},"a":{"__proto__":[1]}}'
  const read = parseExactJson(text) as Record<string, unknown>
  assert.equal(writeExactJson(read), text)
  assert.equal(Object.getPrototypeOf(read), Object.prototype)
})

test('a text that looks like an internal mark stays a text', () => {
  const text = JSON.stringify([`${'a'.repeat(24)} 1.50`, '1.50'])
  assert.equal(writeExactJson(parseExactJson(text)), text)
})

test('integers that JavaScript holds exactly have one text, all other numbers keep theirs', () => {
  const texts = ['1.0', '1e3', '-0', '12345678901234567890', '1.50'].map((one) => formatNumber(new ExactNumber(one)))
  assert.deepEqual(texts, ['1', '1000', '0', '12345678901234567890', '1.50'])
  assert.equal(formatNumber(7), '7')
})

test('numbers beyond the most that anybody sends are not looked at one by one', () => {
  assert.equal(parseExactJson(`[${'0.1,'.repeat(10_000)}0.1]`), undefined)
  assert.equal((parseExactJson(`[${'0.1,'.repeat(9999)}0.1]`) as unknown[]).length, 10_000)
  assert.equal((parseExactJson(`[${'1,'.repeat(100_000)}1]`) as unknown[]).length, 100_001)
})
