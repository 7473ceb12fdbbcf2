import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '../../../src/api/access/actions.ts'
import { ruleOf } from '../../../src/api/access/actions.ts'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import { DASHBOARD_ROUTES } from '../../../src/web/dashboard/routes-list.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { inTurn } from '../../helpers/service/parts.ts'
import { digestOf, startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { LOOKS_AT_ALL, routesOfThisRun } from '../../helpers/web/changed-routes.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { dashboardWorld, pagesOf } from '../../helpers/web/dashboard-world.ts'

const ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const TEST = '/dashboard/test'
const LOOKED_AT = await routesOfThisRun(DASHBOARD_ROUTES)
const service = openedAndVerified(() => startService())
const world = made(() => dashboardWorld(service))
const at = (path: string, base = TEST) => `${base}${path === '/' ? '' : path}`
const may = (role: MerchantRole, action: Action) => (ruleOf(action).persons ?? []).includes(role)

/** Everything that a request may write, but for the time at which a session was used. */
async function written(): Promise<string> {
  const rows = await service.rows<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname in ('cell_0', 'directory') and tablename not in ('sessions', 'address_windows', 'audit_to_seal', 'audit_seals', 'processes', 'alerts')
     order by 1`,
  )
  return digestOf(
    service.rows,
    rows.map(({ name }) => name),
  )
}

test('every page answers each role as the table says, and looking at it writes nothing', async () => {
  const pages = pagesOf(world)
  assert.ok(pages.length > 40 || !LOOKS_AT_ALL, `${pages.length} pages were found`)
  const people = await Promise.all(ROLES.map((role) => signedInAs(service, world.merchant, { role })))
  const before = await written()
  const wrong: string[] = []
  const roles = ROLES.map((role, nth) => ({ role, person: people[nth] as Planted }))
  for (const [nth, { path, see }] of pages.entries())
    for (const { role, person } of inTurn(roles, nth, 2)) {
      const reply = await person.get(at(path))
      const wanted = may(role, see) ? 200 : 403
      if (reply.status !== wanted) wrong.push(`${path} as ${role}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
    }
  assert.deepEqual(wrong, [])
  assert.equal(await written(), before)
})

test('a page of one object is 404 for another merchant and in the other mode, and no page is there for strangers', async () => {
  const pages = pagesOf(world)
  const stranger = await signedInAs(service, await service.merchant({ verified: true }))
  const nobody = browserOf(service)
  const wrong: string[] = []
  for (const { path, own } of pages) {
    const out = await nobody.get(at(path))
    if (out.status !== 303 || !out.location.startsWith('/dashboard/sign-in')) wrong.push(`${path} for nobody`)
    if (!own || path.startsWith('/wallet/statements')) continue
    const foreign = await stranger.get(at(path))
    if (foreign.status !== 404) wrong.push(`${path} for another merchant: ${foreign.status}`)
    const live = await world.owner.get(at(path, '/dashboard'))
    // Keys, machines and subaccounts belong to both modes.
    if (!/^\/(developers\/keys|vending\/machines|settings|subaccounts)/.test(path) && live.status !== 404)
      wrong.push(`${path} in live mode: ${live.status}`)
  }
  assert.deepEqual(wrong, [])
})

test('no page says a secret, and each has the headers of a signed-in page', async () => {
  const secrets = [...Object.values(world.merchant.keys), world.merchant.webhook_secret]
  for (const { path } of pagesOf(world)) {
    const { headers, text } = await world.owner.get(at(path))
    for (const secret of secrets) assert.ok(!text.includes(secret), `${path} holds a secret`)
    assert.equal(headers.get('cache-control'), 'no-store', path)
    if (!(headers.get('content-type') ?? '').startsWith('text/html')) continue
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'/, path)
    assert.equal(headers.get('content-encoding'), null, path)
    assert.doesNotMatch(text, /\sstyle="|<style|<script(?! src)|\son[a-z]+="/, path)
  }
})

test('every form refuses each role that may not send it, in the exact words, and nothing is written', async () => {
  const before = await written()
  const wrong: string[] = []
  for (const role of ROLES) {
    const person = await signedInAs(service, world.merchant, { role })
    const csrf = /name="csrf" value="([^"]+)"/.exec((await person.get(TEST)).text)?.[1] ?? ''
    for (const [nth, route] of LOOKED_AT.entries()) {
      if (route.kind !== 'form' || may(role, route.spec.action)) continue
      if (!inTurn(ROLES, nth, 2).includes(role)) continue
      const path = at(route.spec.path.replace(/:\w+/, 'none'))
      const reply = await person.post(path, { csrf })
      const says = `your role (${role}) may not do this`
      if (reply.status !== 403 || !mainOf(reply).includes(says))
        wrong.push(`${path} as ${role}: ${reply.status} ${mainOf(reply).slice(0, 120)}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.equal(await withoutPeople(before), await withoutPeople(await written()))
})

// The people of this test were planted meanwhile, with their rows of the audit.
const withoutPeople = async (digests: string) =>
  JSON.stringify(
    (JSON.parse(digests) as { name: string }[]).filter(
      ({ name }) => !/\.(people|memberships)$|^directory\.audit/.test(name),
    ),
  )

test('every form sent empty, huge, doubled, without its token or to an id of others writes nothing', async () => {
  const stranger = await signedInAs(service, await service.merchant({ verified: true }))
  const csrf = /name="csrf" value="([^"]+)"/.exec((await stranger.get(TEST)).text)?.[1] ?? ''
  const before = await written()
  const wrong: string[] = []
  const expect = (name: string, { status }: { status: number }) => {
    if (status < 400 || status >= 500) wrong.push(`${name}: ${status}`)
  }
  // These do something by themselves, which an empty form asks for.
  const bare =
    /sign-out|\/(codes|end-others|till|passkeys|options|switch|names|reveal|app|refund-limit|off|on|drop|agree|failing|hold|profile|jams|sync)$/
  for (const route of LOOKED_AT) {
    if (route.kind !== 'form') continue
    const { spec } = route
    const id = world.ids[spec.path.split('/:', 1)[0] ?? ''] ?? 'none'
    const path = at(spec.path.replace(/:\w+/, id))
    const huge = Object.fromEntries(
      spec.fields.map(({ name }) => [name, 'x'.repeat(200_000 / Math.max(1, spec.fields.length))]),
    )
    expect(`${path} without csrf`, await stranger.post(path, {}))
    expect(`${path} of another session`, await stranger.post(path, { csrf: 'x' }))
    if (spec.once) expect(`${path} without its token`, await stranger.post(path, { csrf }))
    if (bare.test(spec.path)) continue
    if (spec.path.includes(':') || spec.fields.some(({ optional, kind }) => !optional && kind !== 'check')) {
      expect(`${path} empty`, await stranger.post(path, { csrf }))
      expect(`${path} doubled`, await stranger.post(path, `csrf=${csrf}&csrf=${csrf}&id=1&id=2`))
    }
    if (spec.fields.length > 0) expect(`${path} huge`, await stranger.post(path, { csrf, ...huge }))
  }
  assert.deepEqual(wrong, [])
  assert.equal(await written(), before)
})
