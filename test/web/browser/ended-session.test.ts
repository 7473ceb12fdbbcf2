import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { anotherBrowser, signedInAs } from '../../helpers/web/dashboard.ts'
import { walkerOf } from '../dashboard/whole/walker.ts'
import { launchBrowser, ON_BROWSER } from './browser.ts'
import { openedForBrowser } from './states/world-of-file.ts'

const PASSWORD = 'four words of mine'
const LINKS = '/dashboard/test/links/new'
const service = opened(() => startService())
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

test(
  'whoever is signed out in the middle of a form finds what was typed there after the sign-in',
  ON_BROWSER,
  async () => {
    const merchant = await service.merchant()
    const owner = await signedInAs(service, merchant)
    const other = await signedInAs(service, merchant)
    const hash = await hashPassword(PASSWORD)
    await service.rows('update people set password = $2 where id = any($1)', [[owner.personId, other.personId], hash])
    for (const { person, finds } of [
      { person: owner, finds: '7,000' },
      { person: other, finds: '' },
    ]) {
      const session = await anotherBrowser(service, owner)
      const { page } = await walkerOf(screen.browser, service, { person: session, size: 'phone' })
      await page.goto(`${service.url}${LINKS}`)
      const form = page.locator('form[action*="/links/new#"]')
      await form.getByLabel('Amount').fill('7,000')
      await service.rows('delete from sessions where id = $1', [session.sessionId])
      await form.locator('button[type=submit]').first().click()
      await page.getByText('You were signed out meanwhile').waitFor()
      await page.getByLabel('E-mail').fill(person.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.locator('form[action$="/sign-in"] button[type=submit]').click()
      await page.waitForURL(`${service.url}${LINKS}`)
      assert.equal(await form.getByLabel('Amount').inputValue(), finds)
      await page.reload()
      assert.equal(await form.getByLabel('Amount').inputValue(), '', 'it is given back once')
    }
  },
)
