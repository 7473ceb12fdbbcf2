import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleOf } from '../../../src/api/access/actions.ts'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { inThisRun } from '../../helpers/service/parts.ts'
import { type Browser, hasForm, type Page } from '../../helpers/web/browser.ts'
import { anotherBrowser, mainOf, type Planted } from '../../helpers/web/dashboard.ts'
import { enrolled } from '../../helpers/web/enrolling.ts'
import { filledIn } from './whole/filled-in.ts'
import { formsOf, type Place } from './whole/places.ts'
import { sendForm } from './whole/send-form.ts'
import { wholeShop } from './whole/shop.ts'

const PASSWORD = 'four words of mine'
// The old cookie of a renewed session ends after half a minute.
const OVERLAP_MS = 31_000
const HOME = '/dashboard/settings'
const WITHDRAWALS = '/dashboard/wallet/withdrawals'
// Its choice is of payments, and the card of this shop has none: the field is refused before the password is looked at.
const WITHOUT_CHOICE = '/gift-cards/:id/restore'
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
const hash = made(async () => ({ of: await hashPassword(PASSWORD) }))

/** The owner in one more browser, who has not given the password for an hour. The planted passkey is no factor that a test can use. */
async function staleOwner(): Promise<Planted> {
  const { owner } = shop.people
  await service.rows('delete from factors where person_id = $1', [owner.personId])
  await service.rows('update people set password = $2, held_until = null where id = $1', [owner.personId, hash.of])
  return anotherBrowser(service, owner, 3_600_000)
}

const isNewCookie = (page: Page) => page.setCookies.some((setCookie) => /^dashboard=[^;]{20,}/.test(setCookie))
const asksAgain = (page: Page) => page.forms.some(({ fields }) => 'confirm' in fields)

test('a right password on an act that is then refused keeps the person signed in, and is not asked for again', async () => {
  await service.set(shop.merchant, { kycStatus: 'verified' })
  const owner = await staleOwner()
  const page = await owner.get(WITHDRAWALS)
  const refused = await owner.send(page, '/withdrawals/request', { amount: '1000', confirm: PASSWORD })
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /below the withdrawal minimum/)
  assert.ok(isNewCookie(refused), 'the refused page brings the new cookie')
  assert.ok(!asksAgain(refused), 'the password is not asked for again')
  service.pass(OVERLAP_MS)
  const again = await owner.send(refused, '/withdrawals/request', { amount: '2000' })
  assert.equal(again.status, 400, again.location)
  assert.match(mainOf(again), /below the withdrawal minimum/)
  assert.ok(hasForm(again, '/withdrawals/request'))
})

test('whatever becomes of a form after a right password, its answer brings the new cookie', async () => {
  const places = formsOf(shop).filter(({ route, path }) => isFresh(route) && path !== WITHOUT_CHOICE)
  const wrong: string[] = []
  const first = places.filter(({ path }, nth) => places.findIndex((place) => place.path === path) === nth)
  for (const place of inThisRun(first, (_, nth) => nth % 4 === 0))
    for (const address of addressesOf(place)) {
      if (place.route.kind !== 'form') continue
      const owner = await staleOwner()
      const { fields, file } = filledIn(place.route.spec)
      const sent = { ...fields, confirm: PASSWORD }
      const reply = await sendForm(service, owner, { address, fields: sent, file })
      // Its owner's own sessions end with some acts, and a field that cannot be read is refused before the password is looked at.
      if (!isNewCookie(reply)) wrong.push(`${address}: ${reply.status} ${mainOf(reply).slice(0, 160)}`)
      else if (reply.status >= 400 && asksAgain(reply)) wrong.push(`${address} asks again`)
      service.pass(OVERLAP_MS)
      const { status } = await owner.get(HOME)
      if (status !== 200) wrong.push(`${address}: signed out half a minute later (${status})`)
    }
  assert.deepEqual(wrong, [])
})

const isFresh = (route: Place['route']) => route.kind === 'form' && ruleOf(route.spec.action).fresh === true

/** About its object, and about one that does not exist. */
const addressesOf = ({ address, id }: Place) =>
  id === null ? [address] : [address.replace(encodeURIComponent(id), 'none'), address]

test('on the console too: a right code on an act that is refused brings the new cookie', async () => {
  const { browser, codes } = await enrolled(service)
  service.pass(6 * 60_000)
  const sent = await browser.send(await browser.get('/console/operators'), '/invite', {
    ...{ email: 'not an address', role: 'risk', confirm: codes[0] ?? '' },
  })
  assert.equal(sent.status, 400, mainOf(sent))
  assert.ok(sent.setCookies.some((setCookie) => /^console=[^;]{20,}/.test(setCookie)))
  assert.ok(!asksAgain(sent))
  service.pass(OVERLAP_MS)
  await isIn(browser)
})

const isIn = async (browser: Browser) => assert.equal((await browser.get('/console/operators')).status, 200)
