import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { actingFor } from '../../src/api/access/actor.ts'
import { parseListWindow } from '../../src/api/http/lists/lists.ts'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { NO_CHARGE_FILTERS } from '../../src/payments/charges/charge-filters.ts'
import { listCharges } from '../../src/payments/charges/find-charges.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { made, opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant())
const seed = randomInt(2 ** 31)
console.log(`lists-both-ways.test.ts seed ${seed}`)
const NO_FILTER = NO_CHARGE_FILTERS

test('walking to the end and back meets the same charges in the same order, also where times are equal', async () => {
  const { merchant, app } = await getMerchantNamed(service.gateway, shop.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'test' } as const
  const caller = actingFor(BY_HAND, place)
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
        ...parseListWindow({ limit, starting_after: window.starting_after }),
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

test('going on and coming back shows the same page while charges are added, and none is ever skipped', async () => {
  const busy = await service.merchant()
  const { merchant, app } = await getMerchantNamed(service.gateway, busy.id)
  const caller = actingFor(BY_HAND, {
    ...{ merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'test' },
  } as const)
  const client = service.client(busy.keys.test)
  const add = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1) await client.charge()
  }
  await add(12)
  const read = (limit: number, window: { starting_after?: string | null; endingBefore?: string | null }) =>
    listCharges(app, caller, {
      ...parseListWindow({ limit: String(limit), starting_after: window.starting_after ?? undefined }),
      endingBefore: window.endingBefore ?? null,
      ...NO_FILTER,
    })
  const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id)
  const steps = fc.array(fc.constantFrom('older', 'newer', 'add', 'pass'), { minLength: 4, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (limit, walk) => {
      let page = await read(limit, {})
      for (const step of walk) {
        if (step === 'add') await add(1)
        if (step === 'pass') service.pass(1)
        if (step === 'older' && page.nextCursor !== null) {
          const older = await read(limit, { starting_after: page.nextCursor })
          const back = await read(limit, { endingBefore: older.previousCursor ?? '' })
          // Only a first page may have grown at its top since it was read.
          if (page.data.length === limit) assert.deepEqual(idsOf(back), idsOf(page))
          page = older
        }
        if (step === 'newer' && page.previousCursor != null) {
          const newer = await read(limit, { endingBefore: page.previousCursor })
          const [first] = idsOf(page)
          const whole = await service.rows<{ id: string }>(
            `select id from charges where merchant_id = $1 and (created_at, id) >= (select created_at, id from charges where merchant_id = $1 and id = $2)
             order by created_at, id limit $3`,
            [merchant.id, first, limit + 1],
          )
          const expected = whole
            .map(({ id }) => id)
            .slice(1)
            .reverse()
          assert.deepEqual(idsOf(newer).slice(0, expected.length), expected)
          page = newer
        }
      }
    }),
    { seed, numRuns: 25 },
  )
})
