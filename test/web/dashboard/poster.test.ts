import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { unescaped } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ name: 'Mama <b>Nakato', verified: true }))
const LINKS = '/dashboard/test/links'

test('a link is shared by WhatsApp and SMS with its text, and printed as a poster or sticker in three languages', async () => {
  const { body: link } = await service
    .client(shop.keys.test)
    .post('/v1/payment-links', { amount: 25_000, description: 'School fees & books' })
  const till = await signedInAs(service, shop, { role: 'cashier' })
  const page = await till.get(`${LINKS}/${link.id}`)
  const says = `Mama <b>Nakato asks you for UGX 25,000 for School fees & books. Pay here by mobile money: ${link.url}`
  for (const start of ['https://wa.me/?text=', 'sms:?body='])
    assert.ok(unescaped(page.text).includes(`${start}${encodeURIComponent(says)}`), start)
  for (const [query, size] of [
    ['', 'a4'],
    ['?size=a6', 'a6'],
    ['?size=huge', 'a4'],
  ] as const) {
    const poster = await till.get(`${LINKS}/${link.id}/poster${query}`)
    assert.ok(poster.text.includes(`class="poster ${size}"`), query)
    assert.ok(poster.text.includes(`/pay/${link.id}/qr.svg`))
    assert.match(
      mainOf(poster),
      /UGX 25,000 School fees & books .*Scan the code .*Wandiika ennamba yo.*Weka namba yako/,
    )
    assert.doesNotMatch(poster.text, /<b>Nakato/)
  }
  const stranger = await signedInAs(service, await service.merchant())
  assert.equal((await stranger.get(`${LINKS}/${link.id}/poster`)).status, 404)
  assert.equal((await till.get(`/dashboard/links/${link.id}/poster`)).status, 404)
})

test('the public page has a poster in live mode, with its address', async () => {
  const owner = await signedInAs(service, shop)
  const poster = await owner.get('/dashboard/storefront/poster')
  assert.ok(mainOf(poster).includes(`/pay/@${shop.handle}`))
  assert.ok(poster.text.includes(`/pay/@${shop.handle}/qr.svg`))
  assert.doesNotMatch((await owner.get('/dashboard/test/storefront/poster')).text, /class="poster/)
})
