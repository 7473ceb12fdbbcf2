import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceActor as actor } from '../../../src/api/access/actor.ts'
import { createMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { signUp } from '../../../src/merchants/people/sign-in/sign-up.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf } from '../../helpers/web/browser.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'

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

test('a name with some digits is a name', async () => {
  await signedUp({ business: 'Studio 2000000', handle: 'studio' })
  await signedUp({ business: 'Plot 12-14 Bakers, since 1998', handle: 'bakers' })
})

test('marks that turn the direction of reading do not stand in the name of a business', async () => {
  await signedUp({ business: 'Kiosk \u202e000,1\u2066', handle: 'turned-kiosk' })
  const [made] = await service.rows(`select name from cell_0.merchants where handle = 'turned-kiosk'`)
  assert.deepEqual(made, { name: 'Kiosk 000,1' })
})

test('a sign-up that is wrong says so beside its field and makes nothing', async () => {
  const browser = browserOf(service)
  const page = await browser.get('/dashboard/sign-up')
  const count = async () => (await service.rows('select count(*) from people'))[0]
  const before = await count()
  const right = { business: 'B', email: 'b@shop.invalid', password: PASSWORD }
  for (const [wrong, says] of [
    [{ business: '' }, /fill this in/],
    [{ business: 'MTN wallet locked - call 0700 123-456' }, /without a phone number/],
    [{ business: 'open evil.com now' }, /without a web or e-mail address/],
    [{ email: 'nobody' }, /email is not a valid email address/],
    [{ password: 'short' }, /password must be 12 to 128 characters/],
    [{ password: 'x'.repeat(129) }, /password must be 12 to 128 characters/],
    [{ password: 'Password1234' }, /one of the commonest/],
    [{ password: '123456789012' }, /one of the commonest/],
    [{ password: 'QWERTYUIOP[]' }, /one of the commonest/],
    [{ handle: 'admin' }, /handle must be/],
    [{ handle: 'mtn-uganda' }, /no reserved word and have none in it/],
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

test('a sign-up that was cut after its business was made is finished by the same form', async () => {
  const visitor = {
    realm: 'merchant' as const,
    origin: '::1',
    agent: 'a test',
    requestId: null,
    token: null,
    browser: null,
  }
  const wanted = { business: 'Cut Shop', email: 'cut@shop.invalid', password: PASSWORD, formKey: 'form-1' }
  const begun = await createMerchant(service.gateway, actor('sign-up'), {
    ...{ name: wanted.business, email: wanted.email, commandKey: 'sign-up form-1' },
  })
  await signUp(service.gateway, visitor, wanted)
  const owned = await service.rows(
    `select m.public_id as id, p.email from people p join memberships w on w.person_id = p.id
       join directory.merchants m on m.id = w.merchant_id where p.email = $1`,
    [wanted.email],
  )
  assert.deepEqual(owned, [{ id: begun.id, email: wanted.email }])
})

test('the link that confirms an address is sent again when it is asked for, and the older one is void', async () => {
  const { browser, email } = await signedUp()
  const security = '/dashboard/test/settings/security'
  const asked = await browser.send(await browser.get(security), '/confirmation', {})
  assert.match(mainOf(await browser.follow(asked)), /A new link is on its way/)
  const links = await linksIn(service, email)
  const states = await Promise.all(links.map(async (link) => (await browserOf(service).get(link)).status))
  assert.deepEqual(states.sort(), [200, 410])
  for (const one of links)
    await browserOf(service).post('/dashboard/confirm', {
      link: one.split('link=')[1] ?? '',
      password: PASSWORD,
    })
  assert.doesNotMatch(mainOf(await browser.get(security)), /not confirmed yet/)
})

test('A69: a password that was hashed with less than today is hashed anew when it is given', async () => {
  const { hash } = await import('@node-rs/argon2')
  const { email } = await signedUp()
  const weak = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1, parallelism: 1 })
  await service.rows('update people set password = $2 where email = $1', [email, weak])
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password: PASSWORD })).status, 303)
  const [row] = await service.rows<{ password: string }>('select password from people where email = $1', [email])
  assert.match(row?.password ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password: PASSWORD })).status, 303)
})

test('A69: any character counts, however the keyboard writes it', async () => {
  const composed = 'Ñandú ñandú é ☕'
  const { email } = await signedUp({ password: composed })
  const enter = async (password: string) => (await browserOf(service).post(SIGN_IN, { email, password })).status
  assert.equal(await enter(composed.normalize('NFD')), 303)
  assert.equal(await enter(composed.toLowerCase()), 401)
  for (const password of [
    '🙂'.repeat(12).replace('🙂', '🙃'),
    'a b c d e f g',
    'пароль из слов',
    'x1'.repeat(60).concat('y'),
  ])
    assert.equal((await signedUp({ password })).reply.status, 303, password)
})

test('who has signed up has a public page once an owner has proven the address, and not before', async () => {
  const { email, browser } = await signedUp({ handle: 'seen-later' })
  const guest = browserOf(service)
  for (const path of ['/pay/@seen-later', '/pay/@seen-later/qr.svg'])
    assert.equal((await guest.get(path)).status, 404, path)
  const [link = ''] = await linksIn(service, email)
  assert.equal((await browser.send(await browser.get(link), '/confirm', {})).status, 303)
  assert.equal((await guest.get('/pay/@seen-later')).status, 200)
})
