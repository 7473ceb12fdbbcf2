import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { longTest, test } from '../../helpers/service/parts.ts'
import { axeFinds, cutOff, moving, smallTargets } from './accessible.ts'
import { ON_BROWSER } from './browser.ts'
import { testEveryState } from './states/accessible-states.ts'
import { PHONES } from './states/world.ts'

const world = testEveryState('phone')

const styleOf = (page: Page, part: string, property: string): Promise<string> =>
  page.locator(part).evaluate((one: any, name) => one.ownerDocument.defaultView.getComputedStyle(one)[name], property)

test('the looks of the other tests find what is wrong with a bad page', ON_BROWSER, () =>
  world().visit(
    async (page) => {
      await page.goto((await world().link()).url)
      await page.locator('main').evaluate((main: any) => {
        main.innerHTML = `<p style="color:#aaa;background:#999">Pale</p><input><button style="width:20px;padding:0">x</button>
        <div style="width:2000px">Wide</div><p style="width:50px;overflow:hidden;white-space:nowrap">Cut off, surely</p>`
        main.animate([{ marginTop: '0' }, { marginTop: '9px' }], { duration: 1e6 })
      })
      const found = (await axeFinds(page)).map((one) => one.split(' ')[0])
      for (const rule of ['color-contrast', 'label', 'page-has-heading-one']) assert.ok(found.includes(rule), rule)
      assert.match((await axeFinds(page, ['color-contrast'])).join(), /insufficient color contrast/)
      const cut = (await cutOff(page)).join('\n')
      assert.match(cut, /scrolls sideways[\s\S]*beyond the edge: div[\s\S]*cut off: p/)
      assert.equal((await moving(page)).length, 1)
      assert.match((await smallTargets(page)).join(), /button x/)
    },
    // Our policy would refuse the inline styles of this page.
    { bypassCSP: true },
  ),
)

longTest('in the dark the page is dark, and print is black on white all the same', ON_BROWSER, () =>
  world().visit(async (page) => {
    const lightness = async (part: string, property: string) => {
      const [red = 0, green = 0, blue = 0] = (await styleOf(page, part, property)).match(/\d+/g)?.map(Number) ?? []
      return (red + green + blue) / 765
    }
    await page.goto((await world().link()).url)
    for (const [colorScheme, paper] of [
      ['light', 1],
      ['dark', 0],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      const [back, ink] = [await lightness('body', 'backgroundColor'), await lightness('h1', 'color')]
      assert.ok(Math.abs(back - paper) < 0.2 && Math.abs(ink - paper) > 0.8, `${colorScheme}: ${ink} on ${back}`)
    }
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    assert.ok((await lightness('body', 'backgroundColor')) > 0.9)
    assert.ok((await lightness('h1', 'color')) < 0.2)
  }),
)

longTest('what moves while one waits stands still for those who ask for it', ON_BROWSER, () =>
  world().visit(async (page) => {
    await page.goto(await world().submit(await world().link(), { phone: PHONES.pays }))
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    assert.equal((await moving(page)).length, 1)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    assert.deepEqual(await moving(page), [])
  }),
)

longTest('a fault is read out at once, stands in the title, and its field has the focus', ON_BROWSER, async () => {
  const { url } = await world().link()
  for (const javaScriptEnabled of [true, false])
    await world().visit(
      async (page) => {
        await page.goto(url)
        const title = await page.title()
        await page.fill('#phone', '12')
        await page.keyboard.press('Enter')
        const fault = page.getByRole('alert')
        await fault.waitFor()
        assert.notEqual(await page.title(), title)
        const phone = page.locator('#phone')
        assert.equal(await phone.getAttribute('aria-invalid'), 'true')
        assert.ok(
          (await phone.getAttribute('aria-describedby'))?.split(' ').includes((await fault.getAttribute('id')) ?? '-'),
        )
        assert.equal(await phone.inputValue(), '12')
        assert.equal(await page.locator(':focus').getAttribute('id'), 'phone')
      },
      { javaScriptEnabled },
    )
})
