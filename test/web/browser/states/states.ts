import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { renderPage } from '../../../../src/web/checkout/pages/render.tsx'
import { EN } from '../../../../src/web/checkout/texts/en.ts'
import type { Texts } from '../../../../src/web/checkout/texts/texts.ts'
import type { ClosedView } from '../../../../src/web/checkout/view.ts'
import { switchOff } from '../steps.ts'
import type { State } from './state.ts'
import { PAID, REPORT } from './states-after.ts'
import { FAILED, FORM, WAITING } from './states-before.ts'
import { SHOP_NAME } from './world.ts'

const NOWHERE = '/pay/lnk_00000aaaaaaaaaaaaaaaa'

const closed = (why: ClosedView['why']) => (texts: Texts) => texts.closed[why].title

/** A page that no customer can reach today, rendered as the service would render it. */
function drawn(why: ClosedView['why']): State {
  const here = `/pay/lnk_${why}`
  const view = { kind: 'closed' as const, why, cancelUrl: null, storefront: null }
  const shop = { name: SHOP_NAME, handle: 'mama-joy' }
  const body = renderPage(view, { language: 'en', shop, mode: 'live', here })
  return {
    name: `closed, ${why}`,
    heading: closed(why),
    open: async ({ service }, page) => {
      await page.route(`**${here}`, (route) => route.fulfill({ contentType: 'text/html', body }))
      await page.goto(`${service.url}${here}`)
      await page.unroute(`**${here}`)
    },
  }
}

const CLOSED: readonly State[] = [
  ...(['expired', 'busy', 'trouble'] as const).map(drawn),
  {
    name: 'switched off',
    heading: closed('inactive'),
    open: async (world, page) => {
      const link = await world.link()
      await switchOff(world, link)
      await page.goto(link.url)
    },
  },
  {
    name: 'unknown address',
    heading: closed('unknown'),
    open: async (world, page) => {
      await page.goto(`${world.service.url}${NOWHERE}`)
    },
  },
  {
    name: 'storefront closed',
    heading: closed('inactive'),
    open: async (world, page) => {
      const { handle } = await world.service.merchant({ name: 'New Shop' })
      await page.goto(`${world.service.url}/pay/@${handle}`)
    },
  },
]

const STOREFRONT: readonly State[] = [
  {
    name: 'storefront',
    heading: () => SHOP_NAME,
    open: async (world, page) => {
      await page.goto(world.storefront)
    },
  },
  {
    name: 'storefront, second page',
    heading: () => SHOP_NAME,
    open: async (world, page) => {
      await page.goto(world.storefront)
      await page.click('a[href*="before_id="]:not([hreflang])')
    },
  },
  {
    name: 'storefront with a wrong amount',
    heading: () => SHOP_NAME,
    open: async (world, page) => {
      await page.goto(world.storefront)
      await page.fill('#amount', '20')
      await page.click('form[action$="/pay"] button')
    },
  },
]

/** Every page of the checkout, in the order in which a customer sees them. */
export const STATES: readonly State[] = [...FORM, ...WAITING, ...FAILED, ...PAID, ...REPORT, ...CLOSED, ...STOREFRONT]

/** The page is the expected one, in English, with one main heading and one main part. */
export async function assertShows(page: Page, { heading }: State): Promise<void> {
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), heading(EN))
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  assert.equal(await page.getByRole('main').count(), 1)
}
