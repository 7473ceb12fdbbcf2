import assert from 'node:assert/strict'
import test from 'node:test'
import sharp from 'sharp'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { editItem, removeItem } from '../../../src/selling/storefront/change-item.ts'
import type { ShopItem } from '../../../src/selling/storefront/item.ts'
import { makeItemPicture } from '../../../src/selling/storefront/picture.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { hasForm, type Page } from '../../helpers/web/browser.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { pay, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const somebody = visitor(service)

/** Adds items with these names in this order, one second apart. */
async function offer(shop: PayShop, names: readonly string[], picture: Buffer | null = null): Promise<ShopItem[]> {
  const items: ShopItem[] = []
  for (const [at, name] of names.entries()) {
    const wanted = { name, amount: 5000 + at, description: at % 2 === 0 ? `About ${name}` : null, picture }
    items.push((await addItem(service.app, BY_HAND, { mode: 'live', shop: shop.row, ...wanted })).item)
    service.pass(1000)
  }
  return items
}
const linksOn = (page: Page) => [...page.text.matchAll(/href="\/pay\/(lnk_[a-z0-9]{21})"/g)].map(([, id = '']) => id)

test('a public page shows its items, newest first, and an item is paid like any link', async () => {
  const shop = await payShop(service)
  const items = await offer(shop, ['Mangoes', 'Eggs', 'Milk'])
  const page = await somebody.get(`/pay/@${shop.handle}`)
  assert.equal(page.status, 200)
  assert.ok(page.text.includes(shop.row.name))
  assert.deepEqual(linksOn(page), items.map(({ linkId }) => linkId).reverse())
  for (const says of ['Mangoes', 'About Mangoes', '5,000', '5,002', `/pay/@${shop.handle}/qr.svg`])
    assert.ok(page.text.includes(says), says)
  const link = items[0]?.linkId ?? ''
  const sent = await pay(somebody, link)
  assert.match(sent.location, /\?charge=txn_/)
  await succeed(service, (await chargeOn(service, link)).id)
  assert.equal((await somebody.get(sent.location)).status, 200)
})

test('six items a page, and every item on exactly one page and in one document', async () => {
  const shop = await payShop(service)
  const items = await offer(
    shop,
    Array.from({ length: 15 }, (_, at) => `Thing ${at}`),
  )
  const expected = items.map(({ linkId }) => linkId).reverse()
  const shown: string[] = []
  let path = `/pay/@${shop.handle}`
  for (const size of [6, 6, 3]) {
    const page = await somebody.get(path)
    assert.equal(linksOn(page).length, size)
    shown.push(...linksOn(page))
    const next = /href="(\/pay\/@[a-z0-9-]+\?before_id=itm_[a-z0-9]{21})"/.exec(page.text)?.[1]
    assert.equal(next !== undefined, size === 6)
    path = next ?? ''
  }
  assert.deepEqual(shown, expected)
  const told: any[] = []
  let query = ''
  for (const size of [6, 6, 3]) {
    const { body, status } = await somebody.get(`/pay/@${shop.handle}/items.json${query}`)
    assert.deepEqual([status, body.items.length, 'next_before_id' in body], [200, size, size === 6])
    told.push(...body.items)
    query = `?before_id=${body.next_before_id}`
  }
  assert.deepEqual(
    told.map(({ url }) => url),
    expected.map((id) => `${service.url}/pay/${id}`),
  )
  assert.deepEqual(told.at(-1), {
    id: items[0]?.id,
    name: 'Thing 0',
    description: 'About Thing 0',
    amount: 5000,
    url: `${service.url}/pay/${items[0]?.linkId}`,
  })
  assert.deepEqual(Object.keys(told.at(-2)).sort(), ['amount', 'id', 'name', 'url'])
  for (const wrong of ['', 'itm_', '%00', "'", 'x'.repeat(500), items[0]?.linkId, '%ff'])
    assert.equal((await somebody.get(`/pay/@${shop.handle}/items.json?before_id=${wrong}`)).body.items.length, 6)
})

test('test links, one-shot links, links without items, hidden and removed items and those of others are not shown', async () => {
  const [shop, other] = [await payShop(service), await payShop(service)]
  const [kept, hidden, removed, dearer] = (await offer(shop, ['A', 'B', 'C', 'D'])) as [
    ShopItem,
    ShopItem,
    ShopItem,
    ShopItem,
  ]
  await offer(other, ['Foreign'])
  await Promise.all([shop.link(), shop.testLink(), shop.link({ allow_multiple_uses: true })])
  await somebody.post(`/pay/@${shop.handle}/pay`, { amount: '7000' })
  await shop.switchLink(hidden.linkId, 'off')
  await removeItem(service.app, BY_HAND, { shop: shop.row, id: removed.id })
  const changed = await editItem(service.app, BY_HAND, {
    shop: shop.row,
    id: dearer.id,
    change: { amount: 9000 },
  })
  const page = await somebody.get(`/pay/@${shop.handle}`)
  assert.deepEqual(linksOn(page), [changed.linkId, kept.linkId])
  const { body } = await somebody.get(`/pay/@${shop.handle}/items.json`)
  assert.deepEqual(
    body.items.map(({ id }: ShopItem) => id),
    [changed.id, kept.id],
  )
  assert.equal(hasForm(await somebody.get(`/pay/${dearer.linkId}`), '/submit'), false, 'the old price is off')
})

test('a shop that is not verified or is switched off says so and sells nothing; an unknown one is a 404', async () => {
  const shop = await payShop(service)
  await offer(shop, ['Mangoes'])
  for (const change of [{ kycStatus: 'pending' }, { kycStatus: 'verified', active: false }] as const) {
    await service.set(shop.merchant, change)
    const before = await service.digest()
    const page = await somebody.get(`/pay/@${shop.handle}`)
    assert.deepEqual([page.status, linksOn(page), hasForm(page, '/pay')], [200, [], false])
    assert.deepEqual((await somebody.get(`/pay/@${shop.handle}/items.json`)).body, { items: [] })
    assert.equal((await somebody.post(`/pay/@${shop.handle}/pay`, { amount: '5000' })).status, 409)
    assert.equal(await service.digest(), before)
  }
  for (const handle of ['nobody-here', '', '%00', '..%2f', 'a'.repeat(200), `${shop.handle}%20`, '%ff'])
    for (const rest of ['', '/items.json', '/qr.png', '/pictures/itm_x'])
      assert.equal((await somebody.get(`/pay/@${handle}${rest}`)).status, 404, `${handle}${rest}`)
  assert.equal((await somebody.post('/pay/@nobody-here/pay', { amount: '5000' })).status, 404)
})

test('its QR codes and pictures are files with their own headers, cached as long as they are valid', async () => {
  const shop = await payShop(service)
  const made = await sharp({ create: { width: 640, height: 400, channels: 3, background: '#1f7a5c' } })
    .png()
    .toBuffer()
  const [item, bare] = [
    (await offer(shop, ['Mangoes'], await makeItemPicture(made)))[0] as ShopItem,
    (await offer(shop, ['Eggs']))[0] as ShopItem,
  ]
  const page = await somebody.get(`/pay/@${shop.handle}`)
  const [, src = ''] = /<img src="([^"]*\/pictures\/[^"]*)"/.exec(page.text) ?? []
  assert.ok(src.startsWith(`/pay/@${shop.handle}/pictures/${item.id}?v=`), src)
  const { body } = await somebody.get(`/pay/@${shop.handle}/items.json`)
  assert.deepEqual(
    body.items.map((item: any) => item.picture_url),
    [undefined, `${service.url}${src}`],
  )
  for (const [path, type, age] of [
    [src, 'image/webp', 31_536_000],
    [`/pay/@${shop.handle}/qr.png`, 'image/png', 86_400],
    [`/pay/@${shop.handle}/qr.svg`, 'image/svg+xml', 86_400],
  ] as const) {
    const { status, headers } = await somebody.get(path)
    assert.deepEqual([status, headers.get('content-type')], [200, type])
    assert.equal(headers.get('cache-control'), `public, max-age=${age}`)
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  const other = await payShop(service)
  for (const path of [
    `@${shop.handle}/pictures/${bare.id}`,
    `@${other.handle}/pictures/${item.id}`,
    `@${shop.handle}/pictures/%00`,
    `@${shop.handle}/qr.gif`,
  ])
    assert.equal((await somebody.get(`/pay/${path}`)).status, 404, path)
  await removeItem(service.app, BY_HAND, { shop: shop.row, id: item.id })
  assert.equal((await somebody.get(src)).status, 404)
})
