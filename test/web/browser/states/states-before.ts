import type { Texts } from '../../../../src/web/checkout/texts/texts.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { applyCard, DRESS, sendForm, switchOff } from '../steps.ts'
import type { State } from './state.ts'
import { PHONES, SHOP_NAME } from './world.ts'

const PROMPT_MS = 61_000

const toPay = (texts: Texts) => texts.pay.title(SHOP_NAME)
const form = (name: string, open: State['open']): State => ({ name, heading: toPay, open })

export const FORM: readonly State[] = [
  form('form with three ways to pay', async (world, page) => {
    await page.goto((await world.link({ ...DRESS, cancel_url: `${world.site.origin}/cart` })).url)
  }),
  form('form with one way to pay', async (world, page) => {
    await page.goto((await world.liveLink({ ...DRESS, cancel_url: `${world.site.origin}/cart` })).url)
  }),
  form('form without extras', async (world, page) => {
    await page.goto((await world.link()).url)
  }),
  form('form with a wrong phone', async (world, page) => {
    await page.goto((await world.link(DRESS)).url)
    await sendForm(page, '12')
  }),
  form('form with a gift card that cannot be used', async (world, page) => {
    await page.goto((await world.liveLink(DRESS)).url)
    await applyCard(page, 'GIFT-0000-0000')
  }),
  form('form with a gift card', async (world, page) => {
    await page.goto((await world.liveLink(DRESS)).url)
    await applyCard(page, await world.giftCard(10_000))
  }),
  form('form that a gift card covers', async (world, page) => {
    await page.goto((await world.liveLink(DRESS)).url)
    await applyCard(page, await world.giftCard(40_000))
  }),
  form('form without the operator', async (world, page) => {
    await page.goto((await world.liveLink(DRESS)).url)
    world.service.rail.ready('wait')
    await sendForm(page, newPayer())
    world.service.rail.ready('ready')
  }),
]

const waiting = (name: string, open: State['open']): State => ({
  name,
  heading: (texts) => texts.waiting.title,
  open,
})

export const WAITING: readonly State[] = [
  waiting('waiting', async (world, page) => {
    const link = await world.link({ ...DRESS, cancel_url: `${world.site.origin}/cart` })
    await page.goto(await world.submit(link, { phone: PHONES.pays, method: 'op2_money' }))
  }),
  waiting('waiting for a live payment', async (world, page) => {
    await page.goto(await world.submit(await world.liveLink(DRESS), { phone: newPayer() }))
  }),
  {
    name: 'waiting for long',
    heading: (texts) => texts.waiting.still(texts.methods.op1_momo),
    open: async (world, page) => {
      const status = await world.submit(await world.liveLink(DRESS), { phone: newPayer() })
      world.service.pass(PROMPT_MS)
      await page.goto(status)
    },
  },
]

const failed = (reason: string, open: State['open']): State => ({
  name: `not paid, ${reason.replaceAll('_', ' ')}`,
  heading: (texts) => texts.failed.title,
  open,
})

export const FAILED: readonly State[] = [
  ...(['insufficient_funds', 'user_cancelled', 'timeout'] as const).map((reason) =>
    failed(reason, async (world, page) => {
      const status = await world.submit(await world.link(DRESS), { phone: PHONES[reason] })
      await world.decide()
      await page.goto(status)
    }),
  ),
  failed('rail_rejected', async (world, page) => {
    const link = await world.liveLink({ ...DRESS, cancel_url: `${world.site.origin}/cart` })
    const status = await world.submit(link, { phone: newPayer() })
    await world.settle(link, 'refuses')
    await page.goto(status)
  }),
  failed('and closed since', async (world, page) => {
    const link = await world.link(DRESS)
    const status = await world.submit(link, { phone: PHONES.timeout })
    await world.decide()
    await switchOff(world, link)
    await page.goto(status)
  }),
]
