import assert from 'node:assert/strict'
import { issueCards } from '../../src/gift-cards/issue-cards.ts'
import type { NewMerchant } from '../../src/merchants/create-merchant.ts'
import type { Merchant } from '../../src/merchants/merchant.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { lockLink } from '../../src/payment-links/hold-link.ts'
import { switchLink } from '../../src/payment-links/switch-link.ts'
import type { Call } from '../../src/platform/db/database.ts'
import { BY_HAND } from './actors.ts'
import { type Browser, browserOf, type Page, untilServed } from './checkout.ts'
import { eventually, type LiveService, newPayer, type Shop } from './live-service.ts'
import type { TestService } from './test-service.ts'

/** A shop whose customers pay on its pages. */
export type PayShop = Shop & {
  /** Its row: what the operations of commands are given. */
  row: Merchant
  handle: string
  /** The id of a new live link. */
  link(body?: object): Promise<string>
  testLink(body?: object): Promise<string>
  switchLink(id: string, to: 'on' | 'off'): Promise<unknown>
  /** A new gift card; it expires on `expires`, a day in Kampala. */
  card(value: number, expires?: string): Promise<{ id: string; code: string }>
}

/** A verified shop unless something else is asked for. */
export async function payShop(service: LiveService, input: Partial<NewMerchant> = {}): Promise<PayShop> {
  return payShopOf(service, await service.shop(input))
}

/** The same of a shop that is there already. */
export async function payShopOf(service: LiveService, shop: Shop): Promise<PayShop> {
  const { merchant: row } = await findMerchant(service.gateway, shop.merchant.id)
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

/** Fills in the form of a link with this phone and sends it. */
export async function pay(browser: Browser, id: string, fields: Record<string, string> = {}): Promise<Page> {
  const form = await browser.get(`/pay/${id}`)
  return browser.send(form, '/submit', { phone: newPayer(), ...fields })
}

/** Holds the row of a link until a payment waits for it, then changes something; the payment goes on with what is then true. */
export async function payDuring<Answer>(
  service: TestService,
  { merchantId, id }: { merchantId: number; id: string },
  { paying, change }: { paying: () => Promise<Answer>; change: () => Promise<readonly Call[]> },
): Promise<Answer> {
  let paid: Promise<Answer> | null = null
  await service.app.db.transaction(async (tx) => {
    await tx.send(lockLink(merchantId, id))
    paid ??= paying()
    await somebodyWaits(service)
    return { value: null, last: await change() }
  })
  assert.ok(paid)
  return paid
}

/** Until a connection waits for a lock. */
export const somebodyWaits = (service: TestService): Promise<void> =>
  eventually('somebody waits for a lock', async () => {
    const waiting = await service.rows(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
    return waiting.length > 0
  })

/** Types a code into the box of a link and looks at the form again. */
export async function applyCode(browser: Browser, id: string, code: string): Promise<Page> {
  const form = await browser.get(`/pay/${id}`)
  return browser.follow(await browser.send(form, '/apply-voucher', { code }))
}

/** A visitor of his own, with a phone of his own. */
export const visitor = (service: LiveService, headers: Browser['headers'] = {}) => browserOf(service, headers)

/** What the document for the page's script says. */
export async function statusOf(service: { url: string }, id: string, query = ''): Promise<any> {
  const page = await browserOf(service).get(`/pay/${id}/status.json${query}`)
  assert.equal(page.status, 200, page.text)
  return page.body
}

/** The charges born on a link, oldest first; those that were taken back too. */
export const chargesOn = (service: LiveService, id: string) =>
  service.rows<ChargeRow>(
    `select id, status, amount::int, fee::int, gift_card_amount::int as card, channel, phone, email, voided_at, failure_reason
     from charges where payment_link_id = $1 order by created_at, id`,
    [id],
  )
type ChargeRow = {
  id: string
  status: string
  amount: number
  fee: number
  card: number
  channel: string
  phone: string | null
  email: string | null
  voided_at: Date | null
  failure_reason: string | null
}

/** The one charge born on a link. */
export async function chargeOn(service: LiveService, id: string): Promise<ChargeRow> {
  const charges = await chargesOn(service, id)
  assert.equal(charges.length, 1, JSON.stringify(charges))
  return charges[0] as ChargeRow
}

/** What is left on a card, what is set aside and what is spent. */
export async function cardNow(service: LiveService, id: string): Promise<[number, number, number]> {
  const [card] = await service.rows<{ balance: number; reserved: number; spent: number }>(
    'select balance::int, reserved::int, spent::int from gift_cards where id = $1',
    [id],
  )
  assert.ok(card)
  return [card.balance, card.reserved, card.spent]
}

/** Test mode decides after a moment. */
export async function sandboxDecides(service: LiveService): Promise<void> {
  service.pass(2000)
  await service.run('follow-charges')
}
