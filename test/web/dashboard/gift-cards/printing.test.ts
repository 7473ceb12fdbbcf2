import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../browser/browser.ts'

const LONG_NAME = 'Mama <b>Nakato, Groceries, Kitenge and everything for the Kitchen of Nakasero'
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ name: LONG_NAME, verified: true }))
const CARDS = '/dashboard/gift-cards'
const CODE = /[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/g

const countOf = (text: string, part: string) => text.split(part).length - 1

test('cards are printed where their codes are shown, eight to a sheet, with worth, last day and steps in three languages', async () => {
  const owner = await signedInAs(service, shop)
  const form = await owner.get(`${CARDS}/issue`)
  const issued = await owner.send(form, '/issue', { value: '20,000', quantity: '17', expires: '2999-01-31' })
  assert.equal(countOf(issued.text, 'class="card-sheet"'), 3, 'eight, eight and one')
  assert.equal(countOf(issued.text, 'class="gift"'), 17)
  const codes = [...mainOf(issued).matchAll(CODE)].map(([code]) => code)
  assert.equal(new Set(codes).size, 17)
  assert.match(
    mainOf(issued),
    /Mama <b>Nakato, [^0-9]* UGX 20,000 \S+ Scan, choose.*Sikaana, londa.*Changanua, chagua.*Until \/ Okutuusa \/ Hadi 31 Jan 2999/,
  )
  assert.doesNotMatch(issued.text, /<b>Nakato/)
  assert.ok(issued.text.includes(`src="/pay/@${shop.handle}/qr.svg"`), 'the QR code is the address of the shop')
  for (const code of codes) {
    assert.ok(!issued.text.includes(`${code}"`), 'no address or label has a code')
    assert.ok(!(await stored()).includes(code), 'no code is stored')
  }
  const later = await owner.get(CARDS)
  assert.equal([...mainOf(later).matchAll(CODE)].length, 0)
})

/** All that the database keeps about gift cards, as text. */
async function stored(): Promise<string> {
  return JSON.stringify([await service.rows('select * from gift_cards'), await service.rows('select * from audit')])
}

test(
  'in the browser: a page of paper has eight cards to cut, all of one size, and what is unticked is left out',
  ON_BROWSER,
  async () => {
    const [cookie] = (await signedInAs(service, shop)).cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      const { page, context, troubles } = await newVisitor(browser, {
        ...{ size: 'desktop', own: [service.url], javaScriptEnabled: false },
      })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      await page.goto(`${service.url}${CARDS}/issue`)
      await page.getByLabel('Value of each card').fill('5,000')
      await page.getByLabel('How many').fill('9')
      await page.getByRole('button', { name: 'Issue the cards' }).click()
      await page.getByRole('checkbox').first().uncheck()
      await page.emulateMedia({ media: 'print' })
      const cards = await page.locator('.gift:visible').all()
      assert.equal(cards.length, 8)
      const sizes = await Promise.all(cards.map((card) => card.boundingBox()))
      assert.equal(
        new Set(sizes.map((box) => `${Math.round(box?.width ?? 0)}x${Math.round(box?.height ?? 0)}`)).size,
        1,
      )
      const fits = await page
        .locator('.gift')
        .evaluateAll((faces) => faces.every((face) => face.scrollHeight <= face.clientHeight))
      assert.ok(fits, 'nothing is cut off')
      const paper = await page.pdf({ preferCSSPageSize: true })
      assert.equal(countOf(paper.toString('latin1'), '/Type /Page\n'), 2)
      assert.equal(await page.getByText('Codes of the cards').isVisible(), false)
      await page.emulateMedia({ media: 'screen' })
      await page.goto(`${service.url}/dashboard/test/gift-cards`)
      await page.getByText('Example, pays nothing').waitFor()
      await page.getByRole('link', { name: 'To the gift cards in live mode' }).click()
      await page.getByRole('link', { name: 'Issue gift cards' }).waitFor()
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
