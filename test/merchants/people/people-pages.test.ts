import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf, hasForm } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const PEOPLE = '/dashboard/settings/people'
const PASSWORD = 'four words of mine'
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const other = made(() => service.merchant())

const publicIdOf = async (personId: number) =>
  (await service.rows<{ id: string }>('select public_id as id from people where id = $1', [personId]))[0]?.id ?? ''

test('an owner invites by mail; the link shows first, works once, and lets in with the role', async () => {
  const owner = await signedInAs(service, shop)
  const sent = await owner.send(await owner.get(PEOPLE), '/invite', {
    email: 'New@People.invalid',
    role: 'accountant',
  })
  assert.match(mainOf(await owner.follow(sent)), /An invitation is on its way to New@People\.invalid/)
  const [link] = await linksIn(service, 'new@people.invalid')
  assert.ok(link, 'the mail has a link')
  const guest = browserOf(service)
  for (let looks = 0; looks < 3; looks += 1) assert.match(mainOf(await guest.get(link)), /invited as accountant/)
  const page = await guest.get(link)
  assert.equal((await guest.send(page, '/join', { password: 'short' })).status, 400)
  const joins = await Promise.all([1, 2, 3].map(() => browserOf(service).post('/dashboard/join', fields(link))))
  assert.deepEqual(joins.map(({ status }) => status).sort(), [303, 410, 410])
  const joined = await browserOf(service).post('/dashboard/sign-in', {
    email: 'new@people.invalid',
    password: PASSWORD,
  })
  assert.equal(joined.location, '/dashboard/test', 'the link has proven the address')
  assert.match(mainOf(await owner.get(PEOPLE)), /New new@people\.invalid|New@People\.invalid accountant/i)
  assert.equal((await guest.get(link)).status, 410)
  const again = await owner.send(await owner.get(PEOPLE), '/invite', {
    email: 'NEW@people.invalid',
    role: 'viewer',
  })
  assert.equal(again.status, 400)
  assert.match(mainOf(again), /works here already/)
})

test('somebody with an account joins with its own password, and no other', async () => {
  const member = await signedInAs(service, other, { role: 'viewer' })
  await setPassword(member.personId)
  const owner = await signedInAs(service, shop)
  await owner.send(await owner.get(PEOPLE), '/invite', { email: member.email, role: 'cashier' })
  const [link = ''] = await linksIn(service, member.email)
  const guest = browserOf(service)
  assert.match(mainOf(await guest.get(link)), /You have an account with this address/)
  assert.equal((await guest.post('/dashboard/join', fields(link, 'a password of mine'))).status, 401)
  assert.equal((await guest.post('/dashboard/join', fields(link))).status, 303)
  const page = await guest.get('/dashboard/settings/security')
  assert.match(mainOf(page), /Your businesses/)
  const switched = await guest.send(page, '/switch', {})
  assert.equal(switched.status, 303)
  assert.match((await guest.get('/dashboard')).text, /Shop 2/)
})

test('an invitation ends after a day, and when it is taken back', async () => {
  const owner = await signedInAs(service, shop)
  await owner.send(await owner.get(PEOPLE), '/invite', { email: 'late@people.invalid', role: 'viewer' })
  const [late = ''] = await linksIn(service, 'late@people.invalid')
  await owner.send(await owner.get(PEOPLE), '/invite', { email: 'not@people.invalid', role: 'viewer' })
  const [back = ''] = await linksIn(service, 'not@people.invalid')
  await owner.send(await owner.get(PEOPLE), '/refund-limit', { limit: '5,000' })
  const page = await owner.get(PEOPLE)
  const takeBack = page.forms.filter(({ action }) => action.endsWith('/take-back'))
  assert.equal(takeBack.length, 2)
  assert.equal((await owner.post(takeBack[0]?.action ?? '', takeBack[0]?.fields ?? {})).status, 303)
  assert.equal((await browserOf(service).post('/dashboard/join', fields(back))).status, 410)
  service.pass(24 * 60 * MINUTE + 1000)
  assert.equal((await browserOf(service).get(late)).status, 410)
  assert.equal((await browserOf(service).post('/dashboard/join', fields(late))).status, 410)
})

test('roles are changed by owners alone, take effect on the next page, and the last owner stays', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  const second = await signedInAs(service, own, { role: 'developer' })
  const role = (id: string, to: MerchantRole) => async (by: typeof owner) =>
    by.send(await by.get(PEOPLE), `/${id}/role`, { role: to })
  const first = await publicIdOf(owner.personId)
  const last = await role(first, 'viewer')(owner)
  assert.equal(last.status, 400)
  assert.match(mainOf(last), /a business needs an owner/)
  assert.equal((await second.post(`${PEOPLE}/${first}/role`, { role: 'viewer', csrf: 'x' })).status, 403)
  assert.equal(hasForm(await second.get(PEOPLE), '/invite'), false)
  const secondId = await publicIdOf(second.personId)
  assert.equal((await role(secondId, 'owner')(owner)).status, 303)
  assert.equal(hasForm(await second.get(PEOPLE), '/invite'), true)
  const pages = await Promise.all([owner.get(PEOPLE), second.get(PEOPLE)])
  const races = await Promise.all([
    owner.send(pages[0], `/${secondId}/remove`, {}),
    second.send(pages[1], `/${first}/remove`, {}),
  ])
  assert.deepEqual(races.map(({ status }) => status).sort(), [303, 400].sort())
  const [{ owners } = { owners: 0 }] = await service.rows<{ owners: number }>(
    `select count(*)::int as owners from memberships w join directory.merchants m on m.id = w.merchant_id
     where m.public_id = $1 and w.role = 'owner'`,
    [own.id],
  )
  assert.equal(owners, 1)
})

test('the database itself keeps an owner', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  await assert.rejects(
    service.rows('delete from memberships where person_id = $1', [owner.personId]),
    /would have no owner/,
  )
})

test('a person, an invitation and a session of another merchant are not found', async () => {
  const owner = await signedInAs(service, shop)
  const stranger = await signedInAs(service, other, { role: 'cashier' })
  const page = await owner.get(PEOPLE)
  const csrf = formOf(page, '/invite').fields.csrf ?? ''
  const id = await publicIdOf(stranger.personId)
  for (const [path, more] of [
    [`/${id}/role`, { role: 'viewer' }],
    [`/${id}/remove`, {}],
    [`/sessions/${stranger.sessionId}/end`, {}],
    ['/invitations/lnk_aaaaaaaaaaaaaaaaaaaaa/take-back', {}],
  ] as const)
    assert.equal((await owner.post(`${PEOPLE}${path}`, { csrf, ...more })).status, 404, path)
  assert.equal((await stranger.get('/dashboard')).status, 200)
})

test('a till is let in by a code once, as a cashier, until its shift ends; an owner ends it', async () => {
  const owner = await signedInAs(service, shop)
  const shown = await owner.send(await owner.get(PEOPLE), '/till', { name: 'Front', hours: '8' })
  assert.equal(shown.status, 200)
  const [address = ''] = /http[^\s<]*\/dashboard\/till\?link=[\w-]{43}/.exec(shown.text) ?? []
  assert.match(shown.text, /<svg class="qr"/)
  const link = new URL(address).pathname + new URL(address).search
  const till = browserOf(service)
  assert.match(mainOf(await till.get(link)), /This device becomes the till Front/)
  const entered = await till.send(await till.get(link), '/till', {})
  assert.equal(entered.location, '/dashboard/counter')
  assert.equal((await browserOf(service).get(link)).status, 410)
  assert.equal((await till.get('/dashboard')).location, '/dashboard/counter')
  assert.equal((await till.get('/dashboard/settings/security')).status, 403)
  service.pass(7 * 60 * MINUTE)
  assert.equal((await till.get('/dashboard/counter')).status, 200, 'a till is not signed out for being idle')
  const boss = await signedInAs(service, shop)
  const people = await boss.get(PEOPLE)
  assert.match(mainOf(people), /Front/)
  const [session] = await service.rows<{ id: string }>(
    `select s.id from sessions s join people p on p.id = s.person_id where p.name = 'Front'`,
  )
  assert.equal((await boss.send(people, `/${session?.id}/end`, {})).status, 303)
  assert.match((await till.get('/dashboard')).location, /\/sign-in/)
})

test('a shift ends by itself, and its code after ten minutes', async () => {
  const owner = await signedInAs(service, shop)
  const code = async (hours: string) => {
    const shown = await owner.send(await owner.get(PEOPLE), '/till', { name: 'Back', hours })
    const [token = ''] = /link=[\w-]{43}/.exec(shown.text) ?? []
    return { shown, token: token.slice(5) }
  }
  for (const hours of ['0', '13', '99']) {
    const { shown } = await code(hours)
    assert.equal(shown.status, 400)
    assert.match(mainOf(shown), /hours must be a whole number from 1 to 12/)
  }
  const late = await code('1')
  service.pass(10 * MINUTE + 1000)
  assert.equal((await browserOf(service).post('/dashboard/till', { link: late.token })).status, 410)
  const again = await signedInAs(service, shop)
  const shown = await again.send(await again.get(PEOPLE), '/till', { name: 'Back', hours: '1' })
  const token = /link=([\w-]{43})/.exec(shown.text)?.[1] ?? ''
  const tills = [browserOf(service), browserOf(service)]
  const entered = await Promise.all(tills.map((till) => till.post('/dashboard/till', { link: token })))
  assert.deepEqual(entered.map(({ status }) => status).sort(), [303, 410])
  service.pass(60 * MINUTE)
  for (const till of tills) assert.equal((await till.get('/dashboard')).status, 303)
})

const fields = (link: string, password = PASSWORD) => ({
  link: new URL(link, service.url).searchParams.get('link') ?? '',
  password,
})

async function setPassword(personId: number): Promise<void> {
  const { hashPassword } = await import('../../../src/merchants/people/factors/password-pool.ts')
  await service.rows('update people set password = $2 where id = $1', [personId, await hashPassword(PASSWORD)])
}
