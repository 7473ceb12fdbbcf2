import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'
import { axeFinds, cutOff } from '../../web/browser/accessible.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../../web/browser/browser.ts'

const PATH = '/dashboard/settings/notifications'
const LONG = `accounts.and.bookkeeping.of.the.whole.street.${'x'.repeat(40)}@keeper.example`
const service = openedAndVerified(() => startService())

/** A business with an address that has agreed, one that has not, and one that has said no. */
async function namedAddresses() {
  const merchant = await service.merchant({ name: 'Nakasero Fresh Foods & Sons', verified: true })
  const owner = await signedInAs(service, merchant)
  const links: string[] = []
  for (const [email, wanted] of [
    ['ann@keeper.example', { above: '9,999,999,999', failures: 'yes', close: 'yes' }],
    [LONG, { above: '', close: 'yes' }],
    ['no@keeper.example', { above: '1' }],
  ] as const) {
    const sent = await owner.send(await owner.get(PATH), '/add', { email, ...wanted })
    assert.equal(sent.status, 303)
    links.push(...(await linksIn(service, email)))
  }
  const reader = browserOf(service)
  const [agreed = '', asked = '', stopped = ''] = links
  await reader.send(await reader.get(agreed), '/notices', { answer: 'agree' })
  await reader.send(await reader.get(stopped), '/notices', { answer: 'stop' })
  return { merchant, pages: { list: PATH, agreed, asked, stopped } }
}

test(
  'axe finds nothing on the notifications and the page of their mails, and nothing is cut off',
  ON_BROWSER,
  async () => {
    const { merchant, pages } = await namedAddresses()
    const roles = [await signedInAs(service, merchant), await signedInAs(service, merchant, { role: 'viewer' })]
    const browser = await launchBrowser()
    const found: string[] = []
    try {
      for (const [size, colorScheme, nth] of [
        ['phone', 'light', 0],
        ['desktop', 'dark', 0],
        ['desktop', 'light', 1],
      ] as const satisfies [Size, string, number][]) {
        const { context, page, troubles } = await newVisitor(browser, {
          size,
          colorScheme,
          own: [service.url],
        })
        const [cookie] = roles[nth]?.cookies() ?? []
        assert.ok(cookie)
        await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
        for (const [name, path] of Object.entries(pages)) {
          const reply = await page.goto(`${service.url}${path}`)
          assert.equal(reply?.status(), 200, name)
          if (process.env.SHOTS)
            await page.screenshot({ path: `${process.env.SHOTS}/${name}-${size}-${nth}.png`, fullPage: true })
          const wide = (await cutOff(page)).filter((one) => one.startsWith('scrolls'))
          found.push(...[...(await axeFinds(page)), ...wide].map((one) => `${name}, ${size}: ${one}`))
        }
        assert.deepEqual(troubles(), [])
        await context.close()
      }
    } finally {
      await browser.close()
    }
    assert.deepEqual(found, [])
  },
)
