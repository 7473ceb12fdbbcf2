import assert from 'node:assert/strict'
import sharp from 'sharp'
import { eventually } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../browser/browser.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const MANIFEST = '/dashboard/manifest.webmanifest'
const WORKER = '/dashboard/sw.js'

test('the dashboard says how it is installed, with icons of the sizes that they claim', async () => {
  const owner = await signedInAs(service, shop)
  for (const page of [await owner.get('/dashboard'), await browserOf(service).get('/dashboard/sign-in')])
    assert.match(page.text, /<link rel="manifest" href="\/dashboard\/manifest\.webmanifest"/)
  const answer = await fetch(`${service.url}${MANIFEST}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/manifest+json; charset=utf-8')
  const manifest = (await answer.json()) as { start_url: string; icons: { src: string; sizes: string }[] }
  assert.equal(manifest.start_url, '/dashboard')
  assert.equal(manifest.icons.length, 3)
  for (const { src, sizes } of manifest.icons) {
    const icon = await fetch(`${service.url}${src}`)
    assert.equal(icon.headers.get('content-type'), 'image/png')
    const { width, height } = await sharp(Buffer.from(await icon.arrayBuffer())).metadata()
    assert.equal(`${width}x${height}`, sizes)
  }
})

test('the console and what staff look at are not installed', async () => {
  const page = await browserOf(service).get('/console/sign-in')
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.text, /rel="manifest"/)
})

test('the script beside the pages is asked for each time, and keeps styles and scripts alone', async () => {
  const answer = await fetch(`${service.url}${WORKER}`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/javascript/)
  assert.equal(answer.headers.get('cache-control'), 'no-cache')
  assert.equal(answer.headers.get('service-worker-allowed'), '/dashboard')
  const files = JSON.parse(/^const FILES = (.*)$/m.exec(await answer.text())?.[1] ?? '[]') as string[]
  assert.ok(files.length > 5)
  for (const file of files) {
    assert.match(file, /^\/assets\/[a-z]+\.(?:css|js)\?v=[0-9a-f]{8}$/)
    assert.equal((await fetch(`${service.url}${file}`)).status, 200, file)
  }
})

longTest(
  'in a browser a page that cannot be loaded is a sign and comes by itself, and nothing with figures is kept',
  ON_BROWSER,
  async () => {
    const [cookie] = (await signedInAs(service, shop)).cookies()
    const browser = await launchBrowser()
    try {
      const { context, page } = await newVisitor(browser, { own: [service.url] })
      await context.addCookies([{ name: cookie?.name ?? '', value: cookie?.value ?? '', url: service.url }])
      await page.goto(`${service.url}/dashboard/test`)
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      await page.waitForFunction('navigator.serviceWorker.controller !== null')
      await page.goto(`${service.url}/dashboard/test/charges`)
      await page.goto(`${service.url}/dashboard/test/wallet`)
      await page.getByRole('heading', { name: 'Wallet', level: 1 }).waitFor()
      const kept = (await page.evaluate(`(async () => {
        const found = []
        for (const name of await caches.keys())
          for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname)
        return found
      })()`)) as string[]
      assert.ok(kept.includes('/assets/pages.css'))
      assert.deepEqual(
        kept.filter((path) => !/^\/assets\/[a-z]+\.(?:css|js)$/.test(path)),
        [],
      )
      await context.setOffline(true)
      await page.goto(`${service.url}/dashboard/test/charges?status=failed`)
      await page.getByRole('heading', { name: 'No connection' }).waitFor()
      // The style is there, from what was kept.
      assert.equal(await page.evaluate('document.styleSheets[0].cssRules.length > 100'), true)
      assert.doesNotMatch((await page.textContent('body')) ?? '', /UGX/)
      await context.setOffline(false)
      await page.getByRole('heading', { name: 'Charges', level: 1 }).waitFor()
      assert.match(page.url(), /\/dashboard\/test\/charges\?status=failed$/)
    } finally {
      await browser.close()
    }
  },
)

longTest(
  'in a browser a message is shown, with the page that a tap opens, and the page says how to switch it on',
  ON_BROWSER,
  async () => {
    const [cookie] = (await signedInAs(service, shop)).cookies()
    const browser = await launchBrowser()
    try {
      const { context, page, troubles } = await newVisitor(browser, { own: [service.url] })
      await context.grantPermissions(['notifications'], { origin: service.url })
      await context.addCookies([{ name: cookie?.name ?? '', value: cookie?.value ?? '', url: service.url }])
      const client = await context.newCDPSession(page)
      const registered = new Promise<string>((resolve) => {
        client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const [first] = registrations
          if (first !== undefined) resolve(first.registrationId)
        })
      })
      await client.send('ServiceWorker.enable')
      await page.goto(`${service.url}/dashboard/device`)
      await page.getByRole('button', { name: 'Switch on for this device' }).waitFor()
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      const message = {
        title: 'Demo Shop',
        body: 'Paid UGX 25,000 from 0772 xxx ..56',
        path: '/dashboard/charges/txn_a',
      }
      // A browser without a screen has no place for messages: what it is told to show is kept instead.
      const worker = context.serviceWorkers()[0]
      assert.ok(worker)
      await worker.evaluate(`self.shown = []
      registration.showNotification = async (title, { body, data }) => void self.shown.push({ title, body, path: data })`)
      await client.send('ServiceWorker.deliverPushMessage', {
        origin: service.url,
        registrationId: await registered,
        data: JSON.stringify(message),
      })
      const shown = () => worker.evaluate('self.shown') as Promise<unknown[]>
      await eventually('the message is shown', async () => (await shown()).length > 0)
      assert.deepEqual(await shown(), [message])
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
