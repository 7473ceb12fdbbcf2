import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { sumCounter } from '../../../src/platform/log/measures.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'

const PASSWORD = 'four words of mine'
const OTHER = 'four other words'
const SIGN_IN = '/dashboard/sign-in'
const SECURITY = '/dashboard/settings/security'
const service = openedAndVerified(() => startService())

async function signedUp(email: string, password = PASSWORD): Promise<Browser> {
  const browser = browserOf(service)
  const reply = await browser.post('/dashboard/sign-up', { business: 'Shop', email, password })
  assert.equal(reply.status, 303)
  return browser
}

/** How many passwords are hashed for a wrong try at this address. */
async function hashesOf(email: string): Promise<number> {
  await service.rows('delete from sign_in_misses')
  const before = sumCounter('password_hashes_total')
  const reply = await browserOf(service).post(SIGN_IN, { email, password: 'a wrong password' })
  assert.equal(reply.status, 401, mainOf(reply))
  return sumCounter('password_hashes_total') - before
}

test('A71: a try costs one hash, whoever claims the address before and after a change, a reset and another address', async () => {
  const email = 'one@hash.invalid'
  const owner = await signedUp(email)
  await service.rows('update people set confirmed_at = now() where email = $1', [email])
  await signedUp(email, OTHER)
  assert.equal((await owner.send(await owner.get(SECURITY), '/password', { password: OTHER })).status, 303)
  await signedUp(email, 'four words of a third')
  assert.equal(await hashesOf(email), 1, 'after a change')
  const guest = browserOf(service)
  await guest.post('/dashboard/forgot', { email })
  const reset = (await linksIn(service, email)).find((link) => link.includes('/reset'))
  const link = reset?.split('link=')[1] ?? ''
  assert.equal((await guest.post('/dashboard/reset', { link, password: PASSWORD })).status, 303)
  await signedUp(email, OTHER)
  assert.equal(await hashesOf(email), 1, 'after a reset')
  const next = `next-${email}`
  await signedUp(next)
  assert.equal((await guest.send(await guest.get(SECURITY), '/email', { email: next })).status, 303)
  const moves = (await linksIn(service, next)).find((one) => one.includes('/email?'))
  await guest.post('/dashboard/email', { link: moves?.split('link=')[1] ?? '' })
  await signedUp(next, OTHER)
  await signedUp(email, OTHER)
  for (const one of [next, email]) assert.equal(await hashesOf(one), 1, one)
  assert.equal(await hashesOf('nobody@hash.invalid'), 1, 'an address that nobody has')
})

test('A71: of several first sign-ups with an address at once all have one salt', async () => {
  const email = 'first@hash.invalid'
  await Promise.all([1, 2, 3, 4].map((number) => signedUp(email, `four words of number ${number}`)))
  assert.equal(await hashesOf(email), 1)
  for (const number of [1, 2, 3, 4]) {
    const reply = await browserOf(service).post(SIGN_IN, {
      email,
      password: `four words of number ${number}`,
    })
    assert.equal(reply.status, 303, `number ${number}`)
  }
})

test('A71: a hash with a salt of its own, as older versions made them, is made anew at the next right sign-in', async () => {
  const email = 'older@hash.invalid'
  await signedUp(email)
  await signedUp(email, OTHER)
  const hash = await hashPassword(OTHER)
  await service.rows(
    `update people set password = $2 where email = $1 and id = (select max(id) from people where email = $1)`,
    [email, hash],
  )
  assert.equal(await hashesOf(email), 2)
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password: OTHER })).status, 303)
  assert.equal(await hashesOf(email), 1)
})
