import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONSOLE_ROUTES as CONSOLE } from '../../../src/web/console/routes-list.ts'
import { DASHBOARD_ROUTES as DASHBOARD } from '../../../src/web/dashboard/routes-list.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { inTurn } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { pathOf } from '../dashboard/whole/places.ts'

const lines: string[] = []
const service = openedAndVerified(() => startService({ lines }))
const people = made(async () => ({
  owner: await signedInAs(service, await service.merchant()),
  admin: await operatorSignedIn(service, 'admin'),
}))

const ODD = ['%00', 'a%07b', '%7f', 'x'.repeat(101)]
const CHECKOUT = ['/pay/:id', '/pay/:id/status', '/pay/:id/status.json', '/pay/@:handle', '/pay/@:handle/qr.:form']
const MACHINES = ['/vending/display/:id', '/vending/display/:id/state.json']

async function ask(browser: Browser, address: string, method: 'GET' | 'POST') {
  const page = method === 'GET' ? await browser.get(address) : await browser.post(address, { a: 'b' })
  if (page.status === 404) return null
  return `${method} ${address}: ${page.status} ${mainOf(page).slice(0, 120)}`
}

test('a name in a path that nothing can have is 404, for pages and forms of every surface, and no error of ours', async () => {
  const surfaces = [
    { browser: people.owner, base: '/dashboard/test', routes: DASHBOARD },
    { browser: people.admin, base: '/console', routes: CONSOLE },
  ]
  const wrong: (string | null)[] = []
  let nth = 0
  for (const { browser, base, routes } of surfaces)
    for (const route of routes.filter((route) => pathOf(route).includes(':'))) {
      nth += 1
      for (const odd of inTurn(ODD, nth, 2)) {
        const address = `${base}${pathOf(route).replace(/:\w+/g, odd)}`
        wrong.push(await ask(browser, address, route.kind === 'page' ? 'GET' : 'POST'))
      }
    }
  const guest = browserOf(service)
  for (const path of [...CHECKOUT, ...MACHINES])
    for (const odd of ODD) wrong.push(await ask(guest, path.replace(/:\w+/g, odd), 'GET'))
  for (const odd of ODD) wrong.push(await ask(guest, `/pay/${odd}/submit`, 'POST'))
  assert.deepEqual(
    wrong.filter((one) => one !== null),
    [],
  )
  assert.ok(nth > 100, `${nth} paths were tried`)
  assert.deepEqual(
    lines.filter((line) => /"level":(?:50|60)/.test(line)),
    [],
  )
})
