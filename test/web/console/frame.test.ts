import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { renderToString } from 'preact-render-to-string'
import { EnvironmentBand, formatWindowName } from '../../../src/web/console/environment.tsx'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { OPERATOR_ROLES, operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { enrolled, OPERATOR_PASSWORD } from '../../helpers/web/enrolling.ts'

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

test('every page says who is signed in, in which role, and whether this is production', async () => {
  const operator = await operatorSignedIn(service, 'finance')
  for (const path of ['/console', '/console/audit', '/console/no/such/page'])
    assert.match((await operator.get(path)).text, /SANDBOX.*development.*Test finance<\/bdi>, finance/s, path)
  assert.match((await browserOf(service).get('/console/sign-in')).text, /<strong>SANDBOX<\/strong>/)
  const elsewhere = await browserOf(service).post('/console/sign-in', {}, { origin: 'https://elsewhere.invalid' })
  assert.match(elsewhere.text, /<strong>SANDBOX<\/strong>/, 'refusals too')
  const real = { name: 'production', production: true, host: 'pay.invalid' }
  const band = renderToString(EnvironmentBand({ environment: real }))
  assert.match(band, /class="band production".*<strong>PRODUCTION<\/strong>.*pay\.invalid/)
  assert.equal(formatWindowName(real), 'Console')
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

test('the page prints the table of roles that the operations ask', async () => {
  const text = mainOf(await (await operatorSignedIn(service, 'support')).get('/console/operators'))
  assert.match(text, /What each role may do/)
  assert.match(text, /Invite operators no no no yes/)
  assert.match(text, /Freeze payouts yes yes yes yes/)
  assert.match(text, /Approve and reject withdrawals no no yes yes/)
  // An act without a name in texts/action-names.ts stands there as the code calls it.
  assert.deepEqual(text.match(/\b[a-z-]+\.[a-z-]+ (?:yes|no) (?:yes|no)/g), null)
})

test('a code that was right before the sign-in was set up again lets nobody in after it', async () => {
  const { email, codes } = await enrolled(service, 'support')
  const browser = browserOf(service)
  await browser.post('/console/sign-in', { email, password: OPERATOR_PASSWORD })
  const [person] = await service.rows<{ id: number }>('select id from people where email = $1', [email])
  const id = person?.id ?? 0
  const holder = new pg.Client({ connectionString: service.database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from directory.people where id = $1 for no key update', [id])
    const reply = browser.post('/console/sign-in', { code: codes[0] ?? '' })
    await somebodyWaits(service)
    await holder.query('delete from directory.sessions where person_id = $1', [id])
    await holder.query('commit')
    assert.equal((await reply).location, '/console/sign-in', 'the password is asked again')
  } finally {
    await holder.end()
  }
  assert.equal((await browser.get('/console')).status, 303)
})
