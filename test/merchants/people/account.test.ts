import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { codeOf } from '../../helpers/web/authenticator.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const PASSWORD = 'four words of mine'
const OTHER = 'four other words'
const SECURITY = '/dashboard/settings/security'
const SIGN_IN = '/dashboard/sign-in'
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

/** Somebody with a password, in a browser that is signed in. */
async function somebody(more: Parameters<typeof signedInAs>[2] = {}) {
  const browser = await signedInAs(service, shop, more)
  const hash = await hashPassword(PASSWORD)
  await service.rows('update people set password = $2 where id = $1', [browser.personId, hash])
  return browser
}
const signIn = (email: string, password = PASSWORD) => browserOf(service).post(SIGN_IN, { email, password })
const isIn = async (browser: Browser) => (await browser.get(SECURITY)).status === 200
const heldUntil = async (id: number) =>
  (await service.rows<{ at: Date | null }>('select held_until as at from people where id = $1', [id]))[0]?.at ?? null

test('a forgotten password is chosen anew by a mailed link, which works once and ends every session', async () => {
  const person = await somebody()
  const guest = browserOf(service)
  const asked = await guest.send(await guest.get('/dashboard/forgot'), '/forgot', { email: person.email })
  const nobody = await guest.post('/dashboard/forgot', { email: 'nobody@at-all.invalid' })
  assert.deepEqual([asked.status, asked.location], [nobody.status, nobody.location])
  assert.match(mainOf(await guest.follow(asked)), /A mail is on its way to this address/)
  assert.deepEqual(
    (await mailsTo(service, 'nobody@at-all.invalid')).map(({ template }) => template),
    ['no-account'],
  )
  const [link = ''] = await linksIn(service, person.email)
  const page = await guest.get(link)
  assert.equal((await guest.send(page, '/reset', { password: 'too short' })).status, 400)
  assert.equal((await guest.send(page, '/reset', { password: OTHER })).status, 303)
  assert.ok(await isIn(guest))
  assert.equal(await isIn(person), false, 'the old session has ended')
  assert.equal(
    (await guest.post('/dashboard/reset', { link: link.split('link=')[1] ?? '', password: PASSWORD })).status,
    410,
  )
  assert.equal((await signIn(person.email)).status, 401)
  assert.equal((await signIn(person.email, OTHER)).status, 303)
})

test('several links to reset work side by side until one is used, and none works after a day', async () => {
  const person = await somebody()
  for (let asks = 0; asks < 2; asks += 1) await browserOf(service).post('/dashboard/forgot', { email: person.email })
  const links = await linksIn(service, person.email)
  const states = () => Promise.all(links.map(async (link) => (await browserOf(service).get(link)).status))
  assert.deepEqual(await states(), [200, 200])
  const token = links[0]?.split('link=')[1] ?? ''
  assert.equal((await browserOf(service).post('/dashboard/reset', { link: token, password: OTHER })).status, 303)
  assert.deepEqual(await states(), [410, 410])
  await browserOf(service).post('/dashboard/forgot', { email: person.email })
  const [late = ''] = await linksIn(service, person.email)
  service.pass(24 * 60 * MINUTE + 1000)
  assert.equal((await browserOf(service).get(late)).status, 410)
})

test('A70: the mail of a locked account has a link that opens it again', async () => {
  const person = await somebody()
  for (let tries = 0; tries < 5; tries += 1) await signIn(person.email, 'a wrong password')
  assert.equal((await signIn(person.email)).status, 403)
  const [mail] = await mailsTo(service, person.email)
  assert.equal(mail?.template, 'account-locked')
  const [link = ''] = await linksIn(service, person.email)
  const guest = browserOf(service)
  assert.equal((await guest.send(await guest.get(link), '/reset', { password: OTHER })).status, 303)
  assert.equal((await signIn(person.email, OTHER)).status, 303)
})

test('A74: another e-mail address takes effect by the link in its mail; both are told, and live money out waits a day', async () => {
  const person = await somebody()
  const next = `next-${person.email}`
  const page = await person.get(SECURITY)
  assert.equal((await person.send(page, '/email', { email: next })).status, 303)
  assert.deepEqual(
    (await mailsTo(service, person.email)).map(({ template }) => template),
    ['email-change-asked'],
  )
  assert.equal(await heldUntil(person.personId), null)
  const [link = ''] = await linksIn(service, next)
  const guest = browserOf(service)
  assert.equal((await guest.send(await guest.get(link), '/email', {})).status, 303)
  for (const to of [person.email, next])
    assert.equal((await mailsTo(service, to)).filter(({ template }) => template === 'email-changed').length, 1)
  assert.equal(await isIn(person), false)
  assert.equal((await signIn(person.email)).status, 401)
  assert.equal((await signIn(next)).status, 303)
  const until = (await heldUntil(person.personId))?.getTime() ?? 0
  assert.ok(Math.abs(until - service.clock.nowMs() - 24 * 60 * MINUTE) < MINUTE)
})

test('A71: an e-mail address that is in use is asked for like any other, and its owner is told', async () => {
  const [person, other] = [await somebody(), await somebody()]
  const page = await person.get(SECURITY)
  const free = await person.send(page, '/email', { email: 'free@shop.invalid' })
  const used = await person.send(page, '/email', { email: other.email })
  assert.deepEqual([used.status, used.location], [free.status, free.location])
  assert.deepEqual(
    (await mailsTo(service, other.email)).map(({ template }) => template),
    ['email-in-use'],
  )
})

test('A68: a new password ends every other session', async () => {
  const person = await somebody()
  const elsewhere = browserOf(service)
  await elsewhere.post(SIGN_IN, { email: person.email, password: PASSWORD })
  const page = await person.get(SECURITY)
  const changed = await person.send(page, '/password', { password: OTHER })
  assert.match(mainOf(await person.follow(changed)), /Your password is changed/)
  assert.ok(await isIn(person))
  assert.equal(await isIn(elsewhere), false)
})

test('A73: what touches the account asks for the password again after five minutes, and for the code where a factor is on', async () => {
  const person = await somebody({ steppedUpMs: 6 * MINUTE })
  const page = await person.get(SECURITY)
  const ask = (more: Record<string, string>) => person.send(page, '/password', { password: OTHER, ...more })
  assert.match(mainOf(await ask({ confirm: '' })), /Confirm with this before anything is done/)
  assert.match(mainOf(await ask({ confirm: 'not my password' })), /this is not your password/)
  const before = person.cookies().find(({ name }) => name === 'dashboard')?.value
  assert.equal((await ask({ confirm: PASSWORD })).status, 303)
  assert.notEqual(person.cookies().find(({ name }) => name === 'dashboard')?.value, before, 'a new cookie (A67)')
  const old = browserOf(service)
  old.keep(`dashboard=${before}; Path=/`)
  service.pass(31_000)
  assert.equal(await isIn(old), false, 'the old cookie is worth nothing')
})

test('five wrong confirmations end the session', async () => {
  const person = await somebody({ steppedUpMs: null })
  const page = await person.get(SECURITY)
  for (let tries = 0; tries < 5; tries += 1)
    await person.send(page, '/password', { password: OTHER, confirm: 'not my password' })
  assert.equal(await isIn(person), false)
  assert.equal((await signIn(person.email)).status, 403, 'and lock the account')
})

test('A72: an authenticator app is added by its picture and a first code, with recovery codes that work once', async () => {
  const person = await somebody()
  const begun = await person.send(await person.get(SECURITY), '/app', {})
  const page = await person.follow(begun)
  const secret = /otpauth:\/\/totp\/[^?]*\?[^<]*secret=([A-Z2-7]+)/.exec(page.text)?.[1] ?? ''
  assert.match(page.text, /<svg class="qr"/)
  assert.match(
    mainOf(await person.send(page, begun.location.split('/').at(-1) ?? '', { code: '000000' })),
    /code is wrong/,
  )
  const elsewhere = browserOf(service)
  assert.equal(
    (await elsewhere.post(SIGN_IN, { email: person.email, password: PASSWORD })).location,
    '/dashboard/test',
    'not on yet',
  )
  const on = await person.send(page, begun.location.split('/').at(-1) ?? '', {
    code: codeOf(service, secret),
  })
  const codes = mainOf(on).match(/[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/g) ?? []
  assert.equal(new Set(codes).size, 10)
  assert.equal(await isIn(elsewhere), false, 'every other session has ended')
  const stranger = await signedInAs(service, shop)
  assert.equal((await stranger.get(begun.location)).status, 404)
  assert.equal((await person.get(begun.location)).status, 404, 'the secret is shown no longer')
  const enter = async (code: string) => {
    const guest = browserOf(service)
    await guest.post(SIGN_IN, { email: person.email, password: PASSWORD })
    return (await guest.post(SIGN_IN, { code })).status
  }
  assert.equal(await enter(codes[0]?.toLowerCase() ?? ''), 303)
  assert.equal(await enter(codes[0] ?? ''), 401)
  assert.equal(await enter((codes[1] ?? '').replaceAll('-', '')), 303)
  assert.match(mainOf(await person.get(SECURITY)), /8 recovery codes are left/)
  const removed = await person.send(await person.get(SECURITY), '/remove', {})
  assert.match(mainOf(await person.follow(removed)), /Money out from the dashboard waits/)
  assert.ok((await heldUntil(person.personId)) !== null)
  assert.equal((await mailsTo(service, person.email)).filter(({ template }) => template === 'factor-removed').length, 1)
  assert.equal((await signIn(person.email)).location, '/dashboard/test')
})

test('what is held waits a day in live mode, whoever asks, and then goes on', async () => {
  const person = await somebody()
  await service.rows('update people set held_until = $2 where id = $1', [
    person.personId,
    new Date(service.clock.nowMs() + 60 * MINUTE),
  ])
  assert.match(mainOf(await person.get(SECURITY)), /Money out from the dashboard waits until/)
  service.pass(20 * MINUTE)
  await person.get(SECURITY)
  service.pass(20 * MINUTE)
  await person.get(SECURITY)
  service.pass(21 * MINUTE)
  assert.doesNotMatch(mainOf(await person.get(SECURITY)), /Money out from the dashboard waits until/)
})
