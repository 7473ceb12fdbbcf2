import { findLogo } from '../../branding/branding.ts'
import { isClaim, type Shop } from '../../merchants/shops.ts'
import { maySell } from '../../payment-links/payable.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { findPicture, listItems } from '../../storefront/find-items.ts'
import { picturePath, presentItems, type ShopItem } from '../../storefront/item.ts'
import { createOwnAmountLink, ownAmountBounds, readOwnAmount } from '../../storefront/own-amount.ts'
import { qrReply, withRetryAfter } from '../link/link-pages.ts'
import { whyClosed } from '../link/states.ts'
import type { FormFault, StorefrontItem } from '../view.ts'
import { type Checkout, type Reply, type Visit, visitor } from '../visit.ts'

const ITEMS_A_PAGE = 6
// The address of a picture changes with its content, so browsers may cache it for a year.
const PICTURE_MAX_AGE_S = 31_536_000
const HANDLE = /^[a-z0-9-]{3,30}$/

/** GET /pay/@{handle} (contract.md G50): shows what the merchant offers, in live mode only. */
export async function showStorefront(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findPublicShop(checkout, visit)
  if (visit.params.handle !== shop.handle) return { kind: 'redirect', to: `/pay/@${shop.handle}` }
  return sells(shop) ? storefront(shop, visit, { status: 200, fault: null }) : closed(shop, 200)
}

/** GET /pay/@{handle}/items.json?before_id=: one page of the storefront's items as JSON. */
export async function showItems(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findPublicShop(checkout, visit)
  const page = sells(shop) ? await pageOfItems(shop, visit) : { items: [], nextBeforeId: null }
  return {
    kind: 'json',
    status: 200,
    value: presentItems(page, { baseUrl: shop.app.baseUrl, handle: shop.handle }),
  }
}

/** POST /pay/@{handle}/pay: makes a one-shot live link for the amount that the customer chose and redirects to its page. */
export async function payOwnAmount(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findPublicShop(checkout, visit)
  const showFormAgain = (status: number, fault: FormFault) => storefront(shop, visit, { status, fault })
  if (!sells(shop)) return closed(shop, 409)
  if (!visit.fromOwnPage) return showFormAgain(403, 'elsewhere')
  const own = readOwnAmount(visit.fields.amount ?? '', ownAmountBounds(shop, shop.app.config))
  if (own.kind !== 'amount') return showFormAgain(400, own.kind === 'none' ? 'amount' : 'amount_over')
  try {
    await checkout.limits.submits.take(visit.address, checkout.clock.nowMs())
    await checkout.limits.submitsOfLink.take(`@${shop.handle} ${visit.address}`, checkout.clock.nowMs())
    const link = await createOwnAmountLink(shop.app, visitor(visit), { ...shop, amount: own.amount })
    return { kind: 'redirect', to: `/pay/${link.id}` }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status === 429) return withRetryAfter(await showFormAgain(429, 'busy'), error)
    // The account or its limit has changed since the customer loaded the page.
    return error.code === 'amount_too_large' ? showFormAgain(400, 'amount_over') : closed(shop, 409)
  }
}

/** GET /pay/@{handle}/qr.png and qr.svg (G50c). */
export async function showStorefrontQr(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findPublicShop(checkout, visit)
  return qrReply(`${shop.app.baseUrl}/pay/@${shop.handle}`, visit.params.form)
}

/** GET /pay/@{handle}/pictures/{item}. */
export async function showPicture(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findPublicShop(checkout, visit)
  const { merchantId } = shop
  const picture = await findPicture(shop.app, { merchantId, itemId: visit.params.item ?? '' })
  if (picture === null) throw notFound('page')
  return { kind: 'file', type: 'image/webp', body: picture.body, maxAgeSeconds: PICTURE_MAX_AGE_S }
}

/** GET /pay/@{handle}/logo. */
export async function showLogo(checkout: Checkout, visit: Visit): Promise<Reply> {
  const shop = await findShop(checkout, visit)
  const body = shop.logoAt === null ? null : await findLogo(shop.app, shop.merchantId)
  if (body === null) throw notFound('page')
  return { kind: 'file', type: 'image/webp', body, maxAgeSeconds: PICTURE_MAX_AGE_S }
}

/** Refuses (404) a merchant that has not proven its mail address: the name on its page could be anybody's. */
async function findPublicShop(checkout: Checkout, visit: Visit): Promise<Shop> {
  const shop = await findShop(checkout, visit)
  if (await isClaim(checkout.gateway(), shop)) throw notFound('page')
  return shop
}

async function findShop({ gateway, shops }: Checkout, visit: Visit): Promise<Shop> {
  const handle = visit.params.handle ?? ''
  const shop = HANDLE.test(handle) ? await shops.ofHandle(gateway(), handle) : null
  if (shop === null) throw notFound('page')
  return shop
}

const sells = (shop: Shop) => maySell(shop, 'live')

const pageOfItems = ({ app, merchantId }: Shop, visit: Visit) =>
  listItems(app, { merchantId, beforeId: visit.query.before_id ?? null, limit: ITEMS_A_PAGE })

async function storefront(
  shop: Shop,
  visit: Visit,
  { status, fault }: { status: number; fault: FormFault | null },
): Promise<Reply> {
  const path = `/pay/@${shop.handle}`
  const { items, nextBeforeId } = await pageOfItems(shop, visit)
  return {
    kind: 'page',
    status,
    shop,
    mode: 'live',
    here:
      visit.query.before_id === undefined
        ? path
        : `${path}?before_id=${encodeURIComponent(visit.query.before_id)}`,
    view: {
      kind: 'storefront',
      items: items.map((item) => itemOf(item, shop)),
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

const itemOf = (item: ShopItem, { handle }: Shop): StorefrontItem => ({
  id: item.id,
  name: item.name,
  description: item.description,
  amount: item.amount,
  href: `/pay/${item.linkId}`,
  picture: picturePath(item, handle),
})

const closed = (shop: Shop, status: number): Reply => ({
  kind: 'page',
  status,
  shop,
  mode: 'live',
  view: { kind: 'closed', why: whyClosed(shop), cancelUrl: null, storefront: null },
})
