import assert from 'node:assert/strict'
import { prepare } from '../../helpers/service/opened.ts'
import { testFor } from '../../helpers/service/parts.ts'
import { cutOff } from './accessible.ts'
import { newVisitor, ON_BROWSER, type Visitor } from './browser.ts'
import { assertShows, STATES } from './states/states.ts'
import { worldOfFile } from './states/world-of-file.ts'

const SIZES = ['phone', 'desktop'] as const

const world = worldOfFile()
const visitors = new Map<string, Visitor>()
prepare(async () => {
  if (ON_BROWSER.skip) return
  const own = [world.service.url, world.site.origin]
  for (const size of SIZES) visitors.set(size, await newVisitor(world.browser, { size, own, javaScriptEnabled: false }))
})

for (const size of SIZES)
  for (const [nth, state] of STATES.entries())
    testFor(nth === 0 && size === 'phone')(
      `${state.name}, on a ${size}: all of it is there without scripts`,
      ON_BROWSER,
      async () => {
        const { page, troubles } = visitors.get(size) as Visitor
        await state.open(world, page)
        await assertShows(page, state)
        assert.deepEqual(await cutOff(page), [])
        assert.equal(await page.locator('noscript:not(head *)').count(), 0, 'nobody is told to switch them on')
        assert.deepEqual(troubles(), [])
      },
    )
