import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf, type Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../web/browser/browser.ts'

const service = openedAndVerified(() => startLiveService())
const somebody = visitor(service)
const TEST = '/dashboard/test'
const linksOn = (page: Page) => [...page.text.matchAll(/href="\/pay\/(lnk_[a-z0-9]{21})"/g)].map(([, id = '']) => id)
const addressOn = ({ text }: Page) => /\/pay\/@[a-z0-9-]+\/test\/pk_test_[a-z0-9]+/.exec(text)?.[0] ?? ''

/** A shop with one item on its public page and another on the twin, both added on the dashboard. */
async function twinShop() {
  const shop = await payShop(service)
  const owner = await signedInAs(service, shop.merchant)
  for (const [base, name] of [
    ['/dashboard', 'Real mangoes'],
    [TEST, 'Trial mangoes'],
  ] as const) {
    const form = await owner.get(`${base}/storefront/add`)
    const added = await owner.send(form, '/storefront/add', { name, amount: '5,000' })
    assert.match(mainOf(await owner.follow(added)), new RegExp(name))
  }
  const list = await owner.get(`${TEST}/storefront`)
  return { shop, owner, list, twin: addressOn(list), front: `/pay/@${shop.handle}` }
}

test('the storefront is tried in test mode at an address of its own, marked on every page, and paid with test money', async () => {
  const { owner, list, twin, front } = await twinShop()
  assert.match(
    mainOf(list),
    /Address of your test page This page is for trying: everything on it is paid with test money/,
  )
  assert.match(mainOf(list), /Trial mangoes/)
  assert.doesNotMatch(mainOf(list), /Real mangoes|Poster to print/)
  const page = await somebody.get(twin)
  assert.equal(page.status, 200)
  assert.match(page.text, /<header class="test">/)
  assert.match(page.text, /<meta name="robots" content="noindex"/)
  assert.match(mainOf(page), /Trial mangoes/)
  const [link = ''] = linksOn(page)
  await pay(somebody, link, { phone: '0700000000' })
  await sandboxDecides(service)
  assert.match(mainOf(await owner.get(`${TEST}/links/${link}`)), /paid/)
  const own = await somebody.send(page, '/pay', { amount: '7,500' })
  const [row] = await service.rows('select mode, kind from payment_links where id = $1', [
    own.location.split('/').at(-1),
  ])
  assert.deepEqual(row, { mode: 'test', kind: 'link' })
  const wrong = await somebody.send(page, '/pay', { amount: '1' })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.text.includes(`action="${twin}/pay"`), 'it stays on the twin')
  const documents = await Promise.all([twin, front].map((path) => somebody.get(`${path}/items.json`)))
  assert.deepEqual(
    documents.map(({ body }) => body.items.map(({ name }: { name: string }) => name)),
    [['Trial mangoes'], ['Real mangoes']],
  )
  assert.equal((await somebody.get(`${twin}/qr.svg`)).status, 200)
})

test('neither page nor list shows an item of the other mode, and the public page does not lead to the twin', async () => {
  const { shop, owner, twin, front } = await twinShop()
  const page = await somebody.get(front)
  assert.match(mainOf(page), /Real mangoes/)
  assert.doesNotMatch(page.text, /Trial mangoes|pk_test_|<header class="test">|noindex/)
  assert.doesNotMatch(mainOf(await somebody.get(twin)), /Real mangoes/)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard/storefront')), /Trial mangoes|test page/)
  const items = await service.rows<{ id: string; name: string; link: string }>(
    `select i.id, i.name, i.link_id as link from storefront_items i join merchants m on m.id = i.merchant_id where m.public_id = $1`,
    [shop.merchant.id],
  )
  for (const { id, name, link } of items) {
    const [own, other] = name === 'Trial mangoes' ? [TEST, '/dashboard'] : ['/dashboard', TEST]
    assert.equal((await owner.get(`${own}/storefront/${id}`)).status, 200, name)
    assert.equal((await owner.get(`${other}/storefront/${id}`)).status, 404, name)
    const edited = await owner.send(await owner.get(`${own}/storefront/${id}`), '/edit', { amount: '6,000' })
    assert.equal(edited.status, 303)
    const [now] = await service.rows<{ old: string; next: string }>(
      `select (select mode from payment_links where id = $2) as old, l.mode as next from storefront_items i
       join payment_links l on l.merchant_id = i.merchant_id and l.id = i.link_id where i.id = $1`,
      [id, link],
    )
    assert.equal(now?.next, now?.old, 'another price stays in its mode')
  }
})

test('only the whole address opens the twin; and a picture is served in its mode alone', async () => {
  const { shop, twin, front } = await twinShop()
  const other = await twinShop()
  const key = twin.split('/').at(-1) ?? ''
  for (const path of [
    `${front}/test`,
    `${front}/test/pk_test_${'a'.repeat(24)}`,
    `${front}/test/${shop.merchant.public_key.toLowerCase().replace('pk_test', 'pk_live')}`,
    `${other.front}/test/${key}`,
    `/pay/@nobody-here/test/${key}`,
    `${front}/test/${'x'.repeat(500)}`,
  ])
    assert.equal((await somebody.get(path)).status, 404, path)
  await service.rows(
    `update storefront_items set picture = '\\x00', picture_at = $2
    where merchant_id = (select id from merchants where public_id = $1)`,
    [shop.merchant.id, service.clock.now()],
  )
  const [live, trial] = await Promise.all(
    ['Real mangoes', 'Trial mangoes'].map(async (name) => {
      const [row] = await service.rows<{ id: string }>(
        `select i.id from storefront_items i join merchants m on m.id = i.merchant_id where m.public_id = $1 and i.name = $2`,
        [shop.merchant.id, name],
      )
      return row?.id
    }),
  )
  const statuses = [
    `${front}/pictures/${live}`,
    `${twin}/pictures/${trial}`,
    `${front}/pictures/${trial}`,
    `${twin}/pictures/${live}`,
  ]
  assert.deepEqual(
    await Promise.all(statuses.map(async (path) => (await somebody.get(path)).status)),
    [200, 200, 404, 404],
  )
  await service.set(shop.merchant, { active: false })
  assert.match(mainOf(await somebody.get(twin)), /takes no payments|does not take payments|not taking/i)
})

test('a link of one mode cannot be put onto the page of the other', async () => {
  const { shop, owner } = await twinShop()
  const reusable = { amount: 7000, allow_multiple_uses: true }
  for (const [key, base] of [
    [shop.merchant.keys.live, TEST],
    [shop.merchant.keys.test, '/dashboard'],
  ] as const) {
    const { body } = await service.client(key).post('/v1/payment-links', reusable)
    const form = await owner.get(`${base}/storefront/add`)
    const { csrf = '' } = formOf(form, '/storefront/add').fields
    const forced = await owner.post(`${base}/links/${body.id}/publish`, { csrf, name: 'x' })
    assert.equal(forced.status, 404)
    const rows = await service.rows('select 1 from storefront_items where link_id = $1', [body.id])
    assert.deepEqual(rows, [])
  }
})

test('a business that nobody has proven tries its storefront before it has a public page', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  await service.rows('update people set confirmed_at = null where id = $1', [owner.personId])
  const twin = addressOn(await owner.get(`${TEST}/storefront`))
  assert.equal((await somebody.get(twin)).status, 200)
  assert.equal((await somebody.get(twin.split('/test/')[0] ?? '')).status, 404)
})

test(
  'on a phone without scripts: a shopkeeper adds a test item, opens the test page and buys it',
  ON_BROWSER,
  async () => {
    const [cookie] = (await signedInAs(service, await service.merchant())).cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      const { page, context, troubles } = await newVisitor(browser, {
        ...{ size: 'phone', own: [service.url], javaScriptEnabled: false },
      })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      await page.goto(`${service.url}${TEST}/storefront/add`)
      await page.getByLabel('Name').fill('Rolex')
      await page.getByLabel('Price').fill('3,000')
      await page.getByRole('button', { name: 'Add the item' }).click()
      await page.goto(`${service.url}${TEST}/storefront`)
      const address = await page.getByRole('link', { name: 'Open the page' }).getAttribute('href')
      await page.goto(address ?? '')
      await page.locator('header.test').waitFor()
      await page.getByRole('link', { name: /Rolex/ }).click()
      await page.locator('header.test').waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
