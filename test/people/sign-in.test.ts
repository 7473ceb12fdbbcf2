import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { browserOf, formOf } from '../helpers/browser.ts'
import { mainOf } from '../helpers/dashboard.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'

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

test('a sign-up makes the business, its keys and its owner, and lands on Home in test mode', async () => {
  const { reply, browser, email } = await signedUp({ handle: 'own-handle' })
  assert.equal(reply.status, 303)
  assert.equal(reply.location, '/dashboard/test')
  assert.match(
    reply.headers.get('set-cookie') ?? '',
    /dashboard=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax/,
  )
  assert.match(mainOf(await browser.follow(reply)), /not confirmed yet/)
  const [made] = await service.rows(
    `select m.handle, w.role, p.email, (select count(*)::int from directory.api_keys k where k.merchant_id = m.id) as keys
     from people p join memberships w on w.person_id = p.id join directory.merchants m on m.id = w.merchant_id where p.email = $1`,
    [email],
  )
  assert.deepEqual(made, { handle: 'own-handle', role: 'owner', email, keys: 4 })
})

test('a sign-up that is wrong says so beside its field and makes nothing', async () => {
  const browser = browserOf(service)
  const page = await browser.get('/dashboard/sign-up')
  const count = async () => (await service.rows('select count(*) from people'))[0]
  const before = await count()
  const right = { business: 'B', email: 'b@shop.invalid', password: PASSWORD }
  for (const [wrong, says] of [
    [{ business: '' }, /fill this in/],
    [{ email: 'nobody' }, /email is not a valid email address/],
    [{ password: 'short' }, /password must be 12 to 128 characters/],
    [{ password: 'x'.repeat(129) }, /password must be 12 to 128 characters/],
    [{ password: 'Password1234' }, /one of the commonest/],
    [{ password: '123456789012' }, /one of the commonest/],
    [{ password: 'QWERTYUIOP[]' }, /one of the commonest/],
    [{ handle: 'admin' }, /handle must be/],
    [{ handle: 'own-handle' }, /the handle own-handle is taken/],
  ] as const) {
    const reply = await browser.send(page, '/dashboard/sign-up', { ...right, ...wrong })
    assert.equal(reply.status, 400, JSON.stringify(wrong))
    assert.match(mainOf(reply), says)
    assert.doesNotMatch(reply.text, /four words of mine/)
  }
  assert.deepEqual(await count(), before)
})

test('the same sign-up sent twice, and at once, makes one business', async () => {
  const browser = browserOf(service)
  const { fields } = formOf(await browser.get('/dashboard/sign-up'), '/dashboard/sign-up')
  const form = { ...fields, business: 'Twice', email: 'twice@shop.invalid', password: PASSWORD }
  const replies = await Promise.all([1, 2, 3].map(() => browserOf(service).post('/dashboard/sign-up', form)))
  for (const { status } of replies) assert.ok([303, 409].includes(status), `${status}`)
  assert.equal((await browser.post('/dashboard/sign-up', form)).status, 303)
  assert.equal((await browser.get('/dashboard/test')).status, 200)
  assert.equal((await service.rows(`select 1 from people where email = 'twice@shop.invalid'`)).length, 1)
  assert.equal((await service.rows(`select 1 from cell_0.merchants where name = 'Twice'`)).length, 1)
  const stranger = await browserOf(service).post('/dashboard/sign-up', {
    ...form,
    password: 'another password',
  })
  assert.equal(stranger.status, 409)
})

test('A71: a sign-up with an address that is in use answers like a new one, and so does every sign-in after it', async () => {
  const { email } = await signedUp()
  await service.rows('update people set confirmed_at = now() where email = $1', [email])
  const again = await signedUp({ email: email.toUpperCase(), password: 'another four words' })
  const fresh = await signedUp()
  const seen = ({ status, location, headers }: typeof again.reply) => [
    status,
    location,
    (headers.get('set-cookie') ?? '').replace(/=[\w-]{43}/g, '=...'),
  ]
  assert.deepEqual(seen(again.reply), seen(fresh.reply))
  const home = (text: string) => text.replace(/person\d+|Shop \d+|[\w-]{20,}|\d+/g, '')
  assert.equal(
    home(mainOf(await again.browser.follow(again.reply))),
    home(mainOf(await fresh.browser.follow(fresh.reply))),
  )
  for (const password of [PASSWORD, 'another four words']) {
    const browser = browserOf(service)
    const reply = await browser.post(SIGN_IN, { email, password })
    assert.equal(reply.status, 303)
    assert.equal((await browser.get('/dashboard/test')).status, 200)
  }
})

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
  for (const then of [
    'https://evil.example',
    '//evil.example',
    '/pay/x',
    '/dashboard//evil',
    '/dashboard\\evil',
  ]) {
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
  const code = codeOf(secret)
  assert.equal((await browser.send(page, SIGN_IN, { code })).status, 303)
  assert.equal((await browser.get('/dashboard/test')).status, 200)
  const second = browserOf(service)
  const again = await second.post(SIGN_IN, { email, password: PASSWORD, code })
  assert.equal(again.status, 401, 'the same code is refused')
  service.pass(31_000)
  assert.equal(
    (await second.post(SIGN_IN, { email, password: PASSWORD, code: codeOf(secret) })).location,
    '/dashboard/test',
  )
  const early = browserOf(service)
  await early.post(SIGN_IN, { email, password: PASSWORD })
  assert.equal((await early.post(SIGN_IN, { code: codeOf(secret, 30_000) })).status, 303, 'one step ahead')
  service.pass(90_000)
  const late = browserOf(service)
  await late.post(SIGN_IN, { email, password: PASSWORD })
  assert.equal((await late.post(SIGN_IN, { code: codeOf(secret, -60_000) })).status, 401, 'two steps behind')
})

test('two sign-ins with one code at once: one of them is in', async () => {
  const { email } = await signedUp()
  const secret = await plantApp(email)
  const browsers = [browserOf(service), browserOf(service), browserOf(service)]
  for (const browser of browsers) await browser.post(SIGN_IN, { email, password: PASSWORD })
  const code = codeOf(secret)
  await Promise.all(browsers.map((browser) => browser.post(SIGN_IN, { code })))
  const states = await Promise.all(
    browsers.map(async (browser) => (await browser.get('/dashboard/test')).status),
  )
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
  assert.equal(
    (await known.post(SIGN_IN, { email, password: PASSWORD })).status,
    303,
    'its own browser gets in',
  )
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

async function plantApp(email: string): Promise<string> {
  const secret = new Secret({ size: 20 }).base32
  const id = `fac_${String(people).padStart(21, 'a')}`
  const sealed = service.app.vault.seal(secret, { merchantId: null, purpose: id, column: 'factors.sealed' })
  await service.rows(
    `insert into factors (id, person_id, kind, name, sealed, created_at, confirmed_at)
     select $1, id, 'totp', 'App', $2, now(), now() from people where email = $3`,
    [id, sealed, email],
  )
  return secret
}

const codeOf = (secret: string, aheadMs = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.clock.nowMs() + aheadMs })
