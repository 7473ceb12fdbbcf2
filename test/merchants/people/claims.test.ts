import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAppSecret } from '../../../src/merchants/people/factors/codes.ts'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { newId, newTag } from '../../../src/platform/text/ids.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { anotherBrowser, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const PASSWORD = 'four words of mine'
const STRANGE = 'four words of a thief'
const SIGN_IN = '/dashboard/sign-in'
const SECURITY = '/dashboard/settings/security'
const MINUTE = 60_000
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

/** Somebody who has proven an address, and a stranger's browser with an account that claims it too. */
async function claimed() {
  const owner = await signedInAs(service, shop)
  const hash = await hashPassword(PASSWORD)
  await service.rows('update people set password = $2 where id = $1', [owner.personId, hash])
  return { owner, email: owner.email, thief: await claim(owner.email) }
}

async function claim(email: string): Promise<Browser> {
  const thief = browserOf(service)
  const fields = { business: 'Prepared Shop', email, password: STRANGE }
  assert.equal((await thief.post('/dashboard/sign-up', fields)).status, 303)
  return thief
}

const tryIn = (browser: Browser, email: string, password: string) => browser.post(SIGN_IN, { email, password })
const guessIn = async (browser: Browser, email: string, times: number) => {
  const states: number[] = []
  for (let guess = 0; guess < times; guess += 1)
    states.push((await tryIn(browser, email, `guess number ${guess}`)).status)
  return states
}
const locksTold = async (email: string) =>
  (await mailsTo(service, email)).filter(({ template }) => template === 'account-locked').length

async function plantApp(email: string): Promise<string> {
  const secret = newAppSecret()
  const id = newId('fac_', newTag())
  const sealed = service.app.vault.seal(secret, { merchantId: null, purpose: id, column: 'factors.sealed' })
  await service.rows(
    `insert into factors (id, person_id, kind, name, sealed, created_at, confirmed_at)
     select $1, id, 'totp', 'App', $2, $4, $4 from people where email = $3 and confirmed_at is not null`,
    [id, sealed, email, service.clock.now()],
  )
  return secret
}

test('A70: whoever signs in to an own claim of the address between guesses is stopped at the fifth all the same', async () => {
  const { email, thief } = await claimed()
  const owner = browserOf(service)
  assert.equal((await tryIn(owner, email, PASSWORD)).location, '/dashboard/test')
  await owner.send(await owner.get(SECURITY), '/sign-out', {})
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual([...new Set(await guessIn(thief, email, 4))], [401])
    assert.equal((await tryIn(thief, email, STRANGE)).location, '/dashboard/test', 'its own account')
  }
  assert.equal((await tryIn(thief, email, PASSWORD)).status, 401, 'the right one is not looked at any more')
  assert.equal((await tryIn(browserOf(service), email, PASSWORD)).status, 403)
  assert.equal(await locksTold(email), 1)
  assert.equal((await tryIn(owner, email, PASSWORD)).location, '/dashboard/test', 'the owner, in the own browser')
})

test('A70: the same from browsers that were never seen, and the claim is locked with the address', async () => {
  const { email } = await claimed()
  assert.deepEqual(await guessIn(browserOf(service), email, 4), [401, 401, 401, 401])
  assert.equal((await tryIn(browserOf(service), email, STRANGE)).status, 303)
  assert.deepEqual(await guessIn(browserOf(service), email, 2), [401, 403])
  assert.equal((await tryIn(browserOf(service), email, STRANGE)).status, 403)
  service.pass(30 * MINUTE + 1000)
  assert.equal((await tryIn(browserOf(service), email, PASSWORD)).location, '/dashboard/test')
  assert.deepEqual(
    await guessIn(browserOf(service), email, 4),
    [401, 401, 401, 401],
    'who has proven the address has cleared its counter',
  )
})

test('A72: wrong codes stay counted while a claim of the address signs in', async () => {
  const { email, thief } = await claimed()
  await plantApp(email)
  const knows = browserOf(service)
  const codes = async (...given: string[]) => {
    const states: number[] = []
    for (const code of given) states.push((await knows.post(SIGN_IN, { code })).status)
    return states
  }
  assert.equal((await tryIn(knows, email, PASSWORD)).location, SIGN_IN)
  assert.deepEqual(await codes('000001', '000002'), [401, 401])
  assert.equal((await tryIn(thief, email, STRANGE)).status, 303)
  assert.equal((await tryIn(browserOf(service), email, STRANGE)).status, 303)
  assert.equal((await tryIn(knows, email, PASSWORD)).location, SIGN_IN)
  assert.deepEqual(await codes('000003', '000004', '000005'), [401, 401, 401])
  assert.equal(await locksTold(email), 1)
  assert.equal((await knows.post(SIGN_IN, { code: '000006' })).status, 403)
})

test('A73: the fifth wrong confirmation ends the session, whatever a claim of the address does meanwhile', async () => {
  const { owner, email, thief } = await claimed()
  const stolen = await anotherBrowser(service, owner, 6 * MINUTE)
  const page = await stolen.get(SECURITY)
  const confirm = (number: number) =>
    stolen.send(page, '/password', { password: 'of the thief now', confirm: `guess number ${number}` })
  for (let number = 0; number < 4; number += 1) await confirm(number)
  assert.equal((await stolen.get(SECURITY)).status, 200)
  assert.equal((await tryIn(thief, email, STRANGE)).status, 303)
  assert.equal((await tryIn(browserOf(service), email, STRANGE)).status, 303)
  await Promise.all([4, 5, 6, 7].map(confirm))
  assert.equal((await stolen.get(SECURITY)).status, 303, 'the session has ended')
  assert.equal(await locksTold(email), 1)
  const right = await stolen.send(page, '/password', { password: 'of the thief now', confirm: PASSWORD })
  assert.equal(right.location?.startsWith(SIGN_IN), true)
})

test('A73: what a claim confirms wrongly and rightly does not clear what was tried with the account', async () => {
  const { email, thief } = await claimed()
  assert.deepEqual(await guessIn(browserOf(service), email, 4), [401, 401, 401, 401])
  thief.keep('browser=; Path=/; Max-Age=0')
  service.pass(6 * MINUTE)
  const page = await thief.get('/dashboard/test/settings/security')
  const changed = await thief.send(page, '/password', { password: 'another four words', confirm: STRANGE })
  assert.equal(changed.status, 303)
  assert.deepEqual(await guessIn(browserOf(service), email, 2), [401, 403])
})

test('A71: what a claim is answered does not say whether somebody else has the address', async () => {
  const { email: used, thief } = await claimed()
  const free = 'nobody-else@people.invalid'
  const other = await claim(free)
  const seen = async (browser: Browser, email: string) => [
    ...(await guessIn(browser, email, 6)),
    ...(await guessIn(browserOf(service), email, 1)),
    (await tryIn(browser, email, STRANGE)).status,
  ]
  assert.deepEqual(await seen(thief, used), await seen(other, free))
})
