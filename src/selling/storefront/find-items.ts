import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, readListPage } from '../../api/http/lists/lists.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { ITEM_COLUMNS, type ShopItem } from './item.ts'

// `offset 0` forces one look-up by index for each item. A plan that was made while there were few links would read all of the merchant's.
const ITS_LINK = `cross join lateral (select p.description, p.amount, p.mode, p.kind, p.allow_multiple_uses, p.switched_off_at
  from payment_links p where p.merchant_id = i.merchant_id and p.id = i.link_id offset 0) l`
// A page never shows an item of the other mode.
const isShownIn = (mode: string) =>
  `i.removed_at is null and l.switched_off_at is null and l.mode = ${mode} and l.kind = 'link' and l.allow_multiple_uses`

const ITEM_BY_ID = statement<ShopItem>(
  'storefront item by id',
  `select ${ITEM_COLUMNS} from storefront_items i ${ITS_LINK} where i.merchant_id = $1 and i.id = $2`,
)
const ALL_ITEMS = statement<ShopItem>(
  'all storefront items',
  `select ${ITEM_COLUMNS} from storefront_items i ${ITS_LINK} where i.merchant_id = $1 and l.mode = $2 and i.removed_at is null
   order by i.created_at desc, i.id desc`,
)
// For an unknown item ($2) it is the first page. A removed item still has its position.
const PUBLIC_PAGE = statement<ShopItem>(
  'page of storefront items',
  `select ${ITEM_COLUMNS} from storefront_items i ${ITS_LINK} where i.merchant_id = $1 and ${isShownIn('$4')}
     and (i.created_at, i.id) < (coalesce((select b.created_at from storefront_items b
       where b.merchant_id = $1 and b.id = $2), 'infinity'), coalesce($2, ''))
   order by i.created_at desc, i.id desc limit $3`,
)
const ITEM_NAME = statement<{ name: string }>(
  'name of storefront item',
  'select i.name from storefront_items i where i.merchant_id = $1 and i.link_id = $2',
)
const ITEM_PICTURE = statement<{ body: Buffer; at: Date }>(
  'picture of storefront item',
  `select i.picture as body, i.picture_at as at
   from (select o.merchant_id, o.link_id, o.removed_at, o.picture, o.picture_at from storefront_items o
     where o.merchant_id = $1 and o.id = $2 offset 0) i ${ITS_LINK}
   where ${isShownIn('$3')} and i.picture is not null`,
)

const OWN_PAGE = listStatement<ShopItem>(
  'page of own storefront items',
  `select ${ITEM_COLUMNS} from storefront_items i ${ITS_LINK} where i.merchant_id = :merchantId and l.mode = :mode
     and i.removed_at is null and i.created_at >= :bound and (i.created_at, i.id) < (:cursorAt, :cursorId)
   order by i.created_at desc, i.id desc limit :limit`,
)

/** One page of the items of the caller's mode that are not removed, hidden ones too, newest first; for the merchant itself. */
export const listOwnItemPage = (app: App, caller: Caller, window: ListWindow): Promise<ListPage<ShopItem>> =>
  readListPage(app, caller, {
    window,
    statement: OWN_PAGE,
    find: async (id) => {
      const item =
        parseTag('itm_', id) === caller.tag ? await findItem(app, { merchantId: caller.merchantId, id }) : null
      return item?.mode === caller.mode ? item : null
    },
  })

/** The merchant whose items are read, and in which mode. */
type ItemsOwner = { merchantId: number; mode: Mode }

export const itemById = (merchantId: number, id: string): Call<ShopItem> => call(ITEM_BY_ID, merchantId, id)

/** Finds an item, also a hidden or removed one. */
export const findItem = (app: App, { merchantId, id }: { merchantId: number; id: string }): Promise<ShopItem | null> =>
  firstRow(app.db.query(ITEM_BY_ID, [merchantId, id]))

/** Finds the name of the item that shows this link. */
export async function findItemName(
  app: App,
  { merchantId, linkId }: { merchantId: number; linkId: string },
): Promise<string | null> {
  const [item] = await app.db.query(ITEM_NAME, [merchantId, linkId])
  return item?.name ?? null
}

/** Lists all items of a mode that are not removed, hidden ones too, newest first; for the merchant itself. */
export const listOwnItems = (app: App, { merchantId, mode }: ItemsOwner): Promise<ShopItem[]> =>
  app.db.query(ALL_ITEMS, [merchantId, mode])

/**
 * One page of the items shown in this mode, newest first: those older than the item `beforeId`, or the newest if that is null or unknown.
 * `nextBeforeId` is the `beforeId` of the next page, null on the last one.
 */
export async function listPublicItems(
  app: App,
  { merchantId, mode, beforeId, limit }: ItemsOwner & { beforeId: string | null; limit: number },
): Promise<{ items: ShopItem[]; nextBeforeId: string | null }> {
  const before = beforeId !== null && parseTag('itm_', beforeId) !== null ? beforeId : null
  const rows = await app.db.query(PUBLIC_PAGE, [merchantId, before, limit + 1, mode])
  const items = rows.slice(0, limit)
  return { items, nextBeforeId: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** Finds the WebP picture of an item shown in this mode, and when it was set. */
export async function findPicture(
  app: App,
  { merchantId, mode, itemId }: ItemsOwner & { itemId: string },
): Promise<{ body: Buffer; at: Date } | null> {
  if (parseTag('itm_', itemId) === null) return null
  const [picture] = await app.db.query(ITEM_PICTURE, [merchantId, itemId, mode])
  return picture ?? null
}
