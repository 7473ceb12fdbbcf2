import assert from 'node:assert/strict'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../browser/browser.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ vending: true }))
const BASE = '/dashboard/test'

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

test('the counter says what was paid and what failed, to a cashier too, and changes only when something has', async () => {
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  assert.match(mainOf(await cashier.get(`${BASE}/counter`)), /No payments yet/)
  const client = service.client(shop.keys.test)
  await client.charge({ amount: 7000, customer: { phone: '0772123456' } })
  await client.charge({ amount: 8000, customer: { phone: '0700000001' } })
  const open = await cashier.get(`${BASE}/counter?part=strip`)
  assert.match(open.text, /waiting for the PIN/)
  await decided()
  const etag = open.headers.get('etag') ?? ''
  const ended = await cashier.get(`${BASE}/counter?part=strip`, { 'if-none-match': etag })
  assert.equal(ended.status, 200)
  assert.match(
    mainOf(ended),
    /UGX 8,000.*not paid: too little money.*phone ending in 001.*UGX 7,000.*paid.*phone ending in 456/,
  )
  const same = { 'if-none-match': ended.headers.get('etag') ?? '' }
  assert.equal((await cashier.get(`${BASE}/counter?part=strip`, same)).status, 304)
  assert.match((await cashier.get(`${BASE}/counter`)).text, /<noscript><meta http-equiv="refresh"/)
})

longTest(
  'in a browser the counter brings a payment by itself, and says when it hears nothing',
  ON_BROWSER,
  async () => {
    const [cookie] = (await signedInAs(service, shop, { role: 'cashier' })).cookies()
    const browser = await launchBrowser()
    try {
      const { context, page, troubles } = await newVisitor(browser, { size: 'phone', own: [service.url] })
      await context.addCookies([{ name: cookie?.name ?? '', value: cookie?.value ?? '', url: service.url }])
      await page.goto(`${service.url}${BASE}/counter`)
      await page.getByText('Up to date').waitFor()
      await service.client(shop.keys.test).charge({ amount: 54_321 })
      await page.getByText('UGX 54,321').waitFor()
      assert.deepEqual(troubles(), [])
      await page.getByRole('button', { name: 'Switch the sounds on' }).click()
      await page.getByRole('button', { name: 'Sounds are on' }).waitFor()
      await context.setOffline(true)
      await page.getByText(/No connection since/).waitFor({ timeout: 60_000 })
      await context.setOffline(false)
      await page.getByText('Up to date').waitFor({ timeout: 60_000 })
    } finally {
      await browser.close()
    }
  },
)

test('a counter and a Home that lie open do not keep their person signed in', async () => {
  const owner = await signedInAs(service, shop)
  for (const part of [`${BASE}?part=latest`, `${BASE}/counter?part=strip`])
    for (let minutes = 0; minutes < 14; minutes += 1) {
      service.pass(60_001)
      assert.equal((await owner.get(part)).status, 200)
    }
  service.pass(3 * 60_000)
  assert.equal((await owner.get(`${BASE}?part=latest`)).status, 303)
  assert.equal((await owner.get(BASE)).location, '/dashboard/sign-in?then=%2Fdashboard%2Ftest')
})

test('the audit shows both places in one order, pages both ways, and never who of ours acted', async () => {
  const own = await service.merchant({ vending: true })
  const owner = await signedInAs(service, own)
  for (let nth = 0; nth < 30; nth += 1) {
    service.pass(1000)
    await owner.send(await owner.get(`${BASE}/vending/add`), '/vending/add', { machine: `M${nth}`, name: '' })
    // Stands in the directory.
    if (nth % 10 === 5)
      await owner.send(await owner.get('/dashboard/settings/people'), '/refund-limit', { limit: `${nth}000` })
  }
  await service.set(own, { instantSettlement: true })
  const list = '/dashboard/settings/audit'
  const first = await owner.get(list)
  assert.match(mainOf(first), /the gateway merchant.terms/)
  assert.doesNotMatch(mainOf(first), /by hand|command line/)
  assert.match(mainOf(first), /Set the refund limit of cashiers/)
  const to = (page: typeof first, rel: string) =>
    new RegExp(`href="([^"]+)" rel="${rel}"`).exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  const older = to(first, 'next')
  assert.ok(older)
  const second = await owner.get(older)
  const rows = (page: typeof first) => [...page.text.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).slice(1)
  assert.equal(rows(first).length, 25)
  assert.ok(rows(second).length >= 8)
  assert.equal(rows(first).filter((row) => rows(second).includes(row)).length, 0)
  const back = to(second, 'prev')
  assert.ok(back)
  assert.deepEqual(rows(await owner.get(back)), rows(first))
  const filtered = rows(await owner.get(`${list}?action=people.limit`))
  assert.equal(filtered.length, 3)
  assert.equal((await (await signedInAs(service, own, { role: 'cashier' })).get(list)).status, 403)
  assert.doesNotMatch(mainOf(await (await signedInAs(service, shop)).get(list)), /M29/)
})
