// npm run screenshots: every page of the checkout, the dashboard and the console and every screen of a machine as pictures in
// ./screenshots, and an index.html that shows them all. `-- dashboard` or `-- console`: that surface alone; `-- dashboard wallet payroll`:
// only what has one of these words in its address.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { renderPage } from '../../../../src/web/checkout/pages/render.tsx'
import { EXAMPLE_SCREENS } from '../../../helpers/vending/display-views.ts'
import { launchBrowser, MACHINE_SIZES, newVisitor, ON_BROWSER, SIZES, type Size } from '../browser.ts'
import { INSTALL_CHROMIUM } from '../find-chromium.ts'
import { shootConsole } from './screenshots-console.ts'
import { shootDashboard } from './screenshots-dashboard.ts'
import { type Picture, screenshotsPage } from './screenshots-page.ts'
import type { State } from './state.ts'
import { STATES } from './states.ts'
import { openWorld, type World } from './world.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '..', 'screenshots')
const SCHEMES = ['light', 'dark'] as const
// The pages that most people see are also taken in the other languages.
const MAIN = [
  'form with three ways to pay',
  'form with a wrong phone',
  'waiting',
  'not paid, timeout',
  'paid, with the way on',
  'report',
  'storefront',
]
const SHARP = { phone: 2, tablet: 1, desktop: 1 }

type Shot = { state: State; size: Size; language: string }

if (ON_BROWSER.skip) {
  console.error(`No screenshots: there is no Chromium. Install one (${INSTALL_CHROMIUM}) or name it in CHROMIUM_PATH.`)
  process.exit(1)
}
const startedAt = performance.now()
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const [only, ...words] = process.argv.slice(2)
const isAlone = only === 'dashboard' || only === 'console'
const pictures = isAlone ? [] : [...(await shootCheckout()), ...(await shootMachines())]
if (only !== 'console') pictures.push(...(await shootDashboard(FOLDER, words)))
if (only !== 'dashboard') pictures.push(...(await shootConsole(FOLDER, words)))
writeFileSync(join(FOLDER, 'index.html'), screenshotsPage(pictures))
const seconds = Math.round((performance.now() - startedAt) / 1000)
console.log(`${pictures.length} screenshots in ${seconds} s: ${join(FOLDER, 'index.html')}`)

async function shootCheckout(): Promise<Picture[]> {
  const pictures = (await Promise.all((Object.keys(SIZES) as Size[]).map(shootSize))).flat()
  const order = new Map(STATES.map(({ name }, index) => [name, index]))
  return pictures.sort((a, b) => (order.get(a.state) ?? 0) - (order.get(b.state) ?? 0))
}

/** Each size has a world of its own, so that one visitor's payments are not seen by another. */
async function shootSize(size: Size): Promise<Picture[]> {
  const world = await openWorld()
  try {
    const taken: Picture[] = []
    for (const language of ['en', 'lg', 'sw']) taken.push(...(await shootLanguage(world, { size, language })))
    return taken
  } finally {
    await world.close()
  }
}

async function shootLanguage(world: World, { size, language }: Omit<Shot, 'state'>): Promise<Picture[]> {
  const own = [world.service.url, world.site.origin]
  const how = { size, own, locale: language, deviceScaleFactor: SHARP[size] }
  const { context, page } = await newVisitor(world.browser, how)
  const taken: Picture[] = []
  for (const state of STATES.filter(({ name }) => language === 'en' || MAIN.includes(name))) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', media: 'screen' })
    await state.open(world, page)
    taken.push(...(await shoot(page, { state, size, language })))
  }
  await context.close()
  return taken
}

/** The screens of machines, which have no dark colour scheme. They are rendered as the service would render them. */
async function shootMachines(): Promise<Picture[]> {
  const browser = await launchBrowser()
  const { page } = await newVisitor(browser, { size: 'desktop', own: [], javaScriptEnabled: false })
  const taken: Picture[] = []
  for (const { name, view, setting } of EXAMPLE_SCREENS) {
    await page.setContent(renderPage(view, setting))
    for (const { width, height } of MACHINE_SIZES) {
      await page.setViewportSize({ width, height })
      const [state, about] = [`machine, ${name}`, `${width}x${height}`]
      const file = `${state.replaceAll(/[^a-z]+/g, '-')}.${about}.png`
      await page.screenshot({ path: join(FOLDER, file) })
      taken.push({ state, file, about })
    }
  }
  await browser.close()
  return taken
}

async function shoot(page: Page, { state, size, language }: Shot): Promise<Picture[]> {
  const taken: Picture[] = []
  const take = async (look: string) => {
    const words = [state.name.replaceAll(/[^a-z]+/g, '-'), ...(language === 'en' ? [] : [language]), size, look]
    const file = `${words.join('.')}.png`
    await page.screenshot({ path: join(FOLDER, file), fullPage: true })
    taken.push({ state: state.name, file, about: words.slice(1).join(', ') })
  }
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    await take(colorScheme)
  }
  if (state.name.includes('print') && size === 'desktop') {
    await page.emulateMedia({ media: 'print' })
    await take('paper')
  }
  return taken
}
