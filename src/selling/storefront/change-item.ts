import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { type AuditAct, auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { lockLink } from '../payment-links/hold-link.ts'
import { judgeLink } from '../payment-links/link-rules.ts'
import type { PaymentLink } from '../payment-links/payment-link.ts'
import { setLinkSwitch } from '../payment-links/switch-link.ts'
import { addLinks, newLink } from '../payment-links/write-links.ts'
import type { NewItem, StorefrontMerchant } from './add-item.ts'
import { itemById } from './find-items.ts'
import { itemAuditFacts, itemLinkTerms, parseItemTexts, type ShopItem } from './item.ts'

/** The fields to change. An absent one stays; null removes the picture or the description. */
export type ItemChange = Partial<NewItem>

type LockedItem = { linkId: string; name: string; removed: boolean }
const LOCK_ITEM = statement<LockedItem>(
  'lock storefront item',
  `select i.link_id as "linkId", i.name, i.removed_at is not null as removed from storefront_items i
   where i.merchant_id = $1 and i.id = $2 for no key update`,
)
const EDIT_ITEM = statement(
  'edit storefront item',
  'update storefront_items set link_id = $3, name = $4 where merchant_id = $1 and id = $2',
)
const SET_PICTURE = statement(
  'set picture of storefront item',
  'update storefront_items set picture = $3, picture_at = $4 where merchant_id = $1 and id = $2',
)
const REMOVE_ITEM = statement(
  'remove storefront item',
  'update storefront_items set removed_at = $3 where merchant_id = $1 and id = $2',
)

/**
 * Changes an item. Another amount or description makes another link, and the old one is switched off in the same commit: no
 * customer pays a price that was not shown, and paid charges keep their description. A hidden item stays hidden. Throws 404
 * `item not found`, or the Refusal of the amount.
 */
export function editItem(
  app: App,
  actor: Actor,
  { shop, id, change }: { shop: StorefrontMerchant; id: string; change: ItemChange },
): Promise<ShopItem> {
  allow(actor, 'item.edit', shop.id)
  const at = app.clock.now()
  const act = { actor, action: 'item.edit', at, merchantId: shop.id } as const
  return changeItem(app, { shop, id, act }, async (tx, { locked, link }) => {
    if (locked.removed) throw notFound('item')
    const words = parseItemTexts({
      name: change.name ?? locked.name,
      description: change.description === undefined ? link.description : change.description,
    })
    const { amount = link.amount, picture } = change
    const keepsLink = amount === link.amount && words.description === link.description
    const next = keepsLink ? link : newLinkFrom(app, shop, { link, amount, description: words.description, at })
    await tx.send(
      ...(keepsLink ? [] : replaceLink(link, next, at)),
      call(EDIT_ITEM, shop.id, id, next.id, words.name),
      ...(picture === undefined ? [] : [call(SET_PICTURE, shop.id, id, picture, picture && at.toISOString())]),
    )
    return true
  })
}

/** Takes an item off the page and switches its link off; a removed one does not change. Throws 404 `item not found`. */
export function removeItem(
  app: App,
  actor: Actor,
  { shop, id }: { shop: StorefrontMerchant; id: string },
): Promise<ShopItem> {
  allow(actor, 'item.remove', shop.id)
  const at = app.clock.now()
  const act = { actor, action: 'item.remove', at, merchantId: shop.id } as const
  return changeItem(app, { shop, id, act }, async (tx, { locked, link }) => {
    if (locked.removed) return false
    await tx.send(setLinkSwitch({ ...link, switchedOffAt: at }), call(REMOVE_ITEM, shop.id, id, at.toISOString()))
    return true
  })
}

type ItemChangeInput = { shop: StorefrontMerchant; id: string; act: AuditAct }

/** Runs `change` on a locked item and its locked link, and returns the item after it. `change` returns whether it changed anything. */
async function changeItem(
  app: App,
  { shop, id, act }: ItemChangeInput,
  change: (tx: Tx, rows: { locked: LockedItem; link: PaymentLink }) => Promise<boolean>,
): Promise<ShopItem> {
  if (parseTag('itm_', id) !== shop.tag) throw notFound('item')
  return app.db.transaction(async (tx) => {
    const [[locked]] = await tx.send(call(LOCK_ITEM, shop.id, id))
    if (!locked) throw notFound('item')
    const [[link]] = await tx.send(lockLink(shop.id, locked.linkId))
    assert(link, 'an item has a link')
    const changed = await change(tx, { locked, link })
    const [[item]] = await tx.send(itemById(shop.id, id))
    assert(item, 'an item never goes')
    if (!changed) return { value: item }
    const before = { name: locked.name, link: link.id, amount: link.amount }
    const row = auditRow({ ...act, mode: link.mode, subject: id, before, after: itemAuditFacts(item) })
    return { value: item, last: [row] }
  })
}

function newLinkFrom(
  app: App,
  shop: StorefrontMerchant,
  { link, amount, description, at }: { link: PaymentLink; amount: number; description: string | null; at: Date },
): PaymentLink {
  judgeLink({ amount, currency: 'UGX' }, { terms: itemLinkTerms(shop), mode: link.mode, config: app.config })
  const owner = { merchantId: shop.id, tag: shop.tag, mode: link.mode }
  return newLink(owner, { ...link, amount, description }, at)
}

/** Replaces the old link by the new one, which is switched off if the old one was. */
const replaceLink = (old: PaymentLink, next: PaymentLink, at: Date): Call[] => [
  ...addLinks([next]),
  ...(old.switchedOffAt === null ? [old] : [next]).map((link) => setLinkSwitch({ ...link, switchedOffAt: at })),
]
