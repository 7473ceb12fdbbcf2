import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at } from '../../src/actors/actor.ts'
import { listCharges } from '../../src/charges/find-charges.ts'
import { readListWindow } from '../../src/http/lists.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { made, opened } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant())
const NO_FILTER = { status: null, reference: null, phone: null, email: null }

test('walking to the end and back meets the same charges in the same order, also where times are equal', async () => {
  const { merchant, app } = await findMerchant(service.gateway, shop.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'test' } as const
  const caller = at(BY_HAND, place)
  const client = service.client(shop.keys.test)
  for (let nth = 0; nth < 43; nth += 1) {
    await client.charge({ reference: nth % 3 === 0 ? 'third' : 'other' })
    // Three in a row have one time.
    if (nth % 3 === 2) service.pass(1000)
  }
  for (const [limit, filter] of [
    ['1', NO_FILTER],
    ['7', NO_FILTER],
    ['10', NO_FILTER],
    ['43', NO_FILTER],
    ['4', { ...NO_FILTER, reference: 'third' }],
    ['5', { ...NO_FILTER, status: 'authorized' }],
  ] as const) {
    const read = (window: { starting_after?: string; endingBefore?: string }) =>
      listCharges(app, caller, {
        ...readListWindow({ limit, starting_after: window.starting_after }),
        endingBefore: window.endingBefore ?? null,
        ...filter,
      })
    const pages = [await read({})]
    for (let cursor = pages[0]?.nextCursor; cursor != null; cursor = pages.at(-1)?.nextCursor)
      pages.push(await read({ starting_after: cursor }))
    const ids = pages.map(({ data }) => data.map(({ id }) => id))
    assert.equal(new Set(ids.flat()).size, filter.reference === 'third' ? 15 : 43)
    assert.equal(pages[0]?.previousCursor ?? null, null)
    let page = pages.at(-1)
    for (let nth = pages.length - 2; nth >= 0; nth -= 1) {
      page = await read({ endingBefore: page?.previousCursor ?? '' })
      assert.deepEqual(
        page.data.map(({ id }) => id),
        ids[nth],
        `page ${nth} of ${limit}`,
      )
    }
    assert.equal(page?.previousCursor ?? null, null, 'the first page has none before it')
  }
})
