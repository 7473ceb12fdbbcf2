import assert from 'node:assert/strict'
import test from 'node:test'
import { type SignedFields, signCommand, signedBase } from './http-supplier.ts'

const FIELDS: SignedFields = {
  zfzh: '0001',
  qhm: '123',
  jqbh: '1707100001',
  dsfjybh: '',
  ddbh: '181213189900000003',
  consumeType: 'hiTrade',
}
const BASE = 'consumeType=hiTrade&ddbh=181213189900000003&dsfjybh=&jqbh=1707100001&qhm=123&zfzh=0001'
const KEYS = { secret: 'c5ee600-35e7-11e7-uuuu-23fb85a6b085', timestamp: '1547125938899' }

test('the command of the test vector has the expected base and signature', () => {
  assert.equal(signedBase(FIELDS), BASE)
  assert.equal(signCommand(FIELDS, KEYS), '2bc88034cf39a0c173783f161eea8e59')
  assert.equal(signCommand(FIELDS, { ...KEYS, timestamp: 1547125938899 }), signCommand(FIELDS, KEYS))
})

test('null is empty, booleans are 1 and 0, numbers are written as they are', () => {
  const fields = { ...FIELDS, consumeType: null, ddbh: true, dsfjybh: false, jqbh: 7 }
  assert.equal(signedBase(fields), 'consumeType=&ddbh=1&dsfjybh=0&jqbh=7&qhm=123&zfzh=0001')
})

test('unsigned fields do not change the signature, whatever else the command holds', () => {
  const more = { ...FIELDS, sign: 'x', key: 'k', spsl: '1', aaa: 'first' }
  assert.equal(signCommand(more, KEYS), signCommand(FIELDS, KEYS))
})

test('every signed field, the secret and the time change the signature', () => {
  const own = signCommand(FIELDS, KEYS)
  for (const name of Object.keys(FIELDS)) assert.notEqual(signCommand({ ...FIELDS, [name]: 'other' }, KEYS), own, name)
  assert.notEqual(signCommand(FIELDS, { ...KEYS, secret: 'other' }), own)
  assert.notEqual(signCommand(FIELDS, { ...KEYS, timestamp: '1547125938900' }), own)
})
