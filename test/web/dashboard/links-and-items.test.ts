import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { newCard, payByCard } from '../../helpers/payments/gift-cards.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf, hasForm, type Page } from '../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { sendFiles } from '../../helpers/web/sending-files.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ verified: true }))
const row = made(async () => (await getMerchantNamed(service.gateway, shop.id)).merchant)

async function payTestLink(id: string, phone = '0700000000'): Promise<void> {
  const customer = browserOf(service)
  const sent = await customer.send(await customer.get(`/pay/${id}`), '/submit', {
    channel: 'op1_momo',
    phone,
  })
  assert.equal(sent.status, 302)
  service.pass(2000)
  await service.run('follow-charges')
}
const chargesIn = (page: Page) => [...page.text.matchAll(/href="[^"]*\/charges\/(txn_[a-z0-9]+)"/g)].map(([, id]) => id)

test('a link tells what was paid on it, page by page in both directions, and nothing of other links', async () => {
  const owner = await signedInAs(service, shop)
  const api = service.client(shop.keys.test)
  const { body: link } = await api.post('/v1/payment-links', { amount: 2000, allow_multiple_uses: true })
  const { body: other } = await api.post('/v1/payment-links', { amount: 3000, allow_multiple_uses: true })
  const home = `/dashboard/test/links/${link.id}`
  assert.match(mainOf(await owner.get(home)), /Nothing was paid on this link yet/)
  for (let paid = 0; paid < 26; paid += 1) await payTestLink(link.id)
  await payTestLink(other.id)
  await payTestLink(link.id, '0700000001')
  const first = await owner.get(home)
  assert.equal(chargesIn(first).length, 25)
  const older = /href="([^"]+after=txn_[^"]+)"/.exec(first.text)?.[1] ?? ''
  const second = await owner.get(older.replaceAll('&amp;', '&'))
  assert.equal(chargesIn(second).length, 1)
  const back = /href="([^"]+before=txn_[^"]+)"/.exec(second.text)?.[1] ?? ''
  assert.deepEqual(chargesIn(await owner.get(back.replaceAll('&amp;', '&'))), chargesIn(first))
  const foreign = chargesIn(await owner.get(`/dashboard/test/links/${other.id}`))[0]
  assert.equal((await owner.get(`${home}?after=${foreign}`)).status, 400, 'a charge of another link is no place here')
  assert.match(mainOf(first), /allow_multiple_uses/)
})

test('a reusable link comes onto the storefront under a name, once; other links do not', async () => {
  const owner = await signedInAs(service, shop)
  const live = service.client(shop.keys.live)
  const { body: link } = await live.post('/v1/payment-links', {
    amount: 7000,
    allow_multiple_uses: true,
    description: 'Six yards',
  })
  const home = `/dashboard/links/${link.id}`
  const bytes = await sharp({ create: { width: 60, height: 60, channels: 3, background: 'blue' } })
    .jpeg()
    .toBuffer()
  const publish = async (person: Planted, files: { name: string; bytes: Buffer }[] = [], name = 'Kitenge') =>
    sendFiles(person, `${home}/publish`, {
      ...{ files, field: 'picture' },
      fields: { ...formOf(await person.get(home), '/publish').fields, name },
    })
  const { fields } = formOf(await owner.get(home), '/publish')
  const svg = { name: 'a.png', bytes: Buffer.from('<svg onload="alert(1)"/>') }
  assert.match(mainOf(await publish(owner, [svg])), /the picture must be a whole PNG/)
  const both = await Promise.all([publish(owner, [{ name: 'a.jpg', bytes }]), publish(await signedInAs(service, shop))])
  assert.deepEqual(
    both.map(({ status }) => status),
    [303, 303],
  )
  assert.equal(both[0]?.location, both[1]?.location, 'the same item')
  const page = await owner.get(`/pay/@${shop.handle}`)
  assert.match(page.text, /Kitenge.*Six yards/s)
  const item = await owner.get(both[0]?.location ?? '')
  const hidden = await owner.follow(await owner.send(item, '/hide'))
  assert.match(mainOf(hidden), /The item is hidden/)
  assert.doesNotMatch((await owner.get(`/pay/@${shop.handle}`)).text, /Kitenge/)
  const shown = await owner.follow(await owner.send(hidden, '/show'))
  assert.match((await owner.get(`/pay/@${shop.handle}`)).text, /Kitenge/)
  assert.equal(hasForm(await owner.get(home), '/publish'), false)
  await owner.send(shown, '/remove')
  const again = await sendFiles(owner, `${home}/publish`, {
    fields: { ...fields, name: 'x' },
    files: [],
    field: 'picture',
  })
  assert.deepEqual([again.status, /was taken off your storefront/.test(mainOf(again))], [400, true])
  for (const [key, body] of [
    [shop.keys.live, { amount: 7000 }],
    [shop.keys.test, { amount: 7000 }],
  ] as const) {
    const { body: wrong } = await service.client(key).post('/v1/payment-links', body)
    const at = `/dashboard/${wrong.mode === 'test' ? 'test/' : ''}links/${wrong.id}`
    assert.equal(hasForm(await owner.get(at), '/publish'), false)
    const forced = await sendFiles(owner, `${at}/publish`, {
      fields: { ...fields, name: 'x' },
      files: [],
      field: 'picture',
    })
    assert.deepEqual([forced.status, /only a link that can be paid more than once/.test(mainOf(forced))], [400, true])
  }
  const stranger = await signedInAs(service, await service.merchant())
  const own = formOf(await stranger.get('/dashboard'), '/sign-out').fields
  const foreign = await sendFiles(stranger, `${home}/publish`, {
    fields: { ...own, name: 'x' },
    files: [],
    field: 'picture',
  })
  assert.equal(foreign.status, 404)
})

test('the list of items leads both ways and shows their pictures in small', async () => {
  const own = await service.merchant({ verified: true })
  const { merchant } = await getMerchantNamed(service.gateway, own.id)
  for (let made = 1; made <= 28; made += 1) {
    await addItem(service.app, BY_HAND, {
      mode: 'live',
      shop: merchant,
      name: `Item ${made}`,
      amount: 5000,
      description: null,
      picture: null,
    })
    service.pass(1000)
  }
  const owner = await signedInAs(service, own)
  const names = (page: Page) => [...page.text.matchAll(/Item (\d+)</g)].map(([, number]) => Number(number))
  const first = await owner.get('/dashboard/storefront')
  assert.deepEqual([names(first)[0], names(first).length], [28, 25])
  const second = await owner.get(/href="([^"]+after=itm_[^"]+)"/.exec(first.text)?.[1] ?? '')
  assert.deepEqual(names(second), [3, 2, 1])
  assert.deepEqual(names(await owner.get(/href="([^"]+before=itm_[^"]+)"/.exec(second.text)?.[1] ?? '')), names(first))
  const foreign = await signedInAs(service, shop)
  const cursor = /after=(itm_[a-z0-9]+)/.exec(first.text)?.[1]
  assert.equal((await foreign.get(`/dashboard/storefront?after=${cursor}`)).status, 400)
})

test('a card tells what it has paid, and what it paid in full goes back on it', async () => {
  const place = { merchantId: row.id, tag: row.tag }
  const card = await newCard(service, place, 50_000)
  const whole = await payByCard(service, place, { cardId: card.id, amount: 10_000, applied: 10_000 })
  const owner = await signedInAs(service, shop)
  const home = `/dashboard/gift-cards/${card.id}`
  const page = await owner.get(home)
  assert.match(mainOf(page), /What it has paid .*UGX 10,000 UGX 10,000 paid/)
  const other = await newCard(service, place, 5000)
  const wrong = await owner.post(`/dashboard/gift-cards/${other.id}/restore`, {
    ...formOf(page, '/restore').fields,
    charge: whole.id,
  })
  assert.equal(wrong.status, 403, 'the token of a form is for its own address')
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const refused = await cashier.send(await cashier.get(home), '/restore', { charge: whole.id })
  assert.equal(refused.status, 403, 'above the refund limit of a cashier')
  const restored = await owner.follow(await owner.send(page, '/restore', { charge: whole.id }))
  assert.match(mainOf(restored), /its amount is back on the card\. .*UGX 50,000 .*put back/)
  assert.equal(hasForm(restored, '/restore'), false)
})
