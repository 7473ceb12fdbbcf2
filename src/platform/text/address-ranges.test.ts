import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { type AddressRange, formatAddressRange, isInRanges, networkOf, parseAddressRange } from './address-ranges.ts'

const parse = (text: string): AddressRange => {
  const range = parseAddressRange(text)
  assert.ok(range, text)
  return range
}

test('addresses and networks are read as people write them, and printed in one form', () => {
  const cases = [
    ['41.210.1.7', '41.210.1.7'],
    ['41.210.1.7/32', '41.210.1.7'],
    ['41.210.0.0/16', '41.210.0.0/16'],
    ['2C0F:EB00:0::/32', '2c0f:eb00::/32'],
    ['2c0f:eb00::1', '2c0f:eb00::1'],
    ['::ffff:41.210.1.7', '41.210.1.7'],
    ['::ffff:41.210.0.0/112', '41.210.0.0/16'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ] as const
  for (const [text, printed] of cases) assert.equal(formatAddressRange(parse(text)), printed, text)
})

test('what is no address is refused', () => {
  const wrong = [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '010.0.0.1',
    '1.2.3.256',
    '0x7f.1.1.1',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.4/-1',
  ]
  for (const text of [...wrong, '::1%eth0', '::/129', '::ffff:1.2.3.4/95', 'shop.example', '1.2.3.4:80', '[::1]'])
    assert.equal(parseAddressRange(text), null, text)
})

test('the network of an address has no bits behind it', () => {
  const cases = [
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.255/25', '10.1.2.128/25'],
    ['2c0f:ff::1/15', '2c0e::/15'],
    ['1.2.3.4/0', '0.0.0.0/0'],
  ] as const
  for (const [text, network] of cases) assert.equal(formatAddressRange(networkOf(parse(text))), network, text)
})

test('an address is in its network alone, and never in one of the other kind', () => {
  const ranges = ['41.210.1.7', '10.0.0.0/8', '2c0f:eb00::/32'].map(parse)
  const isIn = (text: string) => isInRanges(ipaddr.process(text), ranges)
  for (const text of ['41.210.1.7', '10.255.0.1', '2c0f:eb00:ffff::1', '::ffff:10.0.0.1']) assert.ok(isIn(text), text)
  for (const text of ['41.210.1.8', '11.0.0.1', '2c0f:eb01::1', '::1', '::a00:1']) assert.ok(!isIn(text), text)
})
