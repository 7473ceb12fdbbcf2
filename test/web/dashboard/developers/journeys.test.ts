import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { CreatedMerchant } from '../../../../src/merchants/account/create-merchant.ts'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { unescaped } from '../../../helpers/web/browser.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { answering, deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../../browser/browser.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const browser = opened(async () => {
  const launched = ON_BROWSER.skip ? null : await launchBrowser()
  return { launched, close: async () => launched?.close() }
})

/** The owner's browser on the pages for developers, and what went wrong in it. */
async function ownerAt(merchant: CreatedMerchant, size: Size) {
  assert.ok(browser.launched)
  const visitor = await newVisitor(browser.launched, { size, own: [service.url] })
  for (const { name, value } of (await signedInAs(service, merchant)).cookies())
    await visitor.context.addCookies([{ name, value, url: service.url }])
  await visitor.page.goto(`${service.url}/dashboard/test/developers`)
  return visitor
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('the first call of the reference, with the real test key in it, runs as it stands', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const page = await owner.get('/dashboard/test/developers/reference')
  const filled = await owner.send(page, '/key')
  const program = unescaped(/<code>(const answer = .*?)<\/code>/s.exec(filled.text)?.[1] ?? '')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  assert.match(stdout, /^201 /)
  const { body } = await service.client(merchant.keys.test).get('/v1/charges?reference=order-1042')
  assert.equal(body.data.length, 1)
})

for (const size of ['phone', 'desktop'] as const) {
  longTest(`a failing webhook is found, repaired and resent on a ${size}`, ON_BROWSER, async () => {
    const merchant = await service.merchant()
    const { page, context, troubles } = await ownerAt(merchant, size)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByLabel('Address of your receiver').fill(receiver.url)
    await press(page, 'Save the address')
    await says(page, 'The address is saved')
    receiver.behave((response) => void response.writeHead(500).end('no such table: orders'))
    const { eventId } = await endedCharge(service, service.client(merchant.keys.test))
    await deliverAll(service)
    await page.reload()
    await page.getByRole('link', { name: 'charge.succeeded' }).click()
    await says(page, 'Answered 500')
    await says(page, 'no such table: orders')
    receiver.behave(answering(200))
    await press(page, 'Send again')
    await says(page, 'The event is on its way again')
    await deliverAll(service)
    // The page follows the delivery by itself.
    await says(page, 'Answered 200')
    assert.equal(receiver.received.at(-1)?.event.id, eventId)
    assert.deepEqual(troubles(), [])
    await context.close()
  })

  longTest(`a key is changed without a gap on a ${size}`, ON_BROWSER, async () => {
    const merchant = await service.merchant()
    const { page, context, troubles } = await ownerAt(merchant, size)
    const old = merchant.keys.test.slice(-4)
    await page.getByRole('link', { name: `...${old}` }).click()
    await page.getByLabel('Name').fill('New server')
    await press(page, 'Make a key')
    const key = (await page.locator('.copy code').textContent()) ?? ''
    for (const each of [merchant.keys.test, key]) assert.equal((await service.client(each).get('/v1/me')).status, 200)
    await service.gateway.requests.flush()
    await page.getByRole('link', { name: 'Back to the keys' }).click()
    await page.getByRole('link', { name: `...${old}` }).click()
    await says(page, 'The second key is made')
    await page.getByText('Revoke this key').click()
    await press(page, 'Revoke the key')
    await says(page, `The key that ends with ${old} is revoked`)
    assert.equal((await service.client(merchant.keys.test).get('/v1/me')).status, 401)
    assert.equal((await service.client(key).get('/v1/me')).status, 200)
    assert.ok(!(await page.content()).includes(key))
    assert.deepEqual(troubles(), [])
    await context.close()
  })
}
