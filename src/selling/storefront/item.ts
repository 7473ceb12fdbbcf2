import { Type } from 'typebox'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { linkUrl } from '../payment-links/payment-link.ts'

/** An item of a merchant's public page, with fields of its link. Whole UGX; times are UTC. */
export type ShopItem = {
  merchantId: number
  id: string
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
export const ITEM_COLUMNS = `i.merchant_id as "merchantId", i.id, i.link_id as "linkId", i.name, l.description, l.amount,
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

/** The path of an item's picture. It changes with every picture, so that it may be cached for long. */
export const picturePath = ({ id, pictureAt }: Pick<ShopItem, 'id' | 'pictureAt'>, handle: string): string | null =>
  pictureAt === null ? null : `/pay/@${handle}/pictures/${id}?v=${pictureAt.getTime()}`

/** The document `items.json` (contract.md G50). `baseUrl` has no slash at its end. */
export const presentItems = (
  { items, nextBeforeId }: { items: readonly ShopItem[]; nextBeforeId: string | null },
  { baseUrl, handle }: { baseUrl: string; handle: string },
) => ({
  items: items.map((item) => presentItem(item, { baseUrl, handle })),
  ...(nextBeforeId === null ? {} : { next_before_id: nextBeforeId }),
})

export function presentItem(item: ShopItem, { baseUrl, handle }: { baseUrl: string; handle: string }) {
  const picture = picturePath(item, handle)
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
