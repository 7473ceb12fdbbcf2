import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFields } from './fields.ts'

const many = (count: number) => Buffer.from(Array.from({ length: count }, (_, nth) => `f${nth}=`).join('&'))

test('two hundred fields are read, and of one more nothing is parsed', () => {
  assert.equal(Object.keys(parseFields(many(200))?.fields ?? {}).length, 200)
  assert.equal(parseFields(many(201)), null)
  assert.equal(parseFields(Buffer.from('&'.repeat(500_000))), null)
})

test('a field that came twice counts once, and is told', () => {
  assert.deepEqual(
    { ...parseFields(Buffer.from('a=1&b=+2+&a=3')) },
    {
      fields: Object.assign(Object.create(null), { a: '1', b: '2' }),
      isDoubled: true,
    },
  )
  assert.equal(parseFields(Buffer.from('a=1&b=1'))?.isDoubled, false)
  assert.deepEqual(Object.keys(parseFields('a=1')?.fields ?? { no: '' }), [])
})
