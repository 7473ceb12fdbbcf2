import assert from 'node:assert/strict'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Browser, hasForm, type Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() =>
  startLiveService({
    env: {
      TRUSTED_PROXIES: '1',
      RATE_LIMIT_CHECKOUT: '10',
      RATE_LIMIT_CHECKOUT_ALL: '120',
      RATE_LIMIT_PUBLIC_PAGES: '300',
      RATE_LIMIT_POLLS: '60',
      RATE_LIMIT_REPORTS: '5',
    },
  }),
)
const shop = made(() => payShop(service))

const PAYS = { channel: 'op1_momo', phone: '0772123456' }
const MINUTE = 60_000
let hosts = 0

/** A browser at an address that nobody has used before. */
function stranger(): Browser {
  hosts += 1
  return visitor(service, { 'x-forwarded-for': `10.2.0.${hosts}` })
}
function assertBusy(page: Page, mostSeconds: number): void {
  assert.equal(page.status, 429, page.text)
  const seconds = page.headers.get('retry-after') ?? ''
  assert.match(seconds, /^\d+$/)
  assert.ok(Number(seconds) >= 1 && Number(seconds) <= mostSeconds, seconds)
}

test('C7 ten forms a minute from one address on one link; the eleventh shows the form again and writes nothing', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  const browser = stranger()
  for (let nth = 0; nth < 10; nth += 1)
    assert.equal((await browser.post(`/pay/${link}/submit`, PAYS)).status, 302, `${nth}`)
  const before = await service.digest()
  const refused = await browser.post(`/pay/${link}/submit`, PAYS)
  assertBusy(refused, 60)
  assert.ok(hasForm(refused, '/submit'))
  assert.equal(await service.digest(), before)
  const code = await browser.post(`/pay/${link}/apply-voucher`, { code: 'x' })
  assertBusy(code, 60)
  assert.ok(hasForm(code, '/submit'))
  assert.equal((await browser.post(`/pay/${await shop.testLink()}/submit`, PAYS)).status, 302, 'another link')
  assert.equal((await stranger().post(`/pay/${link}/submit`, PAYS)).status, 302, 'another address')
  service.pass(MINUTE)
  assert.equal((await browser.post(`/pay/${link}/submit`, PAYS)).status, 302)
  assert.equal((await chargesOn(service, link)).length, 12)
})

test('codes and payments share these ten, and forms with faults count as well', async () => {
  const link = await shop.link()
  const browser = stranger()
  for (let nth = 0; nth < 5; nth += 1)
    assert.equal((await browser.post(`/pay/${link}/apply-voucher`, { code: 'x' })).status, 302)
  for (let nth = 0; nth < 5; nth += 1)
    assert.equal((await browser.post(`/pay/${link}/submit`, { channel: 'op1_momo', phone: 'x' })).status, 400)
  assertBusy(await browser.post(`/pay/${link}/submit`, { channel: 'op1_momo', phone: 'x' }), 60)
  const code = await browser.post(`/pay/${link}/apply-voucher`, { code: 'ABCD-1' })
  assertBusy(code, 60)
  assert.ok(code.text.includes('ABCD-1'), 'what was typed is not lost')
})

longTest('a hundred and twenty forms a minute from one address over all links', async () => {
  const browser = stranger()
  const links = await Promise.all(Array.from({ length: 13 }, () => shop.testLink({ allow_multiple_uses: true })))
  for (let nth = 0; nth < 120; nth += 1) {
    const page = await browser.post(`/pay/${links[nth % 13]}/submit`, { channel: 'op1_momo', phone: 'x' })
    assert.equal(page.status, 400, `${nth}`)
  }
  assertBusy(await browser.post(`/pay/${await shop.testLink()}/submit`, PAYS), 60)
  assertBusy(await browser.post(`/pay/@${shop.handle}/pay`, { amount: '5000' }), 60)
  service.pass(MINUTE)
  assert.equal((await browser.post(`/pay/@${shop.handle}/pay`, { amount: '5000' })).status, 302)
})

test('ten own amounts a minute from one address make links on one public page', async () => {
  const browser = stranger()
  for (let nth = 0; nth < 10; nth += 1)
    assert.equal((await browser.post(`/pay/@${shop.handle}/pay`, { amount: '5000' })).status, 302)
  const before = await service.digest()
  const refused = await browser.post(`/pay/@${shop.handle}/pay`, { amount: '5000' })
  assertBusy(refused, 60)
  assert.ok(hasForm(refused, '/pay'))
  assert.equal(await service.digest(), before)
})

longTest(
  'three hundred pages and documents a minute from one address; then a page and a document that say so',
  async () => {
    const link = await shop.testLink()
    const browser = stranger()
    const paths = [`/pay/${link}`, `/pay/@${shop.handle}/items.json`, `/pay/${link}0`, `/pay/@${shop.handle}`]
    for (let nth = 0; nth < 300; nth += 1)
      assert.notEqual((await browser.get(paths[nth % 4] as string)).status, 429, `${nth}`)
    const page = await browser.get(`/pay/${link}`)
    assertBusy(page, 60)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    const document = await browser.get(`/pay/@${shop.handle}/items.json`)
    assertBusy(document, 60)
    assert.equal(document.body.code, 'rate_limited')
    assert.equal((await browser.post(`/pay/${link}/submit`, PAYS)).status, 302, 'a payment is counted by itself')
    assert.equal((await stranger().get(`/pay/${link}`)).status, 302)
    service.pass(MINUTE)
    assert.equal((await browser.get(`/pay/${link}/status`)).status, 200)
  },
)

longTest(
  'D11: three hundred forms a minute from one address to links that do not exist; then it has to wait, and only there',
  async () => {
    const browser = stranger()
    const forms = ['submit', 'retry', 'apply-voucher', 'report']
    const unknown = (nth: number) => `/pay/lnk_nobody${nth}/${forms[nth % forms.length]}`
    for (let nth = 0; nth < 300; nth += 1) assert.equal((await browser.post(unknown(nth), PAYS)).status, 404, `${nth}`)
    assertBusy(await browser.post(unknown(0), PAYS), 60)
    assertBusy(await browser.post('/pay/@nobody-at-all/pay', { amount: '5000' }), 60)
    assert.equal((await browser.get('/pay/lnk_nobody')).status, 404, 'pages are counted by themselves')
    const link = await shop.testLink()
    assert.equal((await stranger().post(`/pay/${link}/submit`, PAYS)).status, 302, 'another address')
    service.pass(MINUTE)
    assert.equal((await browser.post(unknown(0), PAYS)).status, 404)
    const paying = stranger()
    for (let nth = 0; nth < 5; nth += 1)
      assert.equal((await paying.post(`/pay/${await shop.testLink()}/submit`, PAYS)).status, 302)
  },
)

test('C8 five reports an hour from one address', async () => {
  const browser = stranger()
  const links: string[] = []
  for (let nth = 0; nth < 6; nth += 1) {
    links.push(await shop.testLink())
    await pay(stranger(), links[nth] as string, PAYS)
  }
  await sandboxDecides(service)
  const report = (link: string) => browser.post(`/pay/${link}/report`, { reason: 'other', details: 'kept?' })
  for (const link of links.slice(0, 5)) assert.equal((await report(link)).status, 302)
  const refused = await report(links[5] as string)
  assertBusy(refused, 3600)
  assert.ok(refused.text.includes('kept?'), 'what was written is not lost')
  assert.ok(refused.text.includes(EN.faults.reported), 'and the wait that is said is the true one')
  assert.equal((await service.rows('select 1 from disputes')).length, 5)
  service.pass(58 * MINUTE)
  assertBusy(await report(links[5] as string), 120)
  service.pass(2 * MINUTE)
  assert.equal((await report(links[5] as string)).status, 302)
})

test('the counted address is the one that the trusted proxy saw, whatever a client claims', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true })
  for (let nth = 0; nth < 11; nth += 1) {
    const liar = visitor(service, { 'x-forwarded-for': `1.2.3.${nth}, 10.3.0.1` })
    const page = await liar.post(`/pay/${link}/submit`, PAYS)
    assert.equal(page.status, nth < 10 ? 302 : 429, `${nth}`)
  }
})

test('without a trusted proxy no client can choose its address', async () => {
  const direct = await startLiveService({ env: { RATE_LIMIT_CHECKOUT: '10' } })
  try {
    const link = await (await payShop(direct)).testLink({ allow_multiple_uses: true })
    for (let nth = 0; nth < 11; nth += 1) {
      const liar = visitor(direct, { 'x-forwarded-for': `10.4.0.${nth}` })
      assert.equal((await liar.post(`/pay/${link}/submit`, PAYS)).status, nth < 10 ? 302 : 429, `${nth}`)
    }
  } finally {
    await direct.close()
  }
})
