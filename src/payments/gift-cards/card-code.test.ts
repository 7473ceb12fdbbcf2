import assert from 'node:assert/strict'
import test from 'node:test'
import { openVault } from '../../platform/secrets.ts'
import { hashCardCode, newCardCode, parseCardCode } from './card-code.ts'

const vault = openVault(Buffer.alloc(32, 1))

test('a new code is twelve unambiguous characters in three groups, no two alike', () => {
  const codes = Array.from({ length: 5000 }, newCardCode)
  for (const code of codes) assert.match(code, /^[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}-[A-HJKMNP-Z2-9]{4}$/)
  assert.equal(new Set(codes).size, codes.length)
  assert.equal(new Set(codes.join('').replaceAll('-', '')).size, 31, 'every character is used')
})

test('a code is read in whatever way it is typed', () => {
  for (const text of [
    'ABCD-EFGH-2345',
    'abcd-efgh-2345',
    'ABCDEFGH2345',
    ' abcd efgh 2345 ',
    'Ab-Cd Ef-Gh 23-45',
    'ABCD–EFGH—2345',
    'ABCD\u00a0EFGH\t2345\n',
    '-A-B-C-D-E-F-G-H-2-3-4-5-',
  ])
    assert.equal(parseCardCode(text), 'ABCDEFGH2345', JSON.stringify(text))
  const code = newCardCode()
  assert.equal(parseCardCode(code), code.replaceAll('-', ''))
})

test('text that cannot be a code is rejected', () => {
  for (const text of [
    '',
    '----',
    'ABCD-EFGH-234',
    'ABCD-EFGH-23456',
    'ABCD-EFGH-2340',
    'ABCD-EFGH-234O',
    'ABCD-EFGH-234I',
    'ABCD-EFGH-2341',
    'ABCD_EFGH_2345',
    'ABCD-EFGH-234\0',
    'АBCD-EFGH-2345',
    `ABCD-EFGH-2345${' '.repeat(100)}`,
  ])
    assert.equal(parseCardCode(text), null, JSON.stringify(text))
})

test('the hash of a code differs for each merchant and each master key', () => {
  const hash = hashCardCode(vault, 1, 'ABCDEFGH2345')
  assert.equal(hash.length, 32)
  assert.deepEqual(hashCardCode(vault, 1, 'ABCDEFGH2345'), hash)
  const others = [
    hashCardCode(vault, 1, 'ABCDEFGH2346'),
    hashCardCode(vault, 2, 'ABCDEFGH2345'),
    hashCardCode(openVault(Buffer.alloc(32, 2)), 1, 'ABCDEFGH2345'),
  ]
  for (const other of others) assert.notDeepEqual(other, hash)
})
