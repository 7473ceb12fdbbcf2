import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest } from '../../../helpers/service/parts.ts'
import { axeFinds, cutOff, moving, smallTargets } from '../accessible.ts'
import { newVisitor, ON_BROWSER, SIZES, type Size, type Visitor } from '../browser.ts'
import { assertShows, STATES } from './states.ts'
import { openWorld, type World } from './world.ts'

// The narrowest window that must not scroll sideways: 1,280 pixels at a zoom of 400 %.
const NARROW = { width: 320, height: 600 }

/** Tests the accessibility of every page on a screen of this size. Answers with a function that gives the world of these tests. */
export function testEveryState(size: Size): () => World {
  let world: World
  let visitor: Visitor
  before(async () => {
    if (ON_BROWSER.skip) return
    world = await openWorld()
    visitor = await newVisitor(world.browser, { size, own: [world.service.url, world.site.origin] })
  })
  after(() => world?.close())

  for (const state of STATES)
    longTest(
      `${state.name}, on a ${size}: axe finds nothing, nothing is cut off, nothing moves`,
      ON_BROWSER,
      async () => {
        const { page, troubles } = visitor
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
        await state.open(world, page)
        await assertShows(page, state)
        assert.deepEqual(await moving(page), [])
        assert.deepEqual(await axeFinds(page), [], 'in the light')
        await page.emulateMedia({ colorScheme: 'dark' })
        // In the dark only the colours differ.
        assert.deepEqual(await axeFinds(page, ['color-contrast']), [], 'in the dark')
        if (size === 'phone') assert.deepEqual(await smallTargets(page), [])
        assert.deepEqual(await cutOff(page), [])
        await assertGrows(page)
        await page.setViewportSize(SIZES[size].viewport)
        assert.deepEqual(troubles(), [])
      },
    )
  return () => world
}

/** Everything still fits into a narrow window, and into the usual one with letters of twice the size. */
async function assertGrows(page: Page): Promise<void> {
  await page.locator(':root').evaluate((root: any) => {
    root.style.fontSize = '200%'
  })
  assert.deepEqual(await cutOff(page), [], 'with letters of twice the size')
  await page.locator(':root').evaluate((root: any) => {
    root.style.fontSize = ''
  })
  await page.setViewportSize(NARROW)
  assert.deepEqual(await cutOff(page), [], 'in a window of 320 pixels')
}
