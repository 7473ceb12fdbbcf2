import assert from 'node:assert/strict'
import { request } from 'node:http'
import test from 'node:test'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Fields, hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))
const somebody = visitor(service)

const live = () => ({ channel: 'op1_momo', phone: newPayer() })
const from = (headers: Record<string, string | undefined>) =>
  visitor(service, { 'sec-fetch-site': undefined, ...headers })

test('a form sent by another site shows the customer the form again, 403, and sends no prompt', async () => {
  const link = await shop.link()
  const before = await service.digest()
  const prompts = service.operator.submits()
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: service.url },
    { 'sec-fetch-site': 'cross-site', origin: service.url },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: `${service.url}.evil.example` },
    { origin: 'https://evil.example/127.0.0.1' },
  ]) {
    const page = await from(headers).post(`/pay/${link}/submit`, live())
    assert.deepEqual([page.status, hasForm(page, '/submit')], [403, true], JSON.stringify(headers))
  }
  assert.equal(await service.digest(), before)
  assert.equal(service.operator.submits(), prompts)
})

test('no other form can be sent by another site either', async () => {
  const [link, card] = [await shop.testLink(), await shop.card(4000)]
  await pay(somebody, link, { phone: '0700000001' })
  await sandboxDecides(service)
  const evil = from({ 'sec-fetch-site': 'cross-site' })
  const live = await shop.link()
  const [[misses], before] = [await service.rows('select count(*) from voucher_misses'), await service.digest()]
  assert.equal((await evil.post(`/pay/${link}/retry`, {})).location, `/pay/${link}/status`)
  const applied = await evil.post(`/pay/${live}/apply-voucher`, { code: card.code })
  assert.deepEqual([applied.location, applied.setCookies], [`/pay/${live}`, []])
  await evil.post(`/pay/${live}/apply-voucher`, { code: 'AAAA-BBBB-CCCC' })
  assert.equal((await evil.post(`/pay/@${shop.handle}/pay`, { amount: '1000' })).status, 403)
  assert.equal(await service.digest(), before)
  assert.deepEqual((await service.rows('select count(*) from voucher_misses'))[0], misses)
})

test('a browser that does not say where it comes from is accepted, and so is one from our own address', async () => {
  for (const headers of [
    {},
    { origin: service.url },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]) {
    const page = await from(headers).post(`/pay/${await shop.link()}/submit`, live())
    assert.equal(page.status, 302, JSON.stringify(headers))
  }
})

test('a number that was copied from a chat or a document is read as it looks', async () => {
  for (const [before, behind] of [
    ['\u2068', '\u2069'],
    ['\u202a', '\u202c'],
    ['\ufeff', '\t'],
    ['\u00a0', '\u200e'],
  ]) {
    const [link, payer] = [await shop.link(), newPayer()]
    const phone = `${before}0${payer.slice(3, 6)}\u2011${payer.slice(6, 9)}\u00a0${payer.slice(9)}${behind}`
    const page = await somebody.post(`/pay/${link}/submit`, { channel: 'op1_momo', phone })
    assert.equal(page.status, 302, JSON.stringify(phone))
    const [charge] = await service.rows<{ phone: string }>('select phone from charges where payment_link_id = $1', [
      link,
    ])
    assert.equal(charge?.phone, payer)
  }
})

test('amount, mode, merchant, card and all other extra fields of an edited form are ignored', async () => {
  const [link, other] = [await shop.link({ amount: 10_000 }), await payShop(service)]
  const form = await somebody.get(`/pay/${link}`)
  const sent = await somebody.send(form, '/submit', {
    phone: newPayer(),
    amount: '1',
    due: '1',
    amount_due: '1',
    mode: 'test',
    merchant: other.handle,
    merchant_id: '1',
    id: 'lnk_',
    charge: 'txn_',
    gift_card_amount: '9999',
    applied: '9999',
    cardId: 'gc_',
    fee: '0',
    reference: 'stolen',
    status: 'succeeded',
    currency: 'USD',
    success_url: 'https://evil.example',
    __proto__: 'x',
    constructor: 'x',
  })
  assert.equal(sent.status, 302)
  const charge = await chargeOn(service, link)
  assert.deepEqual([charge.amount, charge.card, charge.status], [10_000, 0, 'authorized'])
  const { body } = await shop.live.get(`/v1/charges/${charge.id}`)
  assert.deepEqual([body.mode, body.reference, body.currency], ['live', null, 'UGX'])
  assert.equal(service.entryOf(charge.id)?.amount, 10_000)
})

/** Bodies that no browser sends from our form, each with its content type. */
const FORM = 'application/x-www-form-urlencoded'
const BODIES: [string, Fields, string?][] = [
  ['nothing', ''],
  ['blanks', '   '],
  ['ampersands', '&&&===&'],
  ['a NUL in the phone', 'channel=op1_momo&phone=%00'],
  ['a NUL in the email', 'channel=op1_momo&phone=0772123456&email=a%00@b.example'],
  ['a line in the email', 'channel=op1_momo&phone=0772123456&email=a%0d%0a@b.example'],
  ['a line behind the email', 'channel=op1_momo&phone=0772123456&email=a@b.example%0d%0aBcc:%20c@d.example'],
  ['two addresses', 'channel=op1_momo&phone=0772123456&email=a@b@c'],
  ['a long email', `channel=op1_momo&phone=0772123456&email=${'a'.repeat(250)}@b.example`],
  ['lone bytes', Buffer.from('channel=op1_momo&phone=\xff\xfe\x80', 'latin1') as never],
  ['escaped lone bytes', 'channel=op1_momo&phone=%ff%fe%80&email=%c3'],
  ['broken escapes', 'channel=op1_momo&phone=%zz%'],
  ['a phone of a spreadsheet', 'channel=op1_momo&phone=77212345.0'],
  ['letters', 'channel=op1_momo&phone=javascript:alert(1)'],
  ['words of objects', 'constructor=x&__proto__=y&hasOwnProperty=z&toString=1'],
  ['JSON', '{"channel":"op1_momo","phone":"0772123456"}', 'application/json'],
  [
    'parts',
    '--x\r\ncontent-disposition: form-data; name="phone"\r\n\r\n0772123456\r\n--x--',
    'multipart/form-data; boundary=x',
  ],
  ['plain text', 'channel=op1_momo\r\nphone=0772123456\r\n', 'text/plain'],
  ['a wrong phone first', 'channel=op1_momo&phone=1&phone=0772123456'],
  ['a wrong channel first', 'channel=x&channel=op1_momo&phone=0772123456'],
  ['an XML', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 'text/xml'],
  ['bytes', Buffer.alloc(3000, 0) as never, 'application/octet-stream'],
]

test('a body that is not one of our forms shows the form again with an explanation, 400; nothing is written', async () => {
  const [link, before] = [await shop.link(), await service.digest()]
  for (const [what, body, type = FORM] of BODIES) {
    const page = await somebody.post(`/pay/${link}/submit`, body, { 'content-type': type })
    assert.deepEqual([page.status, hasForm(page, '/submit')], [400, true], `${what}: ${page.text.slice(-500)}`)
  }
  assert.equal(await service.digest(), before)
})

test('the other forms answer the same bodies without a server error', async () => {
  const [link, paid] = [await shop.link(), await shop.testLink()]
  await pay(somebody, paid, { phone: '0772123456' })
  await sandboxDecides(service)
  const before = await service.digest()
  for (const [what, body, type = FORM] of BODIES) {
    const sent = { 'content-type': type }
    assert.equal((await somebody.post(`/pay/${link}/apply-voucher`, body, sent)).status, 302, what)
    assert.equal((await somebody.post(`/pay/${link}/retry`, body, sent)).status, 302, what)
    assert.equal((await somebody.post(`/pay/${paid}/report`, body, sent)).status, 400, what)
    assert.equal((await somebody.post(`/pay/@${shop.handle}/pay`, body, sent)).status, 400, what)
  }
  assert.equal(await service.digest(), before)
})

test('a body of a megabyte is refused with a page, and nothing is written', async () => {
  const [link, before] = [await shop.link(), await service.digest()]
  for (const size of [33 * 1024, 1_048_576, 2_000_000])
    for (const action of ['submit', 'apply-voucher', 'retry', 'report']) {
      const body = `phone=${'0'.repeat(size)}`
      const page = await somebody.post(`/pay/${link}/${action}`, body).catch(() => null)
      // A connection that is cut while the rest is being sent is allowed too.
      if (page !== null) assert.equal(page.status, 413, `${action} ${size}`)
    }
  assert.equal(await service.digest(), before)
  assert.equal((await somebody.get(`/pay/${link}`)).status, 200)
})

test('of a field that is sent twice the first counts', async () => {
  const link = await shop.link()
  const [first, second] = [newPayer(), newPayer()]
  const fields = new URLSearchParams([
    ['channel', 'op1_momo'],
    ['channel', 'card'],
    ['phone', first],
    ['phone', second],
    ['email', 'first@shop.example'],
    ['email', 'second@shop.example'],
  ])
  assert.equal((await somebody.post(`/pay/${link}/submit`, fields)).status, 302)
  const charge = await chargeOn(service, link)
  assert.deepEqual([charge.phone, charge.email], [first, 'first@shop.example'])
})

test('phones are accepted in the forms in which people write them', async () => {
  for (const phone of ['0772123456', '+256772123456', '256 772 123 456', ' 0772-123-456 ', '772123456']) {
    const link = await shop.testLink()
    assert.equal((await pay(somebody, link, { phone })).status, 302, phone)
    assert.equal((await chargeOn(service, link)).phone, '256772123456')
  }
  const link = await shop.testLink()
  for (const phone of ['', '1', '07721234567890123', '0772 1234', 'abc', '٠٧٧٢١٢٣٤٥٦'])
    assert.equal((await pay(somebody, link, { phone })).status, 400, phone)
  assert.deepEqual(await chargesOn(service, link), [])
})

/** One request with exactly these headers, including `Host`. */
function raw(path: string, headers: Record<string, string>, body: string): Promise<number> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('behind a proxy with another host name, forms from our public address are accepted, and from that host too', async () => {
  const form = { 'content-type': FORM, host: 'inside:3000' }
  const post = async (origin: string) => {
    const body = new URLSearchParams(live()).toString()
    return raw(`/pay/${await shop.link()}/submit`, { ...form, origin }, body)
  }
  assert.equal(await post(service.url), 302)
  assert.equal(await post('http://inside:3000'), 302)
  assert.equal(await post('http://outside:3000'), 403)
})
