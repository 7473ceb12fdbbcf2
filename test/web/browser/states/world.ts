import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { followUntilEnded, succeed } from '../../../helpers/payments/following-charges.ts'
import { newCard } from '../../../helpers/payments/gift-cards.ts'
import { type LiveService, type Shop, startLiveService } from '../../../helpers/service/live-service.ts'
import { type Coming, launchBrowser, newVisitor, type Visitor } from '../browser.ts'
import { type OtherSite, startOtherSite } from '../other-site.ts'
import { fillStorefront } from '../storefront.ts'

export const SHOP_NAME = 'Mama Joy Boutique'
/** Phones of the sandbox, each named after the outcome of its payment. */
export const PHONES = {
  pays: '0700000000',
  insufficient_funds: '0700000001',
  user_cancelled: '0700000002',
  timeout: '0700000003',
}
const OUTCOME_MS = 3000

export type Link = { id: string; url: string }
type Payer = { phone: string; method?: string }

/** The service, a shop with its own site, and a browser. */
export type World = {
  service: LiveService
  shop: Shop
  site: OtherSite
  /** The address of the shop's public page. */
  storefront: string
  browser: Browser
  link(body?: object): Promise<Link>
  liveLink(body?: object): Promise<Link>
  /** A gift card's code. */
  giftCard(value: number): Promise<string>
  /** Sends the form of a link as a browser without scripts does. Answers with the address of the page that follows. */
  submit(link: Link, payer: Payer): Promise<string>
  /** The sandbox decides every open charge. */
  decide(): Promise<void>
  /** The live operator's customer pays, or the operator refuses. */
  settle(link: Link, how: 'pays' | 'refuses'): Promise<void>
  /** The charges of a link, oldest first. */
  charges(link: Link): Promise<{ id: string; status: string; phone: string | null }[]>
  /** Runs a story in a new browser context, and fails when anything goes wrong in it. */
  visit<Value>(story: (page: Page, visitor: Visitor) => Promise<Value>, how?: Partial<Coming>): Promise<Value>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const [service, browser, site] = await Promise.all([startLiveService(), launchBrowser(), startOtherSite()])
  const shop = await service.shop({ name: SHOP_NAME, handle: 'mama-joy' })
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await fillStorefront(service, merchant)
  const linkOf =
    (api: Shop['test']) =>
    async (body: object = {}) => {
      const made = await api.post('/v1/payment-links', { amount: 25_000, ...body })
      assert.equal(made.status, 201, made.text)
      return { id: made.body.id, url: `${service.url}/pay/${made.body.id}` }
    }
  const charges: World['charges'] = ({ id }) =>
    service.rows('select id, status, phone from charges where payment_link_id = $1 order by created_at, id', [id])
  return {
    ...{ service, shop, site, browser, charges },
    storefront: `${service.url}/pay/@${merchant.handle}`,
    link: linkOf(shop.test),
    liveLink: linkOf(shop.live),
    giftCard: async (value) => (await newCard(service, { merchantId: merchant.id, tag: merchant.tag }, value)).code,
    submit: (link, payer) => submit(service, link, payer),
    decide: async () => {
      service.pass(OUTCOME_MS)
      await service.run('follow-charges')
    },
    settle: async (link, how) => {
      const chargeId = (await charges(link)).at(-1)?.id ?? ''
      if (how === 'pays') return succeed(service, chargeId)
      service.operator.refuses(chargeId, 'PAYER_NOT_ALLOWED')
      await followUntilEnded(service, chargeId)
    },
    visit: (story, how = {}) => visit(browser, story, { own: [service.url, site.origin], ...how }),
    close: async () => {
      await browser.close()
      await site.close()
      await service.close()
    },
  }
}

async function visit<Value>(
  browser: Browser,
  story: (page: Page, visitor: Visitor) => Promise<Value>,
  how: Coming,
): Promise<Value> {
  const visitor = await newVisitor(browser, how)
  try {
    const value = await story(visitor.page, visitor)
    assert.deepEqual(visitor.troubles(), [])
    return value
  } finally {
    await visitor.context.close()
  }
}

async function submit(service: LiveService, link: Link, { phone, method }: Payer): Promise<string> {
  const answer = await fetch(`${link.url}/submit`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ channel: method ?? 'op1_momo', phone }),
  })
  assert.equal(answer.status, 302, await answer.text())
  return `${service.url}${answer.headers.get('location')}`
}
