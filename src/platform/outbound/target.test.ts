import assert from 'node:assert/strict'
import test from 'node:test'
import { isAddressAllowed, parseTarget, type TargetRules } from './target.ts'

// The table of reliability.md 7.5, written out: first address, last address, and the public neighbours on both sides.
const IPV4_REFUSED: [first: string, last: string, publicNeighbours: string[]][] = [
  ['0.0.0.0', '0.255.255.255', ['1.0.0.0']],
  ['10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
  ['74.220.48.0', '74.220.48.255', ['74.220.47.255', '74.220.49.0']],
  ['74.220.56.0', '74.220.56.255', ['74.220.55.255', '74.220.57.0']],
  ['100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
  ['169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
  ['192.0.2.0', '192.0.2.255', ['192.0.1.255', '192.0.3.0']],
  ['192.31.196.0', '192.31.196.255', ['192.31.195.255', '192.31.197.0']],
  ['192.52.193.0', '192.52.193.255', ['192.52.192.255', '192.52.194.0']],
  ['192.88.99.0', '192.88.99.255', ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
  ['192.175.48.0', '192.175.48.255', ['192.175.47.255', '192.175.49.0']],
  ['198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0', '198.51.100.255', ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0', '203.0.113.255', ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0', '239.255.255.255', ['223.255.255.255']],
  ['240.0.0.0', '255.255.255.255', []],
]

const ONES = 'ffff:ffff:ffff:ffff:ffff:ffff'
const IPV6_REFUSED: [first: string, last: string, publicNeighbours: string[]][] = [
  ['::', `1fff:ffff:${ONES}`, ['2000::']],
  ['::1', '::1', []],
  ['::', '::255.255.255.255', []],
  ['::ffff:0:0', '::ffff:255.255.255.255', []],
  ['::ffff:8.8.8.8', '::ffff:0:8.8.8.8', []],
  ['64:ff9b::', '64:ff9b::255.255.255.255', []],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', []],
  ['100::', '100::ffff:ffff:ffff:ffff', []],
  ['2001::', `2001:1ff:${ONES}`, [`2000:ffff:${ONES}`, '2001:200::']],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', []],
  ['2001:10::', `2001:2f:${ONES}`, []],
  ['2001:db8::', `2001:db8:${ONES}`, [`2001:db7:${ONES}`, '2001:db9::']],
  ['2002::', `2002:ffff:${ONES}`, [`2001:ffff:${ONES}`, '2003::']],
  ['3fff::', `3fff:fff:${ONES}`, [`3ffe:ffff:${ONES}`, '3fff:1000::', `3fff:ffff:${ONES}`]],
  ['4000::', `5eff:ffff:${ONES}`, []],
  ['5f00::', `5f00:ffff:${ONES}`, []],
  ['fc00::', `fdff:ffff:${ONES}`, []],
  ['fe80::', `febf:ffff:${ONES}`, []],
  ['fec0::', `feff:ffff:${ONES}`, []],
  ['ff00::', `ffff:ffff:${ONES}`, []],
  ['fe80::1%eth0', '2606:4700::1111%eth0', []],
]

for (const [family, table] of [['IPv4', IPV4_REFUSED] as const, ['IPv6', IPV6_REFUSED] as const]) {
  test(`both ends of every refused ${family} range are refused and the public neighbours pass`, () => {
    for (const [first, last, neighbours] of table) {
      assert.equal(isAddressAllowed(first), false, first)
      assert.equal(isAddressAllowed(last), false, last)
      for (const neighbour of neighbours) assert.equal(isAddressAllowed(neighbour), true, neighbour)
    }
  })
}

test('text that is not plainly an address is refused', () => {
  for (const text of [
    '',
    'shop.ug',
    '8.8.8',
    '010.8.8.8',
    '0x08.8.8.8',
    '134744072',
    '8.8.8.8/32',
    '[2606::1]',
    ' 8.8.8.8',
  ])
    assert.equal(isAddressAllowed(text), false, text)
  for (const text of ['8.8.8.8', '154.72.194.1', '2606:4700:4700::1111', '2C0F:FEB8::1'])
    assert.equal(isAddressAllowed(text), true, text)
})

const RULES: TargetRules = {
  ownHosts: ['pay.gateway.ug', 'Api.Gateway.UG', '154.72.194.9', '2606:4700:0:0::99'],
  allowPrivate: ['localhost:3000', '127.0.0.1:4000', '[::1]:5000', 'machine.lan:80', 'Sim.Internal:8443'],
}

// URLs separated by spaces; those that contain spaces are below.
const REFUSED: Record<string, string> = {
  'not a url': `
    shop.ug //shop.ug/x /hook https:// https://shop.ug:99999/ https://256.1.1.1/ https://1.2.3.4.5/
    https://[::1/ https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://0x100000000/ https://%00.ug/
    https://a%2fb.ug/`,
  scheme: `
    http://shop.ug/ ftp://shop.ug/ file:///etc/passwd gopher://shop.ug:6379/_x data:text/plain,x
    javascript:alert(1) ws://shop.ug/ HTTP://shop.ug/ http://127.0.0.1:4001/ ftp://localhost:3000/`,
  'user info': `
    https://user@shop.ug/ https://user:pass@shop.ug/ https://:pass@shop.ug/ https://shop.ug@127.0.0.1/
    https://shop.ug%20@10.0.0.1/ http://me@localhost:3000/`,
  fragment: `
    https://shop.ug/# https://shop.ug/hook#top https://shop.ug/?a=1#@127.0.0.1 http://localhost:3000/#x`,
  port: `
    https://shop.ug:22/ https://shop.ug:25/ https://shop.ug:80/ https://shop.ug:0/ https://shop.ug:442/
    https://shop.ug:444/ https://shop.ug:1023/ https://shop.ug:3306/ https://shop.ug:5432/
    https://shop.ug:6379/ https://shop.ug:9200/ https://shop.ug:11211/ https://shop.ug:27017/
    https://shop.ug:5672/ https://shop.ug:9092/ https://shop.ug:2379/ https://shop.ug:2375/
    https://shop.ug:06379/`,
  'own host': `
    https://pay.gateway.ug/hook https://PAY.GATEWAY.UG/hook https://api.gateway.ug:8443/
    https://154.72.194.9/ https://2588459529/ https://[2606:4700::99]/ https://ｐay.gateway.ug/`,
  'host name': `
    https://localhost/ https://LOCALHOST/ https://intranet/ https://localhost./ https://shop.ug./
    https://a.localhost/ https://printer.local/ https://metadata.google.internal/ https://router.lan/
    https://nas.home.arpa/ https://home.arpa/ https://abc.onion/ https://shop.test/
    https://shop.example/ https://shop.invalid/ https://machine.lan/ https://machine.lan:8080/
    https://shop。internal/ https://%6cocalhost/ https://ｌｏｃａｌｈｏｓｔ/ https://sim.internal:8444/`,
  'private address': `
    https://127.0.0.1/ https://127.1/ https://127.0.1/ https://2130706433/ https://0x7f000001/
    https://0x7f.1/ https://0177.0.0.1/ https://017700000001/ https://１２７.０.０.１/ https://127。0。0。1/
    https://%31%32%37.0.0.1/ https://127.0.0.1./ https://0/ https://0.0.0.0/ https://10.1.2.3/
    https://172.16.0.1/ https://192.168.1.1/ https://3232235777/
    https://169.254.169.254/latest/meta-data/ https://0xa9fea9fe/ https://0251.0376.0251.0376/
    https://100.64.0.1/ https://198.18.0.1/ https://224.0.0.1/ https://255.255.255.255/
    https://74.220.48.7/ https://74.220.56.200/ https://[::]/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/
    https://[::127.0.0.1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:8.8.8.8]/
    https://[64:ff9b::8.8.8.8]/ https://[2002:7f00:1::]/ https://[2001::1]/ https://[2001:db8::1]/
    https://[fc00::1]/ https://[fe80::1]/ https://[ff02::1]/ https://127.0.0.1:4001/ https:127.0.0.1`,
}

const REFUSED_WITH_ODD_CHARACTERS = {
  '': 'not a url',
  'https://shop .ug/': 'not a url',
  'https://local\thost/': 'host name',
  'https:\\\\127.0.0.1\\hook': 'private address',
}

for (const [why, urls] of Object.entries(REFUSED)) {
  test(`refused by reason of: ${why}`, () => {
    for (const url of urls.trim().split(/\s+/)) assert.deepEqual(parseTarget(url, RULES), { kind: 'refused', why }, url)
  })
}

test('spaces, tabs, backslashes and an empty text are judged by what the parser makes of them', () => {
  for (const [url, why] of Object.entries(REFUSED_WITH_ODD_CHARACTERS))
    assert.deepEqual(parseTarget(url, RULES), { kind: 'refused', why }, url)
})

test('public targets pass with the host, port and address that the socket will use', () => {
  const passed: [url: string, host: string, port: number, literal: string | null][] = [
    ['https://shop.ug/hook?x=1', 'shop.ug', 443, null],
    ['https://shop.ug:443/', 'shop.ug', 443, null],
    ['https://shop.ug:1024/', 'shop.ug', 1024, null],
    ['https://Shop.UG:8443/', 'shop.ug', 8443, null],
    ['https://shop.ug:65535/', 'shop.ug', 65535, null],
    ['https://hooks.example.com/', 'hooks.example.com', 443, null],
    ['https://localhost.shop.ug/', 'localhost.shop.ug', 443, null],
    ['https://my-local.ug/', 'my-local.ug', 443, null],
    ['https://b\u00fccher.ug/', 'xn--bcher-kva.ug', 443, null],
    ['https://a_b.shop.ug/', 'a_b.shop.ug', 443, null],
    ['https://sub.pay.gateway.ug/', 'sub.pay.gateway.ug', 443, null],
    ['  https://shop.ug/  ', 'shop.ug', 443, null],
    ['https://8.8.8.8/', '8.8.8.8', 443, '8.8.8.8'],
    ['https://134744072/', '8.8.8.8', 443, '8.8.8.8'],
    ['https://[2606:4700:4700::1111]:8443/', '[2606:4700:4700::1111]', 8443, '2606:4700:4700::1111'],
  ]
  for (const [text, host, port, literal] of passed) {
    const expected = { url: new URL(text), host, port, exempt: false, literal }
    assert.deepEqual(parseTarget(text, RULES), { kind: 'ok', target: expected }, text)
  }
})

test('an entry of the allow-list lifts the rules for scheme, port and address, and only for its exact pair', () => {
  const passed = `
    http://localhost:3000/x https://localhost:3000/ http://127.0.0.1:4000/ http://2130706433:4000/
    http://[::1]:5000/ http://machine.lan/ http://machine.lan:80/ https://sim.internal:8443/
    http://localhost:4000/ http://LOCALHOST:5000/ http://127.0.0.1:3000/ http://[::1]:3000/`
  for (const url of passed.trim().split(/\s+/)) {
    const reading = parseTarget(url, RULES)
    assert.equal(reading.kind === 'ok' && reading.target.exempt, true, url)
  }
  for (const url of [
    'http://localhost:3001/',
    'http://localhost/',
    'http://127.0.0.1/',
    'http://[::1]:4000/',
    'https://a.localhost:3000/',
  ])
    assert.equal(parseTarget(url, RULES).kind, 'refused', url)
})

test('localhost is called at the address that the allow-list names', () => {
  const literalOf = (url: string) => {
    const reading = parseTarget(url, RULES)
    return reading.kind === 'ok' ? reading.target.literal : 'refused'
  }
  assert.equal(literalOf('http://localhost:4000/'), '127.0.0.1')
  assert.equal(literalOf('http://localhost:5000/'), '::1')
  assert.equal(literalOf('http://localhost:3000/'), null)
  assert.equal(literalOf('http://[::1]:3000/'), '::1')
})

test('a URL of 2,048 characters passes and a longer one does not', () => {
  const url = (length: number) => 'https://shop.ug/'.padEnd(length, 'a')
  assert.equal(parseTarget(url(2048), RULES).kind, 'ok')
  assert.deepEqual(parseTarget(url(2049), RULES), { kind: 'refused', why: 'too long' })
})

test('a list of ports narrows the rule and never widens it', () => {
  const narrow = { ...RULES, onlyPorts: [443, 22, 5432] }
  const open = [443, 22, 5432, 8443].filter((port) => parseTarget(`https://shop.ug:${port}/`, narrow).kind === 'ok')
  assert.deepEqual(open, [443])
})
