import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { DASHBOARD_GUESTS } from '../../../../src/web/dashboard/dashboard.ts'
import { startReceiver } from '../../../fakes/receiver.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import type { LiveService } from '../../../helpers/service/live-service.ts'
import { type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'
import { SUPPORT } from '../../../helpers/web/help.ts'
import { payingShop } from '../../dashboard/money-out/world.ts'
import { pagesOf } from '../../dashboard/whole/places.ts'
import { wholeShop } from '../../dashboard/whole/shop.ts'
import { unfold, walkerOf } from '../../dashboard/whole/walker.ts'
import { launchBrowser, newVisitor } from '../browser.ts'
import type { Picture } from './screenshots-page.ts'

/** Words as long and as local as they get. */
const WORDS = {
  name: 'Namirembe Nnaŋŋoma & Ssebuliba Bannakatwe General Merchandise and Sons',
  note: 'Ebintu byonna bituuse bulungi, weebale nnyo.\nŊŋenda ku Lwokutaano, the second line of a longer note.',
  reference: `ORDER-${'0123456789'.repeat(24)}-255-long`,
}
const LARGE = '1234567890123'
const SIZES = ['phone', 'desktop'] as const
const SCHEMES = ['light', 'dark'] as const
const FILES = ['/wallet/statements/:period', '/bulk/:id/mend', '/bulk/template.csv', '/bulk/template.xlsx']

export type Shot = { about: string; state: string; address: string }

/** Every page of the dashboard in two sizes and both themes: of a merchant with everything and of one with nothing. `words`: only of addresses with one of them. */
export async function shootDashboard(folder: string, words: readonly string[]): Promise<Picture[]> {
  const isWanted = ({ state }: Shot) => words.length === 0 || words.some((word) => state.includes(word))
  const receiver = await startReceiver()
  const service = await startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, ...SUPPORT } })
  const browser = await launchBrowser()
  try {
    const shop = await wholeShop(service, receiver, WORDS)
    await enlarge(service, shop.merchantId)
    const nothing = await signedInAs(service, await service.merchant({ name: 'Nothing yet' }))
    const full = shotsOf(pagesOf(shop), 'full')
    const empty = shotsOf(
      pagesOf(shop).filter(({ id }) => id === null),
      'empty',
    )
    const { merchant, pages } = await payingShop(service)
    const waiting = Object.entries(pages).filter(([name]) => name.startsWith('prepared'))
    const states = waiting.map(([name, address]) => ({ about: 'full', state: `dashboard, ${name}`, address }))
    const taken: Picture[] = []
    for (const size of SIZES)
      for (const [person, shots] of [
        [shop.people.owner, full],
        [nothing, empty],
        [await signedInAs(service, merchant), states],
      ] as const) {
        const { page, context } = await walkerOf(browser, service, { person: person as Planted, size })
        for (const shot of shots.filter(isWanted))
          taken.push(...(await shoot(page, { folder, size, url: service.url, shot })))
        await context.close()
      }
    for (const size of SIZES) {
      const { page, context } = await newVisitor(browser, { size, own: [service.url] })
      for (const { method, path } of DASHBOARD_GUESTS) {
        if (method !== 'GET') continue
        const shot = { about: 'guest', state: `dashboard${path}`, address: `/dashboard${path}` }
        if (isWanted(shot)) taken.push(...(await shoot(page, { folder, size, url: service.url, shot })))
      }
      await context.close()
    }
    return taken
  } finally {
    await browser.close()
    await service.close()
    await receiver.close()
  }
}

/** Each page once, and in live mode too where nothing tells one object from another. */
const shotsOf = (pages: ReturnType<typeof pagesOf>, about: string): Shot[] =>
  pages
    .filter(({ path }) => !FILES.includes(path))
    .map(({ path, mode, address }) => ({ about: `${about}, ${mode}`, state: `dashboard${path}`, address }))
    .filter(({ state }, nth, all) => all.findIndex((one) => one.state === state) === nth)

/** An amount of 13 digits comes from no request. */
async function enlarge(service: LiveService, merchantId: number): Promise<void> {
  await service.rows(`update ledger_heads set available = $2, pending = $2 where merchant_id = $1`, [merchantId, LARGE])
}

/** One address in both themes. */
export async function shoot(
  page: Page,
  { folder, size, url, shot }: { folder: string; size: string; url: string; shot: Shot },
): Promise<Picture[]> {
  const taken: Picture[] = []
  await page.goto(`${url}${shot.address}`)
  if (shot.about.startsWith('full')) await unfold(page, 'main details:not(.filters)')
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const about = `${shot.about}, ${size}, ${colorScheme}`
    const file = `${`${shot.state} ${about}`.replaceAll(/[^a-z0-9]+/gi, '-')}.png`
    await page.screenshot({ path: join(folder, file), fullPage: true })
    taken.push({ state: shot.state, file, about })
  }
  return taken
}
