import { isUnprovenShop, type Shop } from '../../../merchants/account/shops.ts'
import { findLogo } from '../../../merchants/branding/branding.ts'
import type { Mode } from '../../../platform/mode.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { maySell } from '../../../selling/payment-links/payable.ts'
import { findPicture, listPublicItems } from '../../../selling/storefront/find-items.ts'
import {
  formatTwinKey,
  picturePath,
  presentItems,
  type ShopItem,
  storefrontPath,
} from '../../../selling/storefront/item.ts'
import { createOwnAmountLink, ownAmountBounds, parseOwnAmount } from '../../../selling/storefront/own-amount.ts'
import { buildQrReply, withRetryAfter } from '../link/link-pages.ts'
import { closedReason } from '../link/link-views.ts'
import { linkPath } from '../payment-path.ts'
import type { FormFault, StorefrontItem } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'

const ITEMS_PER_PAGE = 6
// The address of a picture changes with its content, so browsers may cache it for a year.
const PICTURE_MAX_AGE_SECONDS = 31_536_000
const HANDLE_PATTERN = /^[a-z0-9-]{3,30}$/

/** A public page of a shop: that of live mode, or its twin of test mode, which is at an address of its own. */
type Front = { shop: Shop; mode: Mode; path: string }

/** GET /pay/@{handle} (contract.md G50): shows what the merchant offers in this mode. */
export async function showStorefront(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const front = await getFront(checkout, visit)
  if (visit.params.handle !== front.shop.handle) return { kind: 'redirect', to: front.path }
  return sells(front) ? buildStorefrontPage(front, visit, { status: 200, fault: null }) : buildClosedPage(front, 200)
}

/** GET /pay/@{handle}/items.json?before_id=: one page of the storefront's items as JSON. */
export async function showStorefrontItems(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const front = await getFront(checkout, visit)
  const { app, handle, publicKeyTest } = front.shop
  const page = sells(front) ? await listShopItems(front, visit) : { items: [], nextBeforeId: null }
  return {
    kind: 'json',
    status: 200,
    value: presentItems(page, { baseUrl: app.baseUrl, handle, publicKeyTest }),
  }
}

/** POST /pay/@{handle}/pay: makes a one-shot link for the amount that the customer chose and redirects to its page. */
export async function payOwnAmount(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const front = await getFront(checkout, visit)
  const { shop, mode } = front
  const showFormAgain = (status: number, fault: FormFault) => buildStorefrontPage(front, visit, { status, fault })
  if (!sells(front)) return buildClosedPage(front, 409)
  if (!visit.fromOwnPage) return showFormAgain(403, 'elsewhere')
  const own = parseOwnAmount(visit.fields.amount ?? '', ownAmountBounds(shop, shop.app.config))
  if (own.kind !== 'amount') return showFormAgain(400, own.kind === 'none' ? 'amount' : 'amount_over')
  try {
    await checkout.limits.submits.take(visit.address, checkout.clock.nowMs())
    await checkout.limits.submitsOfLink.take(`@${shop.handle} ${visit.address}`, checkout.clock.nowMs())
    const link = await createOwnAmountLink(shop.app, newCustomerCaller(visit), { ...shop, mode, amount: own.amount })
    return { kind: 'redirect', to: linkPath(link.id) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status === 429) return withRetryAfter(await showFormAgain(429, 'busy'), error)
    // The account or its limit has changed since the customer loaded the page.
    return error.code === 'amount_too_large' ? showFormAgain(400, 'amount_over') : buildClosedPage(front, 409)
  }
}

/** GET /pay/@{handle}/qr.png and qr.svg (G50c). */
export async function showStorefrontQr(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const { shop, path } = await getFront(checkout, visit)
  return buildQrReply(`${shop.app.baseUrl}${path}`, visit.params.form)
}

/** GET /pay/@{handle}/pictures/{item}. */
export async function showPicture(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const { shop, mode } = await getFront(checkout, visit)
  const { merchantId } = shop
  const picture = await findPicture(shop.app, { merchantId, mode, itemId: visit.params.item ?? '' })
  if (picture === null) throw notFound('page')
  return { kind: 'file', type: 'image/webp', body: picture.body, maxAgeSeconds: PICTURE_MAX_AGE_SECONDS }
}

/** GET /pay/@{handle}/logo. */
export async function showLogo(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getShop(checkout, visit)
  const body = shop.logoAt === null ? null : await findLogo(shop.app, shop.merchantId)
  if (body === null) throw notFound('page')
  return { kind: 'file', type: 'image/webp', body, maxAgeSeconds: PICTURE_MAX_AGE_SECONDS }
}

/**
 * Gets the page at this address. Refuses (404) a merchant that has not proven its mail address, because the name on its page could be
 * anybody's; its twin takes no real money, and is found only by those who have its whole address.
 */
async function getFront(checkout: Checkout, visit: CheckoutVisit): Promise<Front> {
  const shop = await getShop(checkout, visit)
  const { key } = visit.params
  const mode = key === undefined ? 'live' : 'test'
  const isThere = mode === 'test' ? key === formatTwinKey(shop) : !(await isUnprovenShop(checkout.gateway(), shop))
  if (!isThere) throw notFound('page')
  return { shop, mode, path: storefrontPath({ ...shop, mode }) }
}

async function getShop({ gateway, shops }: Checkout, visit: CheckoutVisit): Promise<Shop> {
  const handle = visit.params.handle ?? ''
  const shop = HANDLE_PATTERN.test(handle) ? await shops.ofHandle(gateway(), handle) : null
  if (shop === null) throw notFound('page')
  return shop
}

const sells = ({ shop, mode }: Front) => maySell(shop, mode)

const listShopItems = ({ shop: { app, merchantId }, mode }: Front, visit: CheckoutVisit) =>
  listPublicItems(app, { merchantId, mode, beforeId: visit.query.before_id ?? null, limit: ITEMS_PER_PAGE })

async function buildStorefrontPage(
  front: Front,
  visit: CheckoutVisit,
  { status, fault }: { status: number; fault: FormFault | null },
): Promise<Reply> {
  const { shop, mode, path } = front
  const { items, nextBeforeId } = await listShopItems(front, visit)
  return {
    kind: 'page',
    status,
    shop,
    mode,
    here: visit.query.before_id === undefined ? path : `${path}?before_id=${encodeURIComponent(visit.query.before_id)}`,
    view: {
      kind: 'storefront',
      items: items.map((item) => presentItem(item, shop)),
      nextHref: nextBeforeId === null ? null : `${path}?before_id=${nextBeforeId}`,
      firstHref: visit.query.before_id === undefined ? null : path,
      qrSvg: `${path}/qr.svg`,
      qrPng: `${path}/qr.png`,
      ownAmount: {
        action: `${path}/pay`,
        typed: visit.fields.amount ?? '',
        ...ownAmountBounds(shop, shop.app.config),
        fault,
      },
    },
  }
}

const presentItem = (item: ShopItem, shop: Shop): StorefrontItem => ({
  id: item.id,
  name: item.name,
  description: item.description,
  amount: item.amount,
  href: linkPath(item.linkId),
  picture: picturePath(item, shop),
})

const buildClosedPage = ({ shop, mode }: Front, status: number): Reply => ({
  kind: 'page',
  status,
  shop,
  mode,
  view: { kind: 'closed', why: closedReason(shop), cancelUrl: null, storefront: null },
})
