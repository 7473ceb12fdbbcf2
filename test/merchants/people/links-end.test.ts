import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { codeOf, secretIn } from '../../helpers/web/authenticator.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { anotherBrowser, mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const PASSWORD = 'four words of mine'
const OTHER = 'four other words'
const SECURITY = '/dashboard/settings/security'
const SIGN_IN = '/dashboard/sign-in'
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

let thieves = 0
/** An owner, and the link that a thief at an open browser of the owner has had sent to an address of the thief. */
async function withThief() {
  const owner = await signedInAs(service, shop)
  const hash = await hashPassword(PASSWORD)
  await service.rows('update people set password = $2 where id = $1', [owner.personId, hash])
  const thief = await anotherBrowser(service, owner)
  thieves += 1
  const address = `thief${thieves}@evil.invalid`
  const asked = await thief.send(await thief.get(SECURITY), '/email', { email: address })
  assert.equal(asked.status, 303)
  const [link = ''] = await linksIn(service, address)
  return { owner, thief, address, link }
}

const emailOf = async ({ personId }: Planted) =>
  (await service.rows<{ email: string }>('select email from people where id = $1', [personId]))[0]?.email

const use = async (link: string) => {
  const [path = '', token = ''] = link.split('?link=')
  return browserOf(service).post(path, { link: token })
}
const resetLinkOf = async (email: string) =>
  (await linksIn(service, email)).find((link) => link.includes('/reset?')) ?? ''

async function addApp(browser: Browser): Promise<string> {
  const begun = await browser.send(await browser.get(SECURITY), '/app', {})
  const page = await browser.follow(begun)
  const secret = secretIn(page.text)
  const end = begun.location.split('/').at(-1) ?? ''
  assert.equal((await browser.send(page, end, { code: codeOf(service, secret) })).status, 200)
  return secret
}

const ACTS: Record<string, (owner: Planted) => Promise<unknown>> = {
  'a changed password': async (owner) => owner.send(await owner.get(SECURITY), '/password', { password: OTHER }),
  'a reset password': async ({ email }) => {
    await browserOf(service).post('/dashboard/forgot', { email })
    const [, link = ''] = (await resetLinkOf(email)).split('?link=')
    return browserOf(service).post('/dashboard/reset', { link, password: OTHER })
  },
  'a factor that was added': (owner) => addApp(owner),
  'the end of all other sessions': async (owner) => owner.send(await owner.get(SECURITY), '/sessions/end-others', {}),
}

for (const [act, does] of Object.entries(ACTS))
  test(`A74: after ${act} a link to another e-mail address that was asked for before works no longer`, async () => {
    const { owner, link } = await withThief()
    await does(owner)
    assert.equal((await browserOf(service).get(link)).status, 410)
    assert.equal((await use(link)).status, 410)
    assert.equal(await emailOf(owner), owner.email)
  })

test('A74: so it is after a factor was removed, and after its owner was removed from the business', async () => {
  const { owner, thief } = await withThief()
  await addApp(owner)
  const again = await anotherBrowser(service, owner)
  await again.send(await again.get(SECURITY), '/email', { email: 'again@evil.invalid' })
  const [asked = ''] = await linksIn(service, 'again@evil.invalid')
  assert.equal((await browserOf(service).get(asked)).status, 200)
  assert.equal((await owner.send(await owner.get(SECURITY), '/remove', {})).status, 303)
  assert.equal((await use(asked)).status, 410)
  assert.equal((await thief.get(SECURITY)).status, 303)
  const boss = await signedInAs(service, shop)
  const { owner: gone, link } = await withThief()
  const [{ id } = { id: '' }] = await service.rows<{ id: string }>('select public_id as id from people where id = $1', [
    gone.personId,
  ])
  const people = await boss.get('/dashboard/settings/people')
  assert.equal((await boss.send(people, `/${id}/remove`, {})).status, 303)
  assert.equal((await use(link)).status, 410)
})

test('the mail to the old address stops the change: a look changes nothing, the button signs out and leads to a new password', async () => {
  const { owner, thief, address, link } = await withThief()
  const [mail] = await mailsTo(service, owner.email)
  assert.equal(mail?.template, 'email-change-asked')
  const [stop = ''] = await linksIn(service, owner.email)
  const guest = browserOf(service)
  const page = await guest.get(stop)
  assert.match(mainOf(page), new RegExp(`asked to use ${address} for it`))
  assert.equal((await browserOf(service).get(link)).status, 200, 'a look changes nothing')
  const stopped = await guest.send(page, '/email-stop', {})
  assert.equal((await thief.get(SECURITY)).status, 303, 'who asked for it is signed out')
  assert.equal((await use(link)).status, 410)
  assert.equal((await use(stop)).status, 410, 'it works once')
  const chosen = await guest.send(await guest.follow(stopped), '/reset', { password: OTHER })
  assert.equal(chosen.location, '/dashboard/test')
  const back = await browserOf(service).post(SIGN_IN, { email: owner.email, password: OTHER })
  assert.equal(back.location, '/dashboard/test')
})

test('once the change was made the link that stops it works no longer', async () => {
  const { owner, link, address } = await withThief()
  const [stop = ''] = await linksIn(service, owner.email)
  assert.equal((await use(link)).status, 303)
  assert.equal(await emailOf(owner), address)
  assert.equal((await use(stop)).status, 410)
})
