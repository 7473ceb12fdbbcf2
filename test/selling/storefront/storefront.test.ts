import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed, type MerchantChange } from '../../../src/merchants/account/set-merchant.ts'
import { switchLink } from '../../../src/selling/payment-links/switch-link.ts'
import { addItem, type NewItem } from '../../../src/selling/storefront/add-item.ts'
import { editItem, removeItem } from '../../../src/selling/storefront/change-item.ts'
import { findPicture, listOwnItems } from '../../../src/selling/storefront/find-items.ts'
import { createOwnAmountLink } from '../../../src/selling/storefront/own-amount.ts'
import { BY_HAND, CUSTOMER } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { MANGOES, PICTURE, pageOf, startStorefronts } from '../../helpers/web/storefront.ts'

const service = opened(() => startStorefronts())

const page = (change: MerchantChange = {}) => pageOf(service, change)

const countLinks = async (merchantId: number) =>
  (await service.rows<any>('select count(*)::int as n from payment_links where merchant_id = $1', [merchantId]))[0].n

test('an item is a reusable live link with a name, even before the business is verified', async () => {
  const { add, shop, shown, linkOf } = await page()
  const item = await add({ name: '  Mangoes ' })
  assert.match(item.id, /^itm_[a-z0-9]{21}$/)
  const { id: _, createdAt: _at, ...link } = await linkOf(item.linkId)
  assert.deepEqual(link, {
    merchantId: shop.id,
    mode: 'live',
    kind: 'link',
    amount: 5000,
    description: MANGOES.description,
    reference: null,
    metadata: null,
    successUrl: null,
    cancelUrl: null,
    allowMultipleUses: true,
    chargeId: null,
    switchedOffAt: null,
    expiresAt: null,
    invalidatedAt: null,
    attempt: null,
    paid: null,
  })
  assert.deepEqual((await shown()).items, [item])
  assert.deepEqual([item.name, item.amount, item.hidden, item.removed], ['Mangoes', 5000, false, false])
})

test('an item costs what a charge may cost, and its texts have limits', async () => {
  const { add, shop, app } = await page({ chargeLimit: 1_000_000 })
  const refused: [Partial<NewItem>, RegExp][] = [
    [{ amount: 0 }, /^amount must be positive$/],
    [{ amount: 200 }, /^fee exceeds amount$/],
    [{ amount: 1_000_000_001 }, /^amount exceeds the maximum of 1000000000$/],
    [{ amount: 1_000_001 }, /per-charge limit of 1000000$/],
    [{ name: ' ' }, /^invalid request: name is required$/],
    [{ name: 'x'.repeat(201) }, /name must be at most 200 characters/],
    [{ name: 'a\nb' }, /name contains control characters/],
    [{ description: 'x'.repeat(1001) }, /description must be at most 1000 characters/],
    [{ description: 'a\x1bb' }, /description contains control characters/],
  ]
  for (const [more, message] of refused) await assert.rejects(add(more), { message, status: 400 })
  assert.equal(await countLinks(shop.id), 0)
  await add({ amount: 201, name: '😀'.repeat(200), description: '😀'.repeat(1000) })
  assert.equal((await add({ amount: 1_000_000, description: ' ' })).description, null)
  await service.set({ id: shop.publicId } as never, { active: false })
  const inactive = (await getMerchantNamed(service.gateway, shop.publicId)).merchant
  await assert.rejects(addItem(app, BY_HAND, { mode: 'live', shop: inactive, ...MANGOES }), {
    message: 'merchant is not active',
  })
})

test('a key makes a repeat harmless: five at once and one later add one item, even if it was changed since', async () => {
  const { app, shop, edit } = await page()
  const stranger = await page()
  const add = (more: Partial<NewItem> = {}, own = shop) =>
    addItem(app, BY_HAND, { mode: 'live', shop: own, ...MANGOES, ...more, commandKey: 'spring' })
  const together = await Promise.all(Array.from({ length: 5 }, () => add()))
  assert.equal(new Set(together.map(({ item }) => item.id)).size, 1)
  assert.equal(together.filter(({ again }) => !again).length, 1)
  const id = together[0]?.item.id as string
  await edit(id, { amount: 6000 })
  const later = await add()
  assert.deepEqual([later.again, later.item.id, later.item.amount], [true, id, 6000])
  assert.equal(await countLinks(shop.id), 2)
  for (const other of [{ amount: 5001 }, { name: 'Other' }, { description: null }, { picture: PICTURE }])
    await assert.rejects(add(other), { status: 409, message: /idempotency key reused/ })
  assert.equal((await add({}, stranger.shop)).again, false, 'the keys of another merchant are its own')
})

test('an item that was begun with a key and never stored is completed by the repeat', async () => {
  const { app, shop } = await page()
  const used = { ...MANGOES, commandKey: 'cut' }
  const { item } = await addItem(app, BY_HAND, { mode: 'live', shop, ...used })
  await service.rows('delete from storefront_items where id = $1', [item.id])
  await service.rows('delete from payment_links where id = $1', [item.linkId])
  const { item: again } = await addItem(app, BY_HAND, { mode: 'live', shop, ...used })
  assert.deepEqual(again, item)
})

test('a changed amount makes a new link, and the old one is switched off at the same moment', async () => {
  const { add, edit, linkOf, shop } = await page()
  const item = await add()
  const dearer = await edit(item.id, { amount: 7000 })
  assert.notEqual(dearer.linkId, item.linkId)
  assert.deepEqual([dearer.amount, dearer.name, dearer.description], [7000, item.name, item.description])
  assert.deepEqual(dearer.createdAt, item.createdAt, 'it keeps its place')
  const [old, now] = [await linkOf(item.linkId), await linkOf(dearer.linkId)]
  assert.deepEqual([old.amount, now.amount], [5000, 7000])
  assert.ok(old.switchedOffAt !== null && now.switchedOffAt === null)
  for (const amount of [0, 200, 1_000_000_001]) await assert.rejects(edit(item.id, { amount }), { status: 400 })
  assert.equal(await countLinks(shop.id), 2)
})

test('a new name or picture keeps the link; a new description does not, because receipts keep their words', async () => {
  const { add, edit, linkOf, app, shop } = await page()
  const item = await add()
  const named = await edit(item.id, { name: 'Ripe mangoes', amount: 5000, description: MANGOES.description })
  assert.deepEqual([named.name, named.linkId], ['Ripe mangoes', item.linkId])
  const pictured = await edit(item.id, { picture: PICTURE })
  assert.equal(pictured.linkId, item.linkId)
  const seen = await findPicture(app, { mode: 'live', merchantId: shop.id, itemId: item.id })
  assert.deepEqual([seen?.body, seen?.at], [PICTURE, pictured.pictureAt])
  const told = await edit(item.id, { description: 'Ten kilos.' })
  assert.notEqual(told.linkId, item.linkId)
  assert.deepEqual([told.description, told.pictureAt], ['Ten kilos.', pictured.pictureAt])
  assert.equal((await linkOf(item.linkId)).description, MANGOES.description)
  assert.equal((await edit(item.id, { description: '' })).description, null)
  assert.equal((await edit(item.id, { picture: null })).pictureAt, null)
  assert.equal(await findPicture(app, { mode: 'live', merchantId: shop.id, itemId: item.id }), null)
  for (const [change, message] of [
    [{ name: '' }, /name is required/],
    [{ name: 'x'.repeat(201) }, /at most 200/],
    [{ description: '\0' }, /control/],
  ] as const)
    await assert.rejects(edit(item.id, change), { message })
})

test('price changes at the same moment leave one link on, the one that the item shows', async () => {
  const { add, edit, shop, shown } = await page()
  const item = await add()
  await Promise.all([6000, 7000, 8000, 9000].map((amount) => edit(item.id, { amount })))
  const on = await service.rows<any>(
    'select id, amount::int from payment_links where merchant_id = $1 and switched_off_at is null',
    [shop.id],
  )
  const [last] = (await shown()).items
  assert.deepEqual(on, [{ id: last?.linkId, amount: last?.amount }])
  assert.equal(await countLinks(shop.id), 5)
})

test('a link that is switched off hides its item, even after an edit, until it is switched on', async () => {
  const { add, edit, shop, names, app, linkOf } = await page()
  const item = await add({ picture: PICTURE })
  await switchLink(app, BY_HAND, { owner: shop, id: item.linkId, to: 'off' })
  assert.deepEqual(await names(), [])
  assert.equal(await findPicture(app, { mode: 'live', merchantId: shop.id, itemId: item.id }), null)
  const dearer = await edit(item.id, { amount: 9000 })
  assert.deepEqual([dearer.hidden, await names()], [true, []])
  assert.ok((await linkOf(item.linkId)).switchedOffAt)
  assert.deepEqual(
    (await listOwnItems(app, { merchantId: shop.id, mode: 'live' })).map(({ id, hidden }) => [id, hidden]),
    [[item.id, true]],
  )
  await switchLink(app, BY_HAND, { owner: shop, id: dearer.linkId, to: 'on' })
  assert.deepEqual(await names(), ['Mangoes'])
})

test('a removed item is gone with its link, a second removal does no harm, and it cannot be changed', async () => {
  const { add, edit, shop, names, app, linkOf } = await page()
  const item = await add({ picture: PICTURE })
  const removed = await removeItem(app, BY_HAND, { shop, id: item.id })
  assert.ok(removed.removed)
  const { switchedOffAt } = await linkOf(item.linkId)
  assert.ok(switchedOffAt)
  service.pass(60_000)
  assert.deepEqual(await removeItem(app, BY_HAND, { shop, id: item.id }), removed)
  assert.deepEqual((await linkOf(item.linkId)).switchedOffAt, switchedOffAt)
  assert.deepEqual([await names(), await listOwnItems(app, { merchantId: shop.id, mode: 'live' })], [[], []])
  assert.equal(await findPicture(app, { mode: 'live', merchantId: shop.id, itemId: item.id }), null)
  await assert.rejects(edit(item.id, { amount: 1000 }), { status: 404, message: 'item not found' })
})

test('items of another merchant are not found', async () => {
  const { app, shop } = await page()
  const stranger = await page()
  const foreign = await stranger.add({ picture: PICTURE })
  const renamed = foreign.id.replace(/^itm_...../, `itm_${shop.tag}`)
  for (const id of [foreign.id, renamed, 'itm_x', '', '\0']) {
    await assert.rejects(editItem(app, BY_HAND, { shop, id, change: { amount: 1000 } }), {
      message: 'item not found',
    })
    await assert.rejects(removeItem(app, BY_HAND, { shop, id }), { status: 404, message: 'item not found' })
    assert.equal(await findPicture(app, { mode: 'live', merchantId: shop.id, itemId: id }), null)
  }
})

test('an amount of the customer’s own is a one-shot live link, by the rules of live money', async () => {
  const { app, shop, made, linkOf } = await page({ kycStatus: 'verified', chargeLimit: 50_000 })
  const create = (amount: number) =>
    createOwnAmountLink(app, CUSTOMER, { merchantId: shop.id, tag: shop.tag, mode: 'live', amount })
  const link = await create(12_500)
  const { attempt, paid, ...stored } = await linkOf(link.id)
  assert.deepEqual(stored, link)
  const { mode, kind, amount, allowMultipleUses, description, reference } = link
  assert.deepEqual(
    [mode, kind, amount, allowMultipleUses, description, reference, attempt, paid],
    ['live', 'link', 12_500, false, null, null, null, null],
  )
  const refusals: [MerchantChange, number, RegExp][] = [
    [{}, 50_001, /per-charge limit of 50000/],
    [{ chargeLimit: null }, 1_000_000_001, /exceeds the maximum/],
    [{ kycStatus: 'pending' }, 5000, /require a verified business/],
    [{ active: false }, 5000, /merchant is not active/],
  ]
  for (const [change, amount, message] of refusals) {
    await service.set(made, change)
    await assert.rejects(create(amount), { message })
  }
  assert.equal(await countLinks(shop.id), 1)
})
