import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { inTurn } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { LOOKS_AT_ALL } from '../../helpers/web/changed-routes.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { dashboardWorld, pagesOf } from '../../helpers/web/dashboard-world.ts'

const MINUTE_MS = 60_000
const service = opened(() => startService())

const PRIVATE = ['/settings/security', '/settings/audit', '/device']

test('an operator sees every page as a viewer does, with a way out, no form and no secret; and every POST is refused', async () => {
  const world = await dashboardWorld(service)
  const { merchant } = world
  const operator = await operatorSignedIn(service, 'support')
  const at = `/console/as/${merchant.id}`
  const before = await operator.get(`${at}/charges`)
  assert.deepEqual([before.status, before.location], [303, `/console/merchants/${merchant.id}`])
  const profile = await operator.get(`/console/merchants/${merchant.id}`)
  const begun = await operator.send(profile, '/look', { reason: 'the owner asked where a payment is' })
  assert.deepEqual([begun.status, begun.location], [303, at])
  const viewer = await signedInAs(service, merchant, { role: 'viewer' })
  const secrets = [...Object.values(merchant.keys), merchant.webhook_secret]
  let seen = 0
  for (const [nth, { path }] of pagesOf(world).entries())
    for (const mode of inTurn(['/test', ''], nth)) {
      const own = await viewer.get(`/dashboard${mode}${path === '/' ? '' : path}`)
      const page = await operator.get(`${at}${mode}${path === '/' ? '' : path}`)
      if (
        PRIVATE.some((one) => path.startsWith(one)) ||
        path.startsWith('/wallet/statements/') ||
        path.endsWith('/mend')
      ) {
        assert.equal(page.status, 404, path)
        continue
      }
      assert.equal(page.status, own.status, `${mode}${path}`)
      if (page.status !== 200) continue
      seen += 1
      assert.match(page.text, /You are looking at the pages of/)
      assert.ok(page.text.includes(`href="/console/merchants/${merchant.id}"`), path)
      assert.deepEqual(
        page.forms.filter(({ method }) => method === 'post'),
        [],
        path,
      )
      assert.doesNotMatch(page.text, /href="\/dashboard/, path)
      for (const secret of secrets) assert.ok(!page.text.includes(secret), path)
    }
  assert.ok(seen > 25 || !LOOKS_AT_ALL, `${seen} pages were seen`)
  const { fields } = profile.forms.find(({ action }) => action.endsWith('/look')) ?? { fields: {} }
  const proof = await service.digest()
  for (const path of ['', '/test', '/charges', '/test/funds', '/payouts/new', '/settings/limits/checker', '/no/such'])
    assert.equal((await operator.post(`${at}${path}`, { ...fields, amount: '5000' })).status, 403, path)
  assert.equal(await service.digest(), proof)
})

test('a look is for one merchant, one session and half an hour, takes a reason, and the merchant is shown when', async () => {
  const own = await service.merchant()
  const other = await service.merchant()
  const operator = await operatorSignedIn(service, 'risk')
  const profile = await operator.get(`/console/merchants/${own.id}`)
  assert.equal((await operator.send(profile, '/look', { reason: '' })).status, 400)
  assert.equal((await operator.get(`/console/as/${own.id}`)).status, 303)
  await operator.send(profile, '/look', { reason: 'a complaint' })
  assert.equal((await operator.get(`/console/as/${own.id}`)).status, 200)
  assert.equal((await operator.get(`/console/as/${other.id}`)).status, 303)
  assert.equal((await operator.get('/console/as/mer_none')).status, 404)
  const colleague = await operatorSignedIn(service, 'risk')
  assert.equal((await colleague.get(`/console/as/${own.id}`)).status, 303)
  const person = await signedInAs(service, own)
  assert.match(mainOf(await person.get('/dashboard')), /Somebody of our support looked at your pages/)
  const business = mainOf(await person.get('/dashboard/settings/business'))
  assert.match(
    business,
    /Somebody of our support looked at your pages\. Nothing can be changed that way\. (?:today|yesterday|\d+ \w+), \d\d:\d\d/,
  )
  assert.ok(!business.includes('a complaint'))
  const owner = await signedInAs(service, own)
  assert.equal((await owner.get(`/console/as/${own.id}`)).status, 303)
  service.pass(14 * MINUTE_MS)
  assert.equal((await operator.get(`/console/as/${own.id}`)).status, 200)
  service.pass(14 * MINUTE_MS)
  assert.equal((await operator.get(`/console/as/${own.id}`)).status, 200)
  service.pass(2 * MINUTE_MS)
  const over = await operator.get(`/console/as/${own.id}`)
  assert.deepEqual([over.status, over.location], [303, `/console/merchants/${own.id}`])
})
