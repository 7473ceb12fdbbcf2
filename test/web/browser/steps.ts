import type { Page } from 'playwright-core'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { switchLink } from '../../../src/selling/payment-links/switch-link.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { type Link, PHONES, type World } from './states/world.ts'

/** What somebody buys. */
export const DRESS = { description: 'Blue kitenge dress, size M', reference: 'ORDER-1042' }

export const payButton = (page: Page) => page.locator('form[action$="/submit"] button[type=submit]')

/** Waits until the page has this heading. */
export const sees = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

export async function sendForm(page: Page, phone: string): Promise<void> {
  await page.fill('#phone', phone)
  await payButton(page).click()
}

export async function applyCard(page: Page, code: string): Promise<void> {
  await page.locator('details:has(#code) summary').click()
  await page.fill('#code', code)
  await page.click('form[action$="/apply-voucher"] button')
}

/** A link of test mode that has just been paid. */
export async function paid(world: World, body: object): Promise<{ link: Link; status: string }> {
  const link = await world.link(body)
  const status = await world.submit(link, { phone: PHONES.pays })
  await world.decide()
  return { link, status }
}

export async function switchOff({ service, shop }: World, { id }: Link): Promise<void> {
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await switchLink(service.app, BY_HAND, { owner: merchant, id, to: 'off' })
}
