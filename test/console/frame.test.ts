import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserOf } from '../helpers/browser.ts'
import { OPERATOR_ROLES, operatorSignedIn } from '../helpers/console.ts'
import { mainOf, signedInAs } from '../helpers/dashboard.ts'
import { opened } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'

const MINUTE_MS = 60_000
const service = opened(() => startService())

test('without a session every address of the console answers 303 to its sign-in', async () => {
  const stranger = browserOf(service)
  for (const path of ['/console', '/console/merchants', '/console/no/such/page?a=b']) {
    const page = await stranger.get(path)
    assert.equal(page.status, 303, path)
    assert.match(page.location, /^\/console\/sign-in/)
  }
})

test('an operator of every role sees the first page, and nobody of a merchant does', async () => {
  for (const role of OPERATOR_ROLES) {
    const page = await (await operatorSignedIn(service, role)).get('/console')
    assert.equal(page.status, 200)
    assert.match(mainOf(page), /^Home/)
  }
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const cookie = owner.cookies()[0]
  assert.ok(cookie)
  assert.equal((await owner.get('/console')).status, 303)
  owner.keep(`console=${cookie.value}; Path=/`)
  assert.equal((await owner.get('/console')).status, 303)
})

test('an operator is no person of a merchant', async () => {
  const operator = await operatorSignedIn(service, 'admin')
  const cookie = operator.cookies()[0]
  assert.ok(cookie)
  operator.keep(`dashboard=${cookie.value}; Path=/`)
  assert.equal((await operator.get('/dashboard')).status, 303)
})

test('an operator is signed out after fifteen minutes without a request', async () => {
  const operator = await operatorSignedIn(service, 'support')
  service.pass(14 * MINUTE_MS)
  assert.equal((await operator.get('/console')).status, 200)
  service.pass(15 * MINUTE_MS)
  assert.equal((await operator.get('/console')).status, 303)
})

test('A68: an operator’s session ends after eight hours of work', async () => {
  const operator = await operatorSignedIn(service, 'support')
  for (let minutes = 0; minutes < 8 * 60 - 10; minutes += 10) {
    service.pass(10 * MINUTE_MS)
    assert.equal((await operator.get('/console')).status, 200, `after ${minutes} minutes`)
  }
  service.pass(10 * MINUTE_MS)
  assert.equal((await operator.get('/console')).status, 303)
})
