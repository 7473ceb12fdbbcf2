import assert from 'node:assert/strict'
import test from 'node:test'
import { BY_HAND } from '../../../test/helpers/service/actors.ts'
import { opened } from '../../../test/helpers/service/opened.ts'
import { MANGOES, PICTURE, pageOf, startStorefronts } from '../../../test/helpers/web/storefront.ts'
import { listStatements } from '../../platform/db/statement.ts'
import { removeItem } from './change-item.ts'
import { picturePath, presentItems } from './item.ts'

const service = opened(() => startStorefronts())

const page = () => pageOf(service)

test('a page has six items, newest first, and names the next one; an unknown position gives the first page', async () => {
  const { add, shop, shown, names, app } = await page()
  for (let made = 1; made <= 14; made += 1) {
    await add({ name: `Item ${made}` })
    service.pass(1000)
  }
  const first = await shown()
  const second = await shown(first.nextBeforeId)
  const third = await shown(second.nextBeforeId)
  assert.deepEqual(
    [first, second, third].map(({ items }) => items.map(({ name }) => Number(name.slice(5)))),
    [
      [14, 13, 12, 11, 10, 9],
      [8, 7, 6, 5, 4, 3],
      [2, 1],
    ],
  )
  assert.equal(third.nextBeforeId, null)
  assert.equal((await shown(second.nextBeforeId, 2)).nextBeforeId, null, 'two are left and two are asked for')
  const stranger = await page()
  const foreign = (await stranger.add()).id
  for (const place of [foreign, 'itm_', 'x', '', '\0', "'", `itm_${shop.tag}0000000000000000`])
    assert.deepEqual(
      await names(place),
      first.items.map(({ name }) => name),
      JSON.stringify(place),
    )
  await removeItem(app, BY_HAND, { shop, id: first.nextBeforeId as string })
  assert.deepEqual((await shown(first.nextBeforeId)).items, second.items, 'a removed item keeps its place')
})

test('items of the same moment are all shown once', async () => {
  const { add, shown } = await page()
  const ids = (await Promise.all(Array.from({ length: 9 }, () => add()))).map(({ id }) => id)
  await service.rows('update storefront_items set created_at = $1 where id = any($2)', [service.clock.now(), ids])
  const seen: string[] = []
  for (let place: string | null = null, pages = 0; pages < 9; pages += 1) {
    const one = await shown(place, 2)
    seen.push(...one.items.map(({ id }) => id))
    place = one.nextBeforeId
    if (place === null) break
  }
  assert.deepEqual(seen.sort(), ids.sort())
})

test('neither a test link nor a one-shot link is ever shown, even if an item names it', async () => {
  const { add, names } = await page()
  for (const change of [
    `mode = 'test'`,
    'allow_multiple_uses = false',
    `kind = 'order', allow_multiple_uses = false, expires_at = created_at`,
  ]) {
    const { linkId, id } = await add()
    await service.rows(`update payment_links set ${change} where id = $1`, [linkId])
    assert.deepEqual(await names(), [], change)
    await service.rows('delete from storefront_items where id = $1', [id])
    // An order needs a machine, which this one never had.
    await service.rows(`update payment_links set kind = 'link', expires_at = null where id = $1`, [linkId])
  }
})

test('items.json has what its readers need and nothing else', async () => {
  const { add, shop, shown, app } = await page()
  const plain = await add({ description: null })
  service.pass(1000)
  const rich = await add({ picture: PICTURE })
  const place = { baseUrl: app.baseUrl, handle: shop.handle, publicKeyTest: shop.publicKeyTest }
  const picture = `/pay/@${shop.handle}/pictures/${rich.id}?v=${rich.pictureAt?.getTime()}`
  assert.equal(picturePath(rich, shop), picture)
  const told = {
    id: rich.id,
    name: 'Mangoes',
    description: MANGOES.description,
    amount: 5000,
    url: `${app.baseUrl}/pay/${rich.linkId}`,
    picture_url: `${app.baseUrl}${picture}`,
  }
  assert.deepEqual(presentItems(await shown(null, 1), place), { items: [told], next_before_id: rich.id })
  assert.deepEqual(presentItems(await shown(rich.id, 1), place), {
    items: [{ id: plain.id, name: 'Mangoes', amount: 5000, url: `${app.baseUrl}/pay/${plain.linkId}` }],
  })
})

test('the page is read by index, however many items were removed or belong to others', async () => {
  const client = await service.app.db.pool.connect()
  try {
    const read = listStatements().find(({ name }) => name === 'page of storefront items')
    const { rows } = await client.query(`explain ${read?.text}`, [1, null, 7, 'live'])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Index Scan Backward using storefront_items_shown/)
    assert.doesNotMatch(plan, /Seq Scan|Sort/)
    assert.match(plan, /Index Cond: \(\(merchant_id = i\.merchant_id\) AND \(id = i\.link_id\)\)/)
  } finally {
    client.release()
  }
})
