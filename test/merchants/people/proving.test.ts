import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, browserOf, formOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'

const PASSWORD = 'four words of mine'
const STRANGE = 'four words of a thief'
const SIGN_IN = '/dashboard/sign-in'
const TEST = '/dashboard/test'
const SECURITY = `${TEST}/settings/security`
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

async function signedUp(email: string, business: string, password: string): Promise<Browser> {
  const browser = browserOf(service)
  const reply = await browser.post('/dashboard/sign-up', { business, email, password })
  assert.equal(reply.status, 303)
  return browser
}
/** The newest link of this kind in the mails to an address. */
async function linkTo(email: string, page: string): Promise<string> {
  const links = (await linksIn(service, email)).filter((link) => link.startsWith(`/dashboard/${page}?`))
  assert.notEqual(links[0], undefined, `a link to ${page} for ${email}`)
  return links[0] ?? ''
}
const tokenOf = (link: string) => link.split('link=')[1] ?? ''
const isIn = async (browser: Browser) => (await browser.get(TEST)).status === 200
const isConfirmed = async (browser: Browser) => !/not confirmed yet/.test(mainOf(await browser.get(TEST)))
const signIn = async (email: string, password: string) => {
  const browser = browserOf(service)
  return { browser, ...(await browser.post(SIGN_IN, { email, password })) }
}
async function confirmed(email: string, business = 'Real Foods', password = PASSWORD): Promise<Browser> {
  const owner = await signedUp(email, business, password)
  const link = await linkTo(email, 'confirm')
  assert.equal((await owner.send(await owner.get(link), '/confirm', {})).status, 303)
  return owner
}

test('an address is confirmed by its link with one button where the account is signed in, else with its password', async () => {
  const owner = await signedUp('mail@proving.invalid', 'Mail Shop', PASSWORD)
  const link = await linkTo('mail@proving.invalid', 'confirm')
  const guest = browserOf(service)
  const page = await guest.get(link)
  assert.match(mainOf(page), /mail@proving\.invalid is yours .* business Mail Shop was opened/)
  assert.equal(await isConfirmed(owner), false, 'a look changes nothing')
  const without = await guest.send(page, '/confirm', { password: '' })
  assert.equal(without.status, 400)
  assert.equal((await guest.send(page, '/confirm', { password: 'not this one here' })).status, 401)
  assert.equal(await isConfirmed(owner), false)
  assert.deepEqual(Object.keys(formOf(await owner.get(link), '/confirm').fields), ['link'])
  const done = await owner.send(await owner.get(link), '/confirm', {})
  assert.equal(done.location, SIGN_IN)
  assert.equal(await isConfirmed(owner), true)
  const again = await signedUp('more@proving.invalid', 'Other Shop', PASSWORD)
  const other = await linkTo('more@proving.invalid', 'confirm')
  assert.equal((await guest.send(await guest.get(other), '/confirm', { password: PASSWORD })).status, 303)
  assert.equal(await isConfirmed(again), true)
})

test('whoever has the mailbox cannot confirm what a stranger has opened with the address, and the proof ends that', async () => {
  const email = 'victim@proving.invalid'
  const thief = await signedUp(email, 'Prepared Shop', STRANGE)
  const prepared = await linkTo(email, 'confirm')
  const victim = await signedUp(email, 'Kampala Foods', PASSWORD)
  const own = (await linksIn(service, email)).find((link) => link !== prepared) ?? ''
  const page = await victim.get(prepared)
  assert.match(mainOf(page), /business Prepared Shop was opened/)
  assert.equal((await victim.send(page, '/confirm', { password: PASSWORD })).status, 401)
  assert.equal(await isConfirmed(thief), false)
  assert.equal((await victim.send(await victim.get(own), '/confirm', {})).status, 303)
  assert.equal(await isConfirmed(victim), true)
  assert.equal(await isIn(thief), false, 'the session of the claim has ended')
  assert.equal((await signIn(email, STRANGE)).status, 401)
  const late = await victim.get(prepared)
  assert.match(mainOf(late), /This adds the business Prepared Shop/)
  assert.equal((await victim.send(late, '/confirm', { password: PASSWORD })).status, 401)
  assert.equal((await signIn(email, PASSWORD)).location, '/dashboard/test')
})

test('of two accounts that confirm one address at once one is confirmed, and the other has ended', async () => {
  const email = 'race@proving.invalid'
  const browsers = [await signedUp(email, 'First', PASSWORD), await signedUp(email, 'Second', STRANGE)]
  const links = (await linksIn(service, email)).map(tokenOf)
  const confirms = browsers.flatMap((browser) =>
    links.flatMap((link) =>
      [PASSWORD, STRANGE].map((password) => browser.post('/dashboard/confirm', { link, password })),
    ),
  )
  const states = (await Promise.all(confirms)).map(({ status }) => status)
  assert.deepEqual(
    [...new Set(states)].filter((status) => status >= 500),
    [],
  )
  const people = await service.rows<{ confirmed: boolean; open: boolean }>(
    'select confirmed_at is not null as confirmed, closed_at is null as open from people where email = $1',
    [email],
  )
  assert.deepEqual(people.map(({ confirmed, open }) => `${confirmed} ${open}`).sort(), ['false false', 'true true'])
})

test('a second business is added with both passwords, and with no other', async () => {
  const email = 'two@proving.invalid'
  const owner = await confirmed(email)
  const second = await signedUp(email, 'Second Shop', 'four words of the second')
  const link = await linkTo(email, 'confirm')
  const guest = browserOf(service)
  const page = await guest.get(link)
  const send = (password: string, account: string) => guest.send(page, '/confirm', { password, account })
  assert.equal((await send(STRANGE, PASSWORD)).status, 401)
  const wrong = await send('four words of the second', STRANGE)
  assert.equal(wrong.status, 401)
  assert.match(mainOf(wrong), /this is not the password of your account/)
  assert.equal(await isIn(second), true, 'nothing is added')
  assert.equal((await send('four words of the second', PASSWORD)).status, 303)
  assert.equal(await isIn(second), false)
  assert.equal((await signIn(email, 'four words of the second')).status, 401)
  assert.match(mainOf(await owner.get(SECURITY)), /second-shop/)
})

test('what is tried on the page of a link counts as a try at the sign-in', async () => {
  const email = 'tried@proving.invalid'
  await signedUp(email, 'Tried Shop', PASSWORD)
  const link = tokenOf(await linkTo(email, 'confirm'))
  const guess = (number: number) =>
    browserOf(service).post('/dashboard/confirm', { link, password: `guess number ${number}` })
  const states: number[] = []
  for (let number = 0; number < 6; number += 1) states.push((await guess(number)).status)
  assert.deepEqual(states, [401, 401, 401, 401, 401, 403])
  assert.equal((await signIn(email, PASSWORD)).status, 403)
})

test('a new password for an address that nobody has proven asks which business is meant, and ends all others', async () => {
  const email = 'reset@proving.invalid'
  const thief = await signedUp(email, 'Prepared Shop', STRANGE)
  const victim = await signedUp(email, 'Kampala Foods', PASSWORD)
  const guest = browserOf(service)
  const asked = await guest.follow(await guest.post('/dashboard/forgot', { email }))
  assert.doesNotMatch(mainOf(asked), /Kampala Foods|Prepared Shop/, 'nothing is told before the link')
  const page = await guest.get(await linkTo(email, 'reset'))
  const [, theirs = '', mine = ''] =
    /value="(per_\w+)"[^>]*><label[^>]*>Prepared Shop, opened .*?value="(per_\w+)"[^>]*><label[^>]*>Kampala Foods, opened/s.exec(
      page.text,
    ) ?? []
  const password = 'four other words'
  const stranger = await signedUp('elsewhere@proving.invalid', 'Elsewhere', PASSWORD)
  const [{ id: far } = { id: '' }] = await service.rows<{ id: string }>(
    `select public_id as id from people where email = 'elsewhere@proving.invalid'`,
  )
  for (const business of ['', far, 'per_aaaaaaaaaaaaaaaaaaaaa'])
    assert.equal((await guest.send(page, '/reset', { password, business })).status, 400, business)
  assert.notEqual(theirs, mine)
  assert.equal((await guest.send(page, '/reset', { password, business: mine })).status, 303)
  assert.match(mainOf(await guest.get(TEST)), /Kampala Foods|Home/)
  assert.match((await guest.get(TEST)).text, /Kampala Foods/)
  for (const [who, browser] of Object.entries({ thief, victim }))
    assert.equal(await isIn(browser), false, `${who} is signed out`)
  assert.equal(await isIn(stranger), true)
  assert.equal((await signIn(email, STRANGE)).status, 401)
  assert.equal((await signIn(email, password)).location, '/dashboard/test', 'the link has proven the address')
})

test('the page of a new password names the only business that was opened with the address', async () => {
  const email = 'only@proving.invalid'
  await signedUp(email, 'Prepared Shop', STRANGE)
  await browserOf(service).post('/dashboard/forgot', { email })
  const page = await browserOf(service).get(await linkTo(email, 'reset'))
  assert.match(mainOf(page), /the account that opened the business Prepared Shop/)
})

test('an accepted invitation and a changed address end what others have opened with the address, tills too', async () => {
  const owner = await signedInAs(service, shop)
  const thief = await signedUp('joins@proving.invalid', 'Prepared Shop', STRANGE)
  const people = await thief.get(`${TEST}/settings/people`)
  const code = await thief.send(people, '/till', { name: 'Front', hours: '8' })
  const till = browserOf(service)
  const shown = /link=([\w-]{43})/.exec(code.text)?.[1] ?? ''
  assert.equal((await till.post('/dashboard/till', { link: shown })).status, 303)
  assert.equal((await till.get(`${TEST}/counter`)).status, 200)
  const page = await owner.get('/dashboard/settings/people')
  await owner.send(page, '/invite', { email: 'joins@proving.invalid', role: 'viewer' })
  const link = tokenOf(await linkTo('joins@proving.invalid', 'join'))
  assert.equal((await browserOf(service).post('/dashboard/join', { link, password: PASSWORD })).status, 303)
  assert.equal(await isIn(thief), false)
  assert.equal((await till.get(`${TEST}/counter`)).status, 303)
  const other = await signedUp('moves@proving.invalid', 'Prepared Shop', STRANGE)
  const security = await owner.get('/dashboard/settings/security')
  await owner.send(security, '/email', { email: 'moves@proving.invalid' })
  const moves = tokenOf(await linkTo('moves@proving.invalid', 'email'))
  assert.equal((await browserOf(service).post('/dashboard/email', { link: moves })).status, 303)
  assert.equal(await isIn(other), false)
})

test('a business whose claim has ended is added by the password that it was opened with, and none is listed', async () => {
  const email = 'later@proving.invalid'
  await signedUp(email, 'Left Shop', 'four words of the left')
  const owner = await confirmed(email)
  const page = await owner.get(SECURITY)
  assert.doesNotMatch(mainOf(page), /Left Shop|left-shop/)
  const wrong = await owner.send(page, '/security/business', { password: 'not this one here' })
  assert.equal(wrong.status, 401)
  assert.doesNotMatch(mainOf(await owner.get(SECURITY)), /left-shop/)
  const added = await owner.send(page, '/security/business', { password: 'four words of the left' })
  assert.match(mainOf(await owner.follow(added)), /The business is added to your account/)
  assert.match(mainOf(await owner.get(SECURITY)), /left-shop/)
  assert.equal((await signIn(email, 'four words of the left')).status, 401)
})
