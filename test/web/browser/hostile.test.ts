import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { addItem } from '../../../src/selling/storefront/add-item.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { ON_BROWSER } from './browser.ts'
import { PHONES } from './states/world.ts'
import { worldOfFile } from './states/world-of-file.ts'

// Each would set `hit`, open a dialog or call a stranger if it were anything but text.
const HOSTILE = [
  '<script>hit=1</script>',
  '"><img src=x onerror=hit=1>',
  "'><svg onload=hit=1>",
  '</title></style></textarea><script>hit=1</script>',
  '<!--<script>hit=1//-->',
  '"autofocus onfocus=hit=1 x="',
  'javascript:hit=1',
  '{{constructor.constructor("hit=1")()}}<%=hit=1%>',
  '&lt;script&gt;hit=1&lt;/script&gt;&#60;img src=x onerror=hit=1&#62;',
  '<meta http-equiv=refresh content=0;url=http://stranger.invalid>',
  '<link rel=stylesheet href=//stranger.invalid/x.css><base href=//stranger.invalid/>',
  '<form action=//stranger.invalid><button autofocus>',
  '\u202e000,1 XGU\u202c<b>hit</b>',
]

const world = worldOfFile()

const wasHit = (page: Page) => page.evaluate('typeof hit !== "undefined"')
// The page leaves out characters that change the reading direction, and shows all others unchanged.
const legible = (text: string) => text.replace(/[\u202a-\u202e]/g, ' ').trim()

/** The page shows this text as text, and no part of it became an element or ran. */
async function assertHarmless(page: Page, text: string): Promise<void> {
  assert.equal(await wasHit(page), false, text)
  assert.equal(await page.locator('main :is(script, iframe, b, base, link, meta)').count(), 0, text)
  const said = (await page.locator('main').innerText()).replace(/\s+/g, ' ')
  assert.ok(said.includes(legible(text).replace(/\s+/g, ' ')), `${text} is shown as it was written: ${said}`)
}

test('what merchants wrote comes out as text on every page, and no policy had to stop it', ON_BROWSER, () =>
  world.visit(async (page) => {
    page.on('dialog', () => assert.fail('a dialog opened'))
    for (const text of HOSTILE) {
      const link = await world.link({ description: text, reference: text })
      await page.goto(link.url)
      await assertHarmless(page, text)
      await world.submit(link, { phone: PHONES.pays })
      await world.decide()
      await page.goto(link.url)
      await assertHarmless(page, text)
    }
  }),
)

test('what customers type comes back as text', ON_BROWSER, () =>
  world.visit(async (page) => {
    const link = await world.link()
    await page.goto(link.url)
    for (const text of HOSTILE) {
      await page.fill('#phone', text.slice(0, 24))
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      assert.equal(await wasHit(page), false, text)
    }
    await world.submit(link, { phone: PHONES.pays })
    await world.decide()
    await page.goto(`${link.url}/report`)
    for (const text of HOSTILE) {
      await page.check('[name=reason][value=other]')
      await page.fill('#details', `${text}\u0007`)
      await page.click('form button[type=submit]')
      await page.getByRole('alert').waitFor()
      assert.equal(await wasHit(page), false, text)
      assert.equal(await page.locator('#details').inputValue(), `${text}\u0007`)
    }
  }),
)

test('a shop with a hostile name and hostile goods is just a strangely named shop', ON_BROWSER, () =>
  world.visit(async (page) => {
    for (const name of HOSTILE) {
      const made = await world.service.shop({ name })
      const { merchant } = await getMerchantNamed(world.service.gateway, made.merchant.id)
      await addItem(world.service.app, BY_HAND, {
        mode: 'live',
        shop: merchant,
        name,
        description: name,
        amount: 5000,
        picture: null,
      })
      await page.goto(`${world.service.url}/pay/@${merchant.handle}`)
      await assertHarmless(page, name)
      await page.locator('.items a').click()
      await assertHarmless(page, name)
    }
  }),
)
