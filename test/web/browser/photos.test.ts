import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from './browser.ts'

const service = opened(() => startService())
const MEGABYTE = 1024 * 1024

test(
  'the photo of a phone is made small enough before it is sent, and small files stay as they are',
  ON_BROWSER,
  async () => {
    const merchant = await service.merchant({ verified: true })
    const [cookie] = (await signedInAs(service, merchant)).cookies()
    assert.ok(cookie)
    const create = { width: 4000, height: 3000, channels: 3, background: '#888' } as const
    const photo = await sharp({ create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 8 } } })
      .jpeg({ quality: 92 })
      .toBuffer()
    assert.ok(photo.length > 2 * MEGABYTE, 'larger than the form takes')
    const small = await sharp({ create: { ...create, width: 40, height: 30 } })
      .jpeg()
      .toBuffer()
    const browser = await launchBrowser()
    try {
      const { context, page, troubles } = await newVisitor(browser, { own: [service.url] })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      await page.goto(`${service.url}/dashboard/storefront/add`)
      const input = page.locator('main input[type="file"]')
      const size = () => input.evaluate((one: any) => one.files[0].size as number)
      await input.setInputFiles({ name: 'small.jpg', mimeType: 'image/jpeg', buffer: small })
      assert.equal(await size(), small.length)
      await input.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo })
      await eventually('the photo is small', async () => (await size()) < 2 * MEGABYTE)
      await page.locator('main [name="name"]').fill('Drum')
      await page.locator('main [name="amount"]').fill('30,000')
      await page.locator('main form button[type="submit"]').click()
      assert.match(await page.locator('main').innerText(), /The item is on your public page/)
      assert.equal(await page.locator('main img[src*="/pictures/"]').count(), 1)
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
