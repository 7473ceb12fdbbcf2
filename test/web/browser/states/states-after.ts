import type { CustomerRefund } from '../../../../src/web/checkout/view.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { STAY } from '../other-site.ts'
import { applyCard, DRESS, paid, payButton, sendForm } from '../steps.ts'
import type { State } from './state.ts'

const FRESH_MS = 121_000

const receipt = (
  name: string,
  { look, open }: { look: 'fresh' | 'earlier' | 'printable'; open: State['open'] },
): State => ({ name, heading: (texts) => texts.receipt[look], open })

const OUTCOME_MS = 3000
const refunded = (name: string, state: CustomerRefund['state']): State => ({
  name,
  heading: (texts) => texts.receipt.refunds[state].title,
  open: async (world, page) => {
    await world.service.set(world.shop.merchant, {
      failNextPayouts: state === 'failed' ? 1 : 0,
      failNextReason: state === 'failed' ? 'wallet_locked' : null,
    })
    const { link, status } = await paid(world, DRESS)
    const [charge] = await world.charges(link)
    await world.shop.test.post(`/v1/charges/${charge?.id}/refund`)
    if (state !== 'on_its_way') {
      world.service.pass(OUTCOME_MS)
      await world.service.run('send-payouts')
    }
    await page.goto(status)
  },
})

export const PAID: readonly State[] = [
  receipt('paid', {
    look: 'fresh',
    open: async (world, page) => {
      await page.goto((await paid(world, DRESS)).status)
    },
  }),
  receipt('paid, with the way on', {
    look: 'fresh',
    open: async (world, page) => {
      // The page would go on by itself after five seconds, while the test still looks at it.
      await page.goto((await paid(world, { ...DRESS, success_url: `${world.site.origin}${STAY}` })).status)
    },
  }),
  receipt('paid by gift card and phone', {
    look: 'fresh',
    open: async (world, page) => {
      const link = await world.liveLink(DRESS)
      await page.goto(link.url)
      await applyCard(page, await world.giftCard(10_000))
      await sendForm(page, newPayer())
      await world.settle(link, 'pays')
      await page.goto(`${link.url}/status`)
    },
  }),
  receipt('paid by gift card alone', {
    look: 'fresh',
    open: async (world, page) => {
      await page.goto((await world.liveLink(DRESS)).url)
      await applyCard(page, await world.giftCard(40_000))
      await payButton(page).click()
    },
  }),
  receipt('paid earlier', {
    look: 'earlier',
    open: async (world, page) => {
      const { link } = await paid(world, { ...DRESS, success_url: `${world.site.origin}/thanks` })
      world.service.pass(FRESH_MS)
      await page.goto(link.url)
    },
  }),
  refunded('a refund on its way', 'on_its_way'),
  refunded('refunded', 'sent'),
  refunded('a refund that failed', 'failed'),
  receipt('receipt to print', {
    look: 'printable',
    open: async (world, page) => {
      await page.goto(`${(await paid(world, DRESS)).link.url}/receipt`)
    },
  }),
]

export const REPORT: readonly State[] = [
  {
    name: 'report',
    heading: (texts) => texts.report.title,
    open: async (world, page) => {
      await page.goto(`${(await paid(world, DRESS)).link.url}/report`)
    },
  },
  {
    name: 'report with a fault',
    heading: (texts) => texts.report.title,
    open: async (world, page) => {
      await page.goto(`${(await paid(world, DRESS)).link.url}/report`)
      await page.check('[name=reason][value=other]')
      await page.fill('#contact', 'card 4111 1111 1111 1111')
      await page.click('form button[type=submit]')
    },
  },
  {
    name: 'reported',
    heading: (texts) => texts.report.thanks,
    open: async (world, page) => {
      await page.goto(`${(await paid(world, DRESS)).link.url}/report`)
      await page.check('[name=reason][value=not_delivered]')
      await page.click('form button[type=submit]')
    },
  },
]
