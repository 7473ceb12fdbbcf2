import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAppSecret } from '../../../src/merchants/people/factors/codes.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { codeOf } from '../../helpers/web/authenticator.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const PASSWORD = 'four words of mine'
const SIGN_IN = '/dashboard/sign-in'
const service = openedAndVerified(() => startService())

let people = 0
/** Somebody with an account, in a browser that is signed in. */
async function signedUp(more: Record<string, string> = {}) {
  people += 1
  const email = more.email ?? `person${people}@shop.invalid`
  const browser = browserOf(service)
  const fields = { business: `Shop ${people}`, password: PASSWORD, ...more, email }
  const reply = await browser.send(await browser.get('/dashboard/sign-up'), '/dashboard/sign-up', fields)
  return { email, browser, reply }
}

test('a sign-in needs the right password, and says the same for an address that nobody has', async () => {
  const { email } = await signedUp()
  const browser = browserOf(service)
  assert.equal((await browser.get('/dashboard/charges')).location, `${SIGN_IN}?then=%2Fdashboard%2Fcharges`)
  const wrong = await browser.post(SIGN_IN, { email, password: 'not this one here' })
  const nobody = await browser.post(SIGN_IN, { email: `no${email}`, password: 'not this one here' })
  for (const reply of [wrong, nobody]) {
    assert.equal(reply.status, 401)
    assert.match(mainOf(reply), /this e-mail address and password do not belong together/)
  }
  assert.equal(mainOf(wrong), mainOf(nobody))
  const page = await browser.get(`${SIGN_IN}?then=/dashboard/charges%3Fstatus=failed`)
  const right = await browser.send(page, SIGN_IN, { email: ` ${email.toUpperCase()} `, password: PASSWORD })
  assert.equal(right.location, '/dashboard/charges?status=failed')
  for (const then of ['https://evil.example', '//evil.example', '/pay/x', '/dashboard//evil', '/dashboard\\evil']) {
    const other = browserOf(service)
    const reply = await other.post(SIGN_IN, { email, password: PASSWORD, then })
    assert.equal(reply.location, '/dashboard/test', then)
  }
})

test('signing out ends the session in the database too', async () => {
  const { browser } = await signedUp()
  const page = await browser.get('/dashboard/test')
  assert.equal((await browser.send(page, '/dashboard/sign-out', {})).location, SIGN_IN)
  assert.equal((await browser.get('/dashboard/test')).status, 303)
})

test('A72: with a second factor the code is asked at the same address, and each code works once', async () => {
  const { email } = await signedUp()
  const secret = await plantApp(email)
  const browser = browserOf(service)
  const first = await browser.post(SIGN_IN, { email, password: PASSWORD })
  assert.equal(first.location, SIGN_IN)
  assert.equal((await browser.get('/dashboard/test')).status, 303, 'half a sign-in opens nothing')
  const page = await browser.follow(first)
  assert.match(mainOf(page), /Your second factor/)
  const wrong = await browser.send(page, SIGN_IN, { code: '000000' })
  assert.match(mainOf(wrong), /this code is wrong, or was used already/)
  const code = codeOf(service, secret)
  assert.equal((await browser.send(page, SIGN_IN, { code })).status, 303)
  assert.equal((await browser.get('/dashboard/test')).status, 200)
  const second = browserOf(service)
  const again = await second.post(SIGN_IN, { email, password: PASSWORD, code })
  assert.equal(again.status, 401, 'the same code is refused')
  service.pass(31_000)
  assert.equal(
    (await second.post(SIGN_IN, { email, password: PASSWORD, code: codeOf(service, secret) })).location,
    '/dashboard/test',
  )
  const early = browserOf(service)
  await early.post(SIGN_IN, { email, password: PASSWORD })
  assert.equal((await early.post(SIGN_IN, { code: codeOf(service, secret, 30_000) })).status, 303, 'one step ahead')
  service.pass(90_000)
  const late = browserOf(service)
  await late.post(SIGN_IN, { email, password: PASSWORD })
  assert.equal((await late.post(SIGN_IN, { code: codeOf(service, secret, -60_000) })).status, 401, 'two steps behind')
})

test('two sign-ins with one code at once: one of them is in', async () => {
  const { email } = await signedUp()
  const secret = await plantApp(email)
  const browsers = [browserOf(service), browserOf(service), browserOf(service)]
  for (const browser of browsers) await browser.post(SIGN_IN, { email, password: PASSWORD })
  const code = codeOf(service, secret)
  await Promise.all(browsers.map((browser) => browser.post(SIGN_IN, { code })))
  const states = await Promise.all(browsers.map(async (browser) => (await browser.get('/dashboard/test')).status))
  assert.deepEqual(states.sort(), [200, 303, 303])
})

test('A70: five wrong passwords lock an account for half an hour, the right one too, and one that nobody has alike', async () => {
  const { email, browser: known } = await signedUp()
  const guess = async (address: string) => {
    const reply = await browserOf(service).post(SIGN_IN, { email: address, password: 'a wrong password' })
    return { status: reply.status, says: mainOf(reply) }
  }
  for (let tries = 1; tries <= 7; tries += 1) {
    const real = await guess(email)
    assert.deepEqual(real, await guess('nobody@at-all.invalid'), `try ${tries}`)
    assert.equal(real.status, tries <= 5 ? 401 : 403)
  }
  const right = () => browserOf(service).post(SIGN_IN, { email, password: PASSWORD })
  const locked = await right()
  assert.equal(locked.status, 403)
  assert.match(mainOf(locked), /locked for 30 minutes/)
  await known.send(await known.get('/dashboard/test'), '/dashboard/sign-out', {})
  assert.equal((await known.post(SIGN_IN, { email, password: PASSWORD })).status, 303, 'its own browser gets in')
  service.pass(30 * MINUTE + 1000)
  assert.equal((await right()).status, 303)
})

test('of thirty guesses at once five are looked at', async () => {
  const { email } = await signedUp()
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      browserOf(service).post(SIGN_IN, { email, password: `a wrong password ${at}` }),
    ),
  )
  const count = (status: number) => replies.filter((reply) => reply.status === status).length
  assert.equal(count(401), 5)
  assert.equal(count(403), 25)
})

test('five wrong codes end the half sign-in and lock the account, whoever knows the password', async () => {
  const { email } = await signedUp()
  const secret = await plantApp(email)
  const thief = browserOf(service)
  await thief.post(SIGN_IN, { email, password: PASSWORD })
  for (let tries = 1; tries <= 4; tries += 1)
    assert.equal((await thief.post(SIGN_IN, { code: `00000${tries}` })).status, 401, `try ${tries}`)
  const last = await thief.post(SIGN_IN, { code: '000005' })
  assert.equal(last.location, SIGN_IN)
  assert.match(mainOf(await thief.follow(last)), /this code is wrong, or was used already/)
  const again = await thief.post(SIGN_IN, { email, password: PASSWORD, code: codeOf(service, secret) })
  assert.equal(again.status, 403)
  assert.equal((await mailsTo(service, email))[0]?.template, 'account-locked')
})

test('a right password does not make wrong codes forgotten', async () => {
  const { email } = await signedUp()
  await plantApp(email)
  const thief = browserOf(service)
  const states: number[] = []
  for (let round = 0; round < 3; round += 1) {
    states.push((await thief.post(SIGN_IN, { email, password: PASSWORD })).status)
    for (const code of ['000001', '000002']) states.push((await thief.post(SIGN_IN, { code })).status)
  }
  assert.deepEqual(states.slice(0, 6), [303, 401, 401, 303, 401, 401])
  assert.deepEqual(states.slice(6), [303, 401, 403], 'the fifth miss locks')
  assert.equal((await thief.post(SIGN_IN, { email, password: PASSWORD })).status, 403)
})

async function plantApp(email: string): Promise<string> {
  const secret = newAppSecret()
  const id = `fac_${String(people).padStart(21, 'a')}`
  const sealed = service.app.vault.seal(secret, { merchantId: null, purpose: id, column: 'factors.sealed' })
  await service.rows(
    `insert into factors (id, person_id, kind, name, sealed, created_at, confirmed_at)
     select $1, id, 'totp', 'App', $2, $4, $4 from people where email = $3`,
    [id, sealed, email, service.clock.now()],
  )
  return secret
}
