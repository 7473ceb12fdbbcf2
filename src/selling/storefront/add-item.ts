import { createHash } from 'node:crypto'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { findCommand, storeOrFindCommand } from '../../merchants/account/command-keys.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Mode } from '../../platform/mode.ts'
import { newId } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { judgeLink } from '../payment-links/link-rules.ts'
import { addLinks, newLink } from '../payment-links/write-links.ts'
import { findItem, itemById } from './find-items.ts'
import { itemAuditFacts, itemLinkTerms, parseItemTexts, type ShopItem } from './item.ts'

/** The merchant of a public page. */
export type StorefrontMerchant = Pick<Merchant, 'id' | 'publicId' | 'tag' | 'active' | 'account' | 'chargeLimit'>
/** A new item. The picture comes from `makeItemPicture`. */
export type NewItem = { name: string; amount: number; description: string | null; picture: Buffer | null }
/** The public page that an item is on. */
type ItemPlace = { shop: StorefrontMerchant; mode: Mode }
/** `again`: an earlier call with this key added it; `item` is as it is now. */
export type AddItemResult = { item: ShopItem; again: boolean }

const COMMAND = 'storefront add'

const ADD_ITEM = statement(
  'add storefront item',
  `insert into storefront_items (merchant_id, id, link_id, name, picture, picture_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

/**
 * Adds an item to the public page of this mode: its row and the reusable link behind it in one commit (contract.md 9.3). With
 * `commandKey` a repeat returns the item of the first call and adds nothing. Throws Refusal.
 */
export async function addItem(
  app: App,
  actor: Actor,
  { shop, mode, commandKey, ...input }: NewItem & ItemPlace & { commandKey?: string | undefined },
): Promise<AddItemResult> {
  allow(actor, 'item.add', shop.id)
  const newItem = { ...input, ...parseItemTexts(input) }
  const command = commandKey === undefined ? null : itemCommand({ shop, mode }, { newItem, commandKey })
  const earlier = command === null ? null : await findCommand<ItemDraft>(app, command)
  const draft = earlier ?? (await startItem(app, { shop, mode }, { newItem, command }))
  return storeOrFind(app, actor, { shop, mode, newItem, draft })
}

/** All random values and times of an item, stored under its key before anything else, so that a repeat uses the same ones. */
type ItemDraft = { id: string; linkId: string; at: string }
type ItemCommand = { key: string; command: string; input: object }

// Keys are per merchant. The picture is represented by its digest.
const itemCommand = (
  { shop, mode }: ItemPlace,
  { newItem, commandKey }: { newItem: NewItem; commandKey: string },
): ItemCommand => {
  const picture = newItem.picture && createHash('sha256').update(newItem.picture).digest('hex')
  return {
    key: `${shop.publicId} ${commandKey}`,
    command: COMMAND,
    input: { ...newItem, picture, ...(mode === 'live' ? {} : { mode }) },
  }
}

async function startItem(
  app: App,
  { shop, mode }: ItemPlace,
  { newItem, command }: { newItem: NewItem; command: ItemCommand | null },
): Promise<ItemDraft> {
  judgeLink({ amount: newItem.amount, currency: 'UGX' }, { terms: itemLinkTerms(shop), mode, config: app.config })
  const at = app.clock.now().toISOString()
  const draft = { id: newId('itm_', shop.tag), linkId: newId('lnk_', shop.tag), at }
  if (command === null) return draft
  return (await storeOrFindCommand(app, command, draft)).made
}

type DraftedItem = ItemPlace & { newItem: NewItem; draft: ItemDraft }

/** Stores the item. If its id is taken, an earlier call with this key has stored it. */
const storeOrFind = (app: App, actor: Actor, drafted: DraftedItem): Promise<AddItemResult> =>
  onUniqueViolation<AddItemResult>(
    async () => ({ item: await storeNew(app, actor, drafted), again: false }),
    async (error) => {
      const item = await findItem(app, { merchantId: drafted.shop.id, id: drafted.draft.id })
      if (item === null) throw error
      return { item, again: true }
    },
  )

const storeNew = (app: App, actor: Actor, { shop, mode, newItem, draft }: DraftedItem): Promise<ShopItem> =>
  app.db.transaction(async (tx) => {
    const { name, amount, description, picture } = newItem
    const terms = { amount, description, reference: null, successUrl: null, cancelUrl: null }
    const owner = { merchantId: shop.id, tag: shop.tag, mode }
    const linkInput = { ...terms, allowMultipleUses: true }
    const link = { ...newLink(owner, linkInput, new Date(draft.at)), id: draft.linkId }
    const pictureAt = picture === null ? null : draft.at
    const add = call(ADD_ITEM, shop.id, draft.id, link.id, name, picture, pictureAt, draft.at)
    await tx.send(...addLinks([link]), add)
    const [[item]] = await tx.send(itemById(shop.id, draft.id))
    assert(item, 'what was just stored is found')
    const act = { actor, action: 'item.add', at: app.clock.now(), merchantId: shop.id, mode } as const
    return { value: item, last: [auditRow({ ...act, subject: item.id, after: itemAuditFacts(item) })] }
  })
