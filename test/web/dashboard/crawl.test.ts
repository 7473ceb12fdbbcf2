import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import type { Browser, PageForm } from '../../helpers/web/browser.ts'
import { anotherBrowser, signedInAs, tillOf } from '../../helpers/web/dashboard.ts'
import { NOW, TAGS } from '../../operations/verify/names.ts'
import { buildWorld } from '../../operations/verify/world.ts'
import { formsAt } from './whole/allowed.ts'
import { askOddly, crawl, fieldsOf, filtersOf, queriesOf } from './whole/crawl.ts'
import { filledIn } from './whole/filled-in.ts'
import { ROLES, wholeShop } from './whole/shop.ts'

// Two worlds: a shop with an object for each page, as it is made over the API and on the pages; and the world of `verify`, which has every
// kind of object in every state.
const receiver = opened(() => startReceiver())
const service = opened(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
const ofStates = opened(() => {
  const clock = movableClock()
  clock.advance(NOW.getTime() - clock.nowMs())
  return startPayingService({ clock })
})
const states = made(async () => {
  await buildWorld(ofStates.app.db)
  return { merchants: Object.values(TAGS).map((tag) => ({ id: `mer_${tag}${'0'.repeat(16)}` })) }
})

const START = ['/dashboard', '/dashboard/test']
const WITHIN = ['/dashboard', '/pay']
const everyWhere = { start: START, within: WITHIN }

for (const role of ROLES)
  test(`no link that a ${role} sees is dead, and no page is an error, in either mode and in every state`, async () => {
    const wrong: string[] = []
    const found = await crawl(shop.people[role], everyWhere)
    assert.ok(found.pages.length > 50, `${found.pages.length} pages were found`)
    wrong.push(...found.wrong)
    for (const merchant of states.merchants) {
      const person = await signedInAs(ofStates, merchant, { role })
      wrong.push(...(await crawl(person, { ...everyWhere, ofEachKind: 12 })).wrong)
    }
    assert.deepEqual(wrong, [])
  })

test('a till follows no dead link either, and asks for payments and sees the counter, charges, links, invoices, orders and disputes alone', async () => {
  const till = await tillOf(service, shop.merchant)
  const { wrong, pages } = await crawl(till, { ...everyWhere, within: WITHIN })
  assert.deepEqual(wrong, [])
  const seen = new Set(pages.flatMap(({ address }) => /^\/dashboard(?:\/test)?\/([a-z-]+)/.exec(address)?.[1] ?? []))
  assert.deepEqual([...seen].sort(), [
    'ask',
    'charges',
    'counter',
    'customers',
    'device',
    'disputes',
    'help',
    'invoices',
    'links',
    'orders',
    'search',
  ])
})

test('no odd value in any filter is an error, or leads to one', async () => {
  const { pages } = await crawl(shop.people.owner, everyWhere)
  const asks = filtersOf(shop.people.owner, pages)
  assert.ok(asks.length > 20, `${asks.length} fields were found`)
  assert.deepEqual(await askOddly(asks), [])
  const few = ['x', '-1', '99999999999999999999', '🍲', '\u0000', 'a'.repeat(3000)]
  assert.deepEqual(await askOddly(queriesOf(shop.people.owner, pages), { values: few, ofEach: 2 }), [])
})

// They end the session with which everything else is tried, or change who stands behind it.
const ENDS = /\/(?:sign-out|end-others|password|email|remove|end|switch)$/

for (const role of ['owner', 'cashier'] satisfies MerchantRole[])
  test(`no odd value that a ${role} types into any field is an error`, async () => {
    const person: Browser = await anotherBrowser(service, shop.people[role])
    const { pages } = await crawl(person, { ...everyWhere, ofEachKind: 2 })
    const asks = fieldsOf(person, pages, fill).filter(({ address }) => !ENDS.test(address))
    assert.ok(asks.length > 20, `${asks.length} fields were found`)
    assert.deepEqual(await askOddly(asks), [])
  })

/** What somebody would type into the other fields. */
function fill({ action }: PageForm): Record<string, string> {
  const [route] = formsAt(action)
  return route?.kind === 'form' ? { ...filledIn(route.spec).fields } : {}
}
