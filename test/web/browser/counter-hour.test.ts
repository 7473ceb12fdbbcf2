import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { tillOf } from '../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from './browser.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const STEPS = 24
const STEP_MS = 150_000
const EACH = 84
const AT_ONCE = 12
// Without a network for some steps.
const GOES = 8
const COMES = 11
const WITHIN = { timeout: 60_000 }
const COUNT_SOUNDS = `{
  window.sounded = 0
  const made = AudioContext.prototype.createOscillator
  AudioContext.prototype.createOscillator = function () { window.sounded += 1; return made.call(this) }
}`

test('a counter that lies open for an hour and 2,000 payments shows the last ones, through a lost network', {
  ...ON_BROWSER,
  timeout: 600_000,
}, async (t) => {
  const [cookie] = (await tillOf(service, shop)).cookies()
  const browser = await launchBrowser()
  try {
    const { context, page, troubles } = await newVisitor(browser, { size: 'phone', own: [service.url] })
    await context.addInitScript(COUNT_SOUNDS)
    await context.addCookies([{ name: cookie?.name ?? '', value: cookie?.value ?? '', url: service.url }])
    await page.goto(`${service.url}/dashboard/test/counter`)
    await page.getByRole('button', { name: 'Switch the sounds on' }).click()
    const sizes: { nodes: number; heap: number }[] = []
    for (let step = 0; step < STEPS; step += 1) {
      if (step === GOES) await context.setOffline(true)
      if (step === COMES) await context.setOffline(false)
      const last = await takePayments(step)
      if (step >= GOES && step < COMES) {
        await page.getByText(/No connection since/).waitFor(WITHIN)
        continue
      }
      await page.locator(`[data-payment="${last}"][data-state="succeeded"]`).waitFor(WITHIN)
      await page.getByText('Up to date').waitFor(WITHIN)
      assert.equal(await page.locator('[data-payment]').count(), AT_ONCE)
      sizes.push(await sizeOf(page))
    }
    for (const [nth, { nodes, heap }] of sizes.entries())
      t.diagnostic(`step ${nth}: ${nodes} nodes, ${Math.round(heap / 1000)} kB`)
    const [first, final] = [sizes[1], sizes.at(-1)]
    assert.ok(first && final && final.nodes <= first.nodes, 'the page does not grow')
    const sounded = await page.evaluate<number>('window.sounded')
    assert.ok(sounded >= STEPS - (COMES - GOES), `payments are heard: ${sounded} sounds`)
    assert.deepEqual(
      troubles().filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED')),
      [],
    )
  } finally {
    await browser.close()
  }
})

/** So many payments of one step of the hour, all paid. Returns the one that was made last. */
async function takePayments(step: number): Promise<string> {
  const client = service.client(shop.keys.test)
  for (let made = 0; made < EACH; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => client.charge({ amount: 1000 + step })))
  // A payment made a moment later is the newest one, whatever order the others were stored in.
  service.pass(STEP_MS)
  const last = (await client.charge({ amount: 500 })).body.id
  service.pass(3000)
  await service.run('follow-charges')
  return last
}

/** What the page holds: its nodes, and the memory of its scripts after a collection. */
async function sizeOf(page: Page): Promise<{ nodes: number; heap: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return { nodes: await page.evaluate<number>('document.querySelectorAll("*").length'), heap: usedSize }
}
