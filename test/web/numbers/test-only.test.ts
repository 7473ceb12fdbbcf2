import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startPayingService())
const shop = made(() => payShop(service))
const choicesOf = ({ text }: Page) =>
  [...text.matchAll(/<label class="choice">.*?<span>(.*?)<\/span>/gs)].map(([, html = '']) =>
    html.replace(/<[^>]*>/g, ''),
  )

test('a link in test mode offers first what live offers, and marks what only the sandbox has in each language', async () => {
  const link = await shop.testLink()
  for (const [language, choices] of [
    ['en', ['MTN MoMo', 'Airtel Money test only', 'Card test only']],
    ['lg', ['MTN MoMo', 'Airtel Money mu kugezesa mwokka', 'Kaadi mu kugezesa mwokka']],
    ['sw', ['MTN MoMo', 'Airtel Money jaribio tu', 'Kadi jaribio tu']],
  ] as const)
    assert.deepEqual(choicesOf(await visitor(service).get(`/pay/${link}?lang=${language}`)), choices)
  const browser = visitor(service)
  const sent = await browser.send(await browser.get(`/pay/${link}`), '/submit', {
    channel: 'op2_money',
    phone: '0700000000',
  })
  assert.equal(sent.status, 302, 'what is marked can still be tried')
  assert.doesNotMatch((await visitor(service).get(`/pay/${await shop.link()}`)).text, /test only/)
})

test('the filter of payments marks in test mode what only the sandbox has', async () => {
  const owner = await signedInAs(service, shop.merchant)
  assert.match(
    (await owner.get('/dashboard/test/charges')).text,
    /MTN MoMo<.*Airtel Money \(test only\)<.*Card \(test only\)</s,
  )
  assert.doesNotMatch((await owner.get('/dashboard/charges')).text, /test only/)
})
