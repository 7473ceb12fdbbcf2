import assert from 'node:assert/strict'
import type { NewMerchant } from '../../../src/merchants/account/create-merchant.ts'
import type { Merchant } from '../../../src/merchants/account/merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { issueCards } from '../../../src/payments/gift-cards/issue-cards.ts'
import { switchLink } from '../../../src/selling/payment-links/switch-link.ts'
import { BY_HAND } from '../service/actors.ts'
import type { LiveService, Shop } from '../service/live-service.ts'
import { untilServed } from './browser.ts'

/** A shop whose customers pay on its pages. */
export type PayShop = Shop & {
  /** Its row, which the operations behind commands take. */
  row: Merchant
  handle: string
  /** The id of a new live link. */
  link(body?: object): Promise<string>
  testLink(body?: object): Promise<string>
  switchLink(id: string, to: 'on' | 'off'): Promise<unknown>
  /** A new gift card; `expires` is a day in Kampala. */
  card(value: number, expires?: string): Promise<{ id: string; code: string }>
}

/** A verified shop unless `input` says otherwise. */
export async function payShop(service: LiveService, input: Partial<NewMerchant> = {}): Promise<PayShop> {
  return payShopOf(service, await service.shop(input))
}

/** The same for a shop that already exists. */
export async function payShopOf(service: LiveService, shop: Shop): Promise<PayShop> {
  const { merchant: row } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const linkBy =
    (api: Shop['live']) =>
    async (body: object = {}) => {
      const made = await untilServed(() => api.post('/v1/payment-links', { amount: 5000, ...body }))
      assert.equal(made.status, 201, made.text)
      return made.body.id as string
    }
  return {
    ...shop,
    row,
    handle: row.handle,
    link: linkBy(shop.live),
    testLink: linkBy(shop.test),
    switchLink: (id, to) => switchLink(service.app, BY_HAND, { owner: row, id, to }),
    card: async (value, expires) => {
      const issue = { value, quantity: 1, expires: expires ?? null, notes: null }
      const { cards } = await issueCards(service.app, BY_HAND, { issuer: row, ...issue })
      return cards[0] as { id: string; code: string }
    },
  }
}
