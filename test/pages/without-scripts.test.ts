import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { cutOff } from './accessible.ts'
import { newVisitor, ON_BROWSER, type Visitor } from './browser.ts'
import { assertShows, STATES } from './states.ts'
import { openWorld, type World } from './world.ts'

const SIZES = ['phone', 'desktop'] as const

let world: World
const visitors = new Map<string, Visitor>()
before(async () => {
  if (ON_BROWSER.skip) return
  world = await openWorld()
  const own = [world.service.url, world.site.origin]
  for (const size of SIZES)
    visitors.set(size, await newVisitor(world.browser, { size, own, javaScriptEnabled: false }))
})
after(async () => {
  try {
    await world?.service.verify()
  } finally {
    await world?.close()
  }
})

for (const size of SIZES)
  for (const state of STATES)
    test(`${state.name}, on a ${size}: all of it is there without scripts`, ON_BROWSER, async () => {
      const { page, troubles } = visitors.get(size) as Visitor
      await state.open(world, page)
      await assertShows(page, state)
      assert.deepEqual(await cutOff(page), [])
      assert.equal(await page.locator('noscript:not(head *)').count(), 0, 'nobody is told to switch them on')
      assert.deepEqual(troubles(), [])
    })
