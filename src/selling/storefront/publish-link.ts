import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { findLink } from '../payment-links/find-links.ts'
import type { StorefrontMerchant } from './add-item.ts'
import { itemById } from './find-items.ts'
import { itemAuditFacts, parseItemTexts, type ShopItem } from './item.ts'

const ADD_ITEM_OF_LINK = statement(
  'publish payment link',
  `insert into storefront_items (merchant_id, id, link_id, name, picture, picture_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)
const ITEM_OF_LINK = statement<{ id: string; removed: boolean }>(
  'item of payment link',
  `select id, removed_at is not null as removed from storefront_items where merchant_id = $1 and link_id = $2`,
)

type PublishInput = { shop: StorefrontMerchant; linkId: string; name: string; picture: Buffer | null }

/** Finds the item of this link on the public page, also a removed one. */
export async function findItemOfLink(
  app: App,
  { merchantId, linkId }: { merchantId: number; linkId: string },
): Promise<{ id: string; removed: boolean } | null> {
  const [item] = await app.db.query(ITEM_OF_LINK, [merchantId, linkId])
  return item ?? null
}

/**
 * Shows a reusable link on the public page of its mode, under a name (contract.md G50). A link that is shown already does not change. Throws 404
 * `payment link not found`, and a Refusal for a link of another kind or one whose item was removed.
 */
export async function publishLink(app: App, actor: Actor, { shop, linkId, ...input }: PublishInput): Promise<ShopItem> {
  allow(actor, 'item.add', shop.id)
  const { name } = parseItemTexts({ name: input.name, description: null })
  const link = parseTag('lnk_', linkId) === shop.tag ? await findLink(app, { merchantId: shop.id, id: linkId }) : null
  if (link === null || link.kind !== 'link') throw notFound('payment link')
  if (!link.allowMultipleUses)
    throw domainRefusal('not_public', 'only a link that can be paid more than once can be on the storefront')
  const at = app.clock.now()
  const id = newId('itm_', shop.tag)
  const pictureAt = input.picture === null ? null : at.toISOString()
  return onUniqueViolation(
    () =>
      app.db.transaction(async (tx) => {
        const add = call(ADD_ITEM_OF_LINK, shop.id, id, link.id, name, input.picture, pictureAt, at.toISOString())
        const [, [item]] = await tx.send(add, itemById(shop.id, id))
        assert(item, 'what was just stored is found')
        const act = { actor, action: 'item.add', at, merchantId: shop.id, mode: link.mode } as const
        return { value: item, last: [auditRow({ ...act, subject: id, after: itemAuditFacts(item) })] }
      }),
    (error) => getPublishedItem(app, { shop, linkId: link.id, error }),
  )
}

async function getPublishedItem(
  app: App,
  { shop, linkId, error }: { shop: StorefrontMerchant; linkId: string; error: unknown },
): Promise<ShopItem> {
  const published = await findItemOfLink(app, { merchantId: shop.id, linkId })
  if (published === null) throw error
  if (published.removed)
    throw domainRefusal('item_removed', 'this link was taken off the storefront; add a new item instead')
  const itemCall = itemById(shop.id, published.id)
  const [item] = await app.db.query(itemCall.statement, itemCall.values)
  assert(item, 'an item never goes')
  return item
}
