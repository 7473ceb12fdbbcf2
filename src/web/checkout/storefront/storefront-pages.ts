import { isUnprovenShop, type Shop } from '../../../merchants/account/shops.ts'
import { findLogo } from '../../../merchants/branding/branding.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { maySell } from '../../../selling/payment-links/payable.ts'
import { findPicture, listPublicItems } from '../../../selling/storefront/find-items.ts'
import { picturePath, presentItems, type ShopItem } from '../../../selling/storefront/item.ts'
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

/** GET /pay/@{handle} (contract.md G50): shows what the merchant offers, in live mode only. */
export async function showStorefront(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getPublicShop(checkout, visit)
  if (visit.params.handle !== shop.handle) return { kind: 'redirect', to: `/pay/@${shop.handle}` }
  return sells(shop) ? buildStorefrontPage(shop, visit, { status: 200, fault: null }) : buildClosedPage(shop, 200)
}

/** GET /pay/@{handle}/items.json?before_id=: one page of the storefront's items as JSON. */
export async function showStorefrontItems(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getPublicShop(checkout, visit)
  const page = sells(shop) ? await listShopItems(shop, visit) : { items: [], nextBeforeId: null }
  return {
    kind: 'json',
    status: 200,
    value: presentItems(page, { baseUrl: shop.app.baseUrl, handle: shop.handle }),
  }
}

/** POST /pay/@{handle}/pay: makes a one-shot live link for the amount that the customer chose and redirects to its page. */
export async function payOwnAmount(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getPublicShop(checkout, visit)
  const showFormAgain = (status: number, fault: FormFault) => buildStorefrontPage(shop, visit, { status, fault })
  if (!sells(shop)) return buildClosedPage(shop, 409)
  if (!visit.fromOwnPage) return showFormAgain(403, 'elsewhere')
  const own = parseOwnAmount(visit.fields.amount ?? '', ownAmountBounds(shop, shop.app.config))
  if (own.kind !== 'amount') return showFormAgain(400, own.kind === 'none' ? 'amount' : 'amount_over')
  try {
    await checkout.limits.submits.take(visit.address, checkout.clock.nowMs())
    await checkout.limits.submitsOfLink.take(`@${shop.handle} ${visit.address}`, checkout.clock.nowMs())
    const link = await createOwnAmountLink(shop.app, newCustomerCaller(visit), {
      ...shop,
      amount: own.amount,
    })
    return { kind: 'redirect', to: linkPath(link.id) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status === 429) return withRetryAfter(await showFormAgain(429, 'busy'), error)
    // The account or its limit has changed since the customer loaded the page.
    return error.code === 'amount_too_large' ? showFormAgain(400, 'amount_over') : buildClosedPage(shop, 409)
  }
}

/** GET /pay/@{handle}/qr.png and qr.svg (G50c). */
export async function showStorefrontQr(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getPublicShop(checkout, visit)
  return buildQrReply(`${shop.app.baseUrl}/pay/@${shop.handle}`, visit.params.form)
}

/** GET /pay/@{handle}/pictures/{item}. */
export async function showPicture(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const shop = await getPublicShop(checkout, visit)
  const { merchantId } = shop
  const picture = await findPicture(shop.app, { merchantId, itemId: visit.params.item ?? '' })
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

/** Refuses (404) a merchant that has not proven its mail address: the name on its page could be anybody's. */
async function getPublicShop(checkout: Checkout, visit: CheckoutVisit): Promise<Shop> {
  const shop = await getShop(checkout, visit)
  if (await isUnprovenShop(checkout.gateway(), shop)) throw notFound('page')
  return shop
}

async function getShop({ gateway, shops }: Checkout, visit: CheckoutVisit): Promise<Shop> {
  const handle = visit.params.handle ?? ''
  const shop = HANDLE_PATTERN.test(handle) ? await shops.ofHandle(gateway(), handle) : null
  if (shop === null) throw notFound('page')
  return shop
}

const sells = (shop: Shop) => maySell(shop, 'live')

const listShopItems = ({ app, merchantId }: Shop, visit: CheckoutVisit) =>
  listPublicItems(app, { merchantId, beforeId: visit.query.before_id ?? null, limit: ITEMS_PER_PAGE })

async function buildStorefrontPage(
  shop: Shop,
  visit: CheckoutVisit,
  { status, fault }: { status: number; fault: FormFault | null },
): Promise<Reply> {
  const path = `/pay/@${shop.handle}`
  const { items, nextBeforeId } = await listShopItems(shop, visit)
  return {
    kind: 'page',
    status,
    shop,
    mode: 'live',
    here: visit.query.before_id === undefined ? path : `${path}?before_id=${encodeURIComponent(visit.query.before_id)}`,
    view: {
      kind: 'storefront',
      items: items.map((item) => presentItem(item, shop)),
      nextHref: nextBeforeId === null ? null : `${path}?before_id=${nextBeforeId}`,
      firstHref: visit.query.before_id === undefined ? null : path,
      qrSvg: `${path}/qr.svg`,
      qrPng: `${path}/qr.png`,
      ownAmount: {
        typed: visit.fields.amount ?? '',
        ...ownAmountBounds(shop, shop.app.config),
        fault,
      },
    },
  }
}

const presentItem = (item: ShopItem, { handle }: Shop): StorefrontItem => ({
  id: item.id,
  name: item.name,
  description: item.description,
  amount: item.amount,
  href: linkPath(item.linkId),
  picture: picturePath(item, handle),
})

const buildClosedPage = (shop: Shop, status: number): Reply => ({
  kind: 'page',
  status,
  shop,
  mode: 'live',
  view: { kind: 'closed', why: closedReason(shop), cancelUrl: null, storefront: null },
})
