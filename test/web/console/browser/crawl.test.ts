import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONSOLE_ROUTES } from '../../../../src/web/console/routes-list.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import type { PageForm } from '../../../helpers/web/browser.ts'
import { OPERATOR_ROLES, operatorSignedIn } from '../../../helpers/web/console.ts'
import { buildWorld } from '../../../operations/verify/world.ts'
import { askOddly, crawl, fieldsOf, filtersOf, queriesOf } from '../../dashboard/whole/crawl.ts'
import { filledIn } from '../../dashboard/whole/filled-in.ts'
import { consoleStates } from '../states.ts'
import { consoleWorld } from '../world.ts'

// The world of every page of the console, its states, and the world of `verify`, which has every kind of object in every state.
const service = opened(() => startPayingService())
const states = made(async () => {
  await buildWorld(service.app.db)
  const world = await consoleWorld(service)
  return { people: world.people, addresses: Object.values(await consoleStates(service)) }
})

const everyWhere = () => ({ start: ['/console', ...states.addresses], within: ['/console'] })

for (const role of OPERATOR_ROLES)
  test(`no link that an operator of the role ${role} sees is dead, and no page is an error`, async () => {
    const { wrong, pages } = await crawl(states.people[role], { ...everyWhere(), ofEachKind: 12 })
    assert.ok(pages.length > 40, `${pages.length} pages were found`)
    assert.deepEqual(wrong.filter(isReal), [])
  })

// Exceptions and approvals of the worlds are planted about movements that nobody made.
const isReal = (line: string) => !/([a-z])\1{14}|exc_threecorrected/.test(line)

test('nor is one on the pages of a merchant that an operator looks at', async () => {
  const { support } = states.people
  const [merchant] = await service.rows<{ id: string }>('select public_id as id from merchants where id = 1')
  const page = await support.get(`/console/merchants/${merchant?.id}`)
  const opened = await support.send(page, '/look', { reason: 'the owner asked where a payment is' })
  assert.equal(opened.status, 303, opened.text)
  const { wrong, pages } = await crawl(support, {
    ...{
      start: [opened.location, `/console/as/${merchant?.id}/test`],
      within: [`/console/as/${merchant?.id}`],
    },
    ofEachKind: 12,
  })
  assert.ok(pages.length > 40, `${pages.length} pages were found`)
  assert.deepEqual(wrong, [])
})

test('no odd value in any filter is an error, or leads to one', async () => {
  const { admin } = states.people
  const { pages } = await crawl(admin, everyWhere())
  const asks = filtersOf(admin, pages)
  assert.ok(asks.length > 10, `${asks.length} fields were found`)
  assert.deepEqual(await askOddly(asks), [])
  const few = ['x', '-1', '99999999999999999999', '🍲', '\u0000', 'a'.repeat(3000)]
  assert.deepEqual(await askOddly(queriesOf(admin, pages), { values: few, ofEach: 2 }), [])
})

// They end sessions, or change who works on the console.
const ENDS = /\/(?:sign-out|end-others|password|email|remove|end|role|run)$/

test('no odd value that an admin types into any field is an error', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const { pages } = await crawl(admin, { ...everyWhere(), ofEachKind: 2 })
  const asks = fieldsOf(admin, pages, fill).filter(({ address }) => !ENDS.test(address))
  assert.ok(asks.length > 20, `${asks.length} fields were found`)
  assert.deepEqual(await askOddly(asks), [])
})

/** What somebody would type into the other fields. */
function fill({ action }: PageForm): Record<string, string> {
  const path = (action.split('?', 1)[0] ?? '').replace(/^\/console/, '')
  const route = CONSOLE_ROUTES.find(
    (one) => one.kind === 'form' && new RegExp(`^${one.spec.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
  return route?.kind === 'form' ? { ...filledIn(route.spec).fields } : {}
}
