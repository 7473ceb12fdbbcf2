import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { BUSINESS, DIRECTOR, pdf, png, QUESTIONNAIRE, SETTLEMENT } from '../../helpers/web/verification.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from './browser.ts'

const service = opened(() => startService())
const HOME = '/dashboard/verification'

test(
  'an owner is verified from a phone without scripts: five steps, two files, one declaration',
  ON_BROWSER,
  async () => {
    const owner = await signedInAs(service, await service.merchant({ name: 'Nakasero Fresh Foods' }))
    const [cookie] = owner.cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      const { context, page, troubles } = await newVisitor(browser, {
        ...{ size: 'phone', own: [service.url], javaScriptEnabled: false },
      })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      const fill = async (
        fields: Readonly<Record<string, string>>,
        radios: readonly string[],
        selects: readonly string[],
      ) => {
        for (const [name, value] of Object.entries(fields)) {
          if (radios.includes(name)) await page.locator(`main [name="${name}"][value="${value}"]`).check()
          else if (selects.includes(name)) await page.locator(`main [name="${name}"]`).selectOption(value)
          else await page.locator(`main [name="${name}"]`).fill(value)
        }
      }
      const save = () => page.locator('main form:has([name="csrf"]) button').last().click()
      await page.goto(`${service.url}${HOME}`)
      await page.locator('.steps a').first().click()
      await fill({ ...BUSINESS, tin: '12' }, ['kind'], [])
      await save()
      assert.match(await page.locator('.field.bad').innerText(), /tin must have ten digits/)
      await fill({ tin: BUSINESS.tin }, [], [])
      await save()
      await fill(DIRECTOR, [], ['part', 'id_kind'])
      await save()
      assert.match(await page.locator('main table').innerText(), /Grace Nakato/)
      await page.locator('.steps a').nth(2).click()
      await fill(SETTLEMENT, [], [])
      await save()
      await fill(QUESTIONNAIRE, ['monthly', 'delivery', 'exposed'], ['sector'])
      await save()
      for (const [kind, name, buffer] of [
        ['identity', '../card.png', png(60, 40)],
        ['registration', 'certificate.pdf', pdf()],
      ] as const) {
        await page.locator('main [name="kind"]').selectOption(kind)
        const mimeType = name.endsWith('png') ? 'image/png' : 'application/pdf'
        await page.locator('main [name="file"]').setInputFiles({ name, mimeType, buffer })
        await save()
      }
      assert.match(await page.locator('main table').innerText(), /card\.png[\s\S]*certificate\.pdf/)
      await page.goto(`${service.url}${HOME}`)
      await page.locator('main [name="declared"]').check()
      await page.locator('#submit button').click()
      assert.match(await page.locator('main').innerText(), /It is submitted[\s\S]*We are looking at it/)
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
