import assert from 'node:assert/strict'
import test from 'node:test'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { pay, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const somebody = visitor(service)
const linkRow = async (id: string) =>
  (
    await service.rows<any>(
      'select mode, kind, amount::int, allow_multiple_uses as reusable from payment_links where id = $1',
      [id],
    )
  )[0]

test('an own amount makes a one-shot live link and leads to it; the link can be paid once', async () => {
  const shop = await payShop(service)
  const page = await somebody.get(`/pay/@${shop.handle}`)
  for (const [typed, amount] of [
    ['500', 500],
    ['12,500', 12_500],
    [' 7 000 ', 7000],
    ['5000000', 5_000_000],
  ] as const) {
    const sent = await somebody.send(page, '/pay', {
      amount: typed,
      mode: 'test',
      allow_multiple_uses: 'true',
    })
    assert.match(sent.location, /^\/pay\/lnk_[a-z0-9]{21}$/, typed)
    const id = sent.location.slice('/pay/'.length)
    assert.deepEqual(await linkRow(id), { mode: 'live', kind: 'link', amount, reusable: false })
    assert.equal((await somebody.follow(sent)).status, 200)
  }
  const sent = await somebody.send(page, '/pay', { amount: '5000' })
  const id = sent.location.slice('/pay/'.length)
  await pay(somebody, id)
  assert.equal((await somebody.get(`/pay/${id}`)).location, `/pay/${id}/status`)
})

test('C8 an amount above the limit names the most that can be paid, and one below the least', async () => {
  const shop = await payShop(service)
  const tried = async (amount: string) => (await somebody.post(`/pay/@${shop.handle}/pay`, { amount })).text
  const { faults, storefront } = EN
  const [least, most] = [storefront.atLeast('UGX 500'), (amount: string) => storefront.atMost(`UGX ${amount}`)]
  const said: [string, number | null, string, string][] = [
    ['5000001', null, faults.amount_over, most('5,000,000')],
    ['9'.repeat(16), null, faults.amount_over, most('5,000,000')],
    ['700001', 700_000, faults.amount_over, most('700,000')],
    ['499', 700_000, faults.amount, least],
    ['many', 700_000, faults.amount, least],
  ]
  for (const [typed, chargeLimit, fault, hint] of said) {
    await service.set(shop.merchant, { chargeLimit })
    const page = await tried(typed)
    assert.ok(page.includes(fault) && page.includes(hint), `${typed}: ${page}`)
  }
})

test('an amount that cannot be paid shows the page again as typed, 400, and makes nothing', async () => {
  const shop = await payShop(service)
  await service.set(shop.merchant, { chargeLimit: 1_000_000 })
  const before = await service.digest()
  for (const typed of [
    '',
    '0',
    '499',
    '-500',
    '500.5',
    '1e6',
    '0500',
    '0772123456',
    'x',
    '１０００',
    '99999999999999999999',
    '1,00,000',
    '1000001',
    '\0',
  ]) {
    const page = await somebody.post(`/pay/@${shop.handle}/pay`, { amount: typed })
    assert.equal(page.status, 400, typed)
    if (/^[\x20-\x7e]+$/.test(typed)) assert.equal(formOf(page, '/pay').fields.amount, typed)
  }
  assert.equal(await service.digest(), before)
})
