import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { gate } from '../../helpers/database/gate.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { newVisitor, ON_BROWSER } from './browser.ts'
import { startOtherSite } from './other-site.ts'
import { type Link, PHONES } from './states/world.ts'
import { openedForBrowser, worldOfFile } from './states/world-of-file.ts'
import { payButton, sees, sendForm } from './steps.ts'

const stranger = openedForBrowser(() => startOtherSite('localhost'))
const world = worldOfFile()

const REUSABLE = { allow_multiple_uses: true }
const count = async (link: Link) => (await world.charges(link)).length

// A reusable link is the harder case: only the form itself says that two presses are the same payment.
const PRESSES: Record<string, (page: Page) => Promise<void>> = {
  'a double click': (page) => payButton(page).dblclick(),
  'Enter held down': async (page) => {
    await page.focus('#phone')
    for (let repeat = 0; repeat < 12; repeat += 1) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
  },
}

for (const [name, press] of Object.entries(PRESSES))
  for (const javaScriptEnabled of [true, false])
    test(`${name} with${javaScriptEnabled ? '' : 'out'} scripts makes one charge`, ON_BROWSER, async () => {
      for (const body of [{}, REUSABLE]) {
        const link = await world.link(body)
        await world.visit(
          async (page) => {
            await page.goto(link.url)
            await page.fill('#phone', PHONES.pays)
            await press(page)
            await sees(page, EN.waiting.title)
            await page.reload()
            await sees(page, EN.waiting.title)
          },
          { javaScriptEnabled },
        )
        assert.equal(await count(link), 1)
      }
    })

/** Presses the button by its position on the page: a click on the element would wait for the page that is loading. */
async function presser(page: Page): Promise<() => Promise<void>> {
  const box = await payButton(page).boundingBox()
  assert.ok(box)
  return () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
}

/** Drops the answers to all presses but the last. Answers with a function that says how many presses the service has received. */
async function slowDown(page: Page, presses: number): Promise<() => number> {
  let heard = 0
  await page.route('**/submit', async (route) => {
    if (heard === presses - 1) {
      heard += 1
      return route.continue()
    }
    await route.fetch({ maxRedirects: 0 })
    heard += 1
  })
  return () => heard
}

test('three presses that all arrive make one charge', ON_BROWSER, async () => {
  const link = await world.link(REUSABLE)
  await world.visit(
    async (page) => {
      await page.goto(link.url)
      await page.fill('#phone', PHONES.pays)
      const [press, heard] = [await presser(page), await slowDown(page, 3)]
      for (const nth of [1, 2, 3]) {
        await press()
        await eventually(`press ${nth} was heard`, () => heard() === nth)
      }
      await sees(page, EN.waiting.title)
    },
    { javaScriptEnabled: false },
  )
  assert.equal(await count(link), 1)
})

test('with scripts the first of three presses is the only one that leaves', ON_BROWSER, async () => {
  const link = await world.link(REUSABLE)
  await world.visit(async (page) => {
    await page.goto(link.url)
    await page.fill('#phone', PHONES.pays)
    const press = await presser(page)
    const answered = gate()
    let left = 0
    await page.route('**/submit', async (route) => {
      left += 1
      await answered.opened
      await route.continue()
    })
    await press()
    await eventually('the press has left', () => left === 1)
    await press()
    await press()
    answered.open()
    await sees(page, EN.waiting.title)
    assert.equal(left, 1)
  })
  assert.equal(await count(link), 1)
})

test('back and reload show the payment as it stands, and never pay again', ON_BROWSER, async () => {
  for (const javaScriptEnabled of [true, false])
    await world.visit(
      async (page) => {
        const link = await world.link()
        const again = async (heading: string) => {
          await page.goBack()
          await sees(page, heading)
          await page.goForward()
          await sees(page, heading)
          await page.reload()
          await sees(page, heading)
        }
        await page.goto(link.url)
        await sendForm(page, 'nobody')
        await page.getByRole('alert').waitFor()
        await page.reload()
        await page.getByRole('alert').waitFor()
        assert.equal(await count(link), 0)
        await sendForm(page, PHONES.timeout)
        await sees(page, EN.waiting.title)
        await page.reload()
        await sees(page, EN.waiting.title)
        await world.decide()
        await page.goto(`${link.url}/status`)
        await sees(page, EN.failed.title)
        await page.reload()
        await sees(page, EN.failed.title)
        await page.getByRole('button', { name: EN.failed.again }).click()
        await sendForm(page, PHONES.pays)
        await sees(page, EN.waiting.title)
        assert.equal(await count(link), 2)
        await world.decide()
        await page.goto(`${link.url}/status`)
        await sees(page, EN.receipt.fresh)
        await again(EN.receipt.fresh)
        await page.goto(`${link.url}/report`)
        await page.check('[name=reason][value=other]')
        await page.click('form button[type=submit]')
        await sees(page, EN.report.thanks)
        await page.reload()
        await sees(page, EN.report.thanks)
        assert.equal(await count(link), 2)
      },
      { javaScriptEnabled },
    )
})

test('going back to the form from the waiting page, and pressing again, pays nothing again', ON_BROWSER, async () => {
  const link = await world.link()
  await world.visit(async (page) => {
    await page.goto(link.url)
    await sendForm(page, PHONES.pays)
    await sees(page, EN.waiting.title)
    await page.goBack()
    // The browser either has kept the form, or loads it again and is redirected.
    if (await payButton(page).isVisible()) await payButton(page).click()
    await sees(page, EN.waiting.title)
  })
  assert.equal(await count(link), 1)
})

test('two people pay one link at the same moment: one charge, and both see how it stands', ON_BROWSER, async () => {
  const link = await world.link()
  await world.visit((one) =>
    world.visit(async (other) => {
      const pages = [one, other]
      for (const page of pages) {
        await page.goto(link.url)
        await page.fill('#phone', PHONES.pays)
      }
      await Promise.all(pages.map((page) => payButton(page).click()))
      await Promise.all(pages.map((page) => sees(page, EN.waiting.title)))
      assert.equal(await count(link), 1)
      await world.decide()
      for (const page of pages) {
        await page.reload()
        await sees(page, EN.receipt.fresh)
      }
    }),
  )
})

test('a form on a strange site gets our form to look at, and charges nobody', ON_BROWSER, async () => {
  const link = await world.link()
  const before = await world.service.digest()
  const trap = (path: string, fields: string) =>
    `<form method="post" action="${world.service.url}${path}">${fields}<button>Win a goat</button></form>`
  const own = [world.service.url, stranger.origin]
  for (const site of [stranger, world.site])
    await world.visit(
      async (page) => {
        site.shows(
          trap(
            `/pay/${link.id}/submit`,
            `<input name="channel" value="card"><input name="phone" value="${PHONES.pays}">`,
          ),
        )
        await page.goto(site.origin)
        await page.getByRole('button').click()
        await page.getByText(EN.faults.elsewhere).waitFor()
        assert.ok(await payButton(page).isVisible())
        site.shows(trap('/pay/@mama-joy/pay', '<input name="amount" value="5000">'))
        await page.goto(site.origin)
        await page.getByRole('button').click()
        await page.getByText(EN.faults.elsewhere).waitFor()
      },
      { own: [...own, world.site.origin] },
    )
  assert.equal(await world.service.digest(), before)
})

test('nobody can put our pages into theirs', ON_BROWSER, async () => {
  const link = await world.link()
  stranger.shows(`<iframe src="${link.url}" title="trap"></iframe>`)
  // The browser logs its refusal on the console, so the console is not checked here.
  const { context, page } = await newVisitor(world.browser, { own: [] })
  try {
    await page.goto(stranger.origin)
    const frame = page.frames()[1]
    assert.ok(frame)
    assert.equal(await frame.locator('form').count(), 0)
    assert.notEqual(frame.url(), link.url)
  } finally {
    await context.close()
  }
})
