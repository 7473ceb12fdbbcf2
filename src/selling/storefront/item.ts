import { Type } from 'typebox'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import type { Merchant, MerchantTerms } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { linkUrl } from '../payment-links/payment-link.ts'

/** An item of a merchant's public page, with fields of its link. Whole UGX; times are UTC. */
export type ShopItem = {
  merchantId: number
  id: string
  /** The mode of its link: which of the merchant's two public pages it is on. */
  mode: Mode
  linkId: string
  name: string
  description: string | null
  amount: number
  /** When its picture was set; null without one. The picture itself is read by `findPicture`. */
  pictureAt: Date | null
  /** True if its link is switched off: the item is not shown and cannot be paid. */
  hidden: boolean
  removed: boolean
  createdAt: Date
}

/** Columns of `storefront_items i` and its `payment_links l`. */
export const ITEM_COLUMNS = `i.merchant_id as "merchantId", i.id, l.mode, i.link_id as "linkId", i.name, l.description, l.amount,
  i.picture_at as "pictureAt", l.switched_off_at is not null as hidden, i.removed_at is not null as removed,
  i.created_at as "createdAt"`

/** The texts of an item. */
const ItemTextsShape = Type.Object({
  name: Type.String({ maxLength: 200 }),
  description: Type.Optional(Type.String({ maxLength: 1000, lines: true })),
})

/** Checks the texts of an item; a blank description becomes null. Throws `invalid request: ...`. */
export function parseItemTexts(texts: { name: string; description: string | null }): {
  name: string
  description: string | null
} {
  const { name, description = null } = parseBody(ItemTextsShape, texts)
  return { name: name.trim(), description }
}

/**
 * The merchant's terms by which an item's link is judged. They count as verified: a shop may be prepared before the business is,
 * and until then its page says that nothing can be paid.
 */
export const itemLinkTerms = (merchant: Pick<MerchantTerms, 'active' | 'account' | 'chargeLimit'>) => ({
  active: merchant.active,
  account: merchant.account,
  chargeLimit: merchant.chargeLimit,
  kycStatus: 'verified' as const,
})

/** A merchant's public page: that of live mode, or its twin on which everything is paid with test money. */
export type Storefront = Pick<Merchant, 'handle' | 'publicKeyTest'> & { mode: Mode }

/** The path of a public page. Whoever has the address of the twin may try it; it is not to be guessed from the handle. */
export const storefrontPath = ({ handle, publicKeyTest, mode }: Storefront): string =>
  mode === 'live' ? `/pay/@${handle}` : `/pay/@${handle}/test/${formatTwinKey({ publicKeyTest })}`

/** The part of the twin's address that only the shop knows: its public key of test mode. Hosted addresses have no capitals. */
export const formatTwinKey = ({ publicKeyTest }: Pick<Storefront, 'publicKeyTest'>): string =>
  publicKeyTest.toLowerCase()

/** The path of an item's picture. It changes with every picture, so that it may be cached for long. */
export const picturePath = ({ id, pictureAt, mode }: ShopItem, shop: Omit<Storefront, 'mode'>): string | null =>
  pictureAt === null ? null : `${storefrontPath({ ...shop, mode })}/pictures/${id}?v=${pictureAt.getTime()}`

/** The document `items.json` (contract.md G50). */
export const presentItems = (
  { items, nextBeforeId }: { items: readonly ShopItem[]; nextBeforeId: string | null },
  address: ShopAddress,
) => ({
  items: items.map((item) => presentItem(item, address)),
  ...(nextBeforeId === null ? {} : { next_before_id: nextBeforeId }),
})

/** Where the addresses of a merchant's items begin; `baseUrl` has no slash at its end. */
export type ShopAddress = Omit<Storefront, 'mode'> & { baseUrl: string }

export function presentItem(item: ShopItem, { baseUrl, ...shop }: ShopAddress) {
  const picture = picturePath(item, shop)
  return {
    id: item.id,
    name: item.name,
    ...(item.description === null ? {} : { description: item.description }),
    amount: item.amount,
    url: linkUrl({ id: item.linkId }, baseUrl),
    ...(picture === null ? {} : { picture_url: `${baseUrl}${picture}` }),
  }
}

/** The fields of an item that the audit stores. */
export const itemAuditFacts = ({ name, linkId, amount }: ShopItem) => ({ name, link: linkId, amount })
