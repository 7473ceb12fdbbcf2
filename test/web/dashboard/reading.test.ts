import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pagePolicy } from '../../../src/web/parts/routes/policy.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { inTurn } from '../../helpers/service/parts.ts'
import { browserOf, type Page } from '../../helpers/web/browser.ts'
import { LOOKS_AT_ALL } from '../../helpers/web/changed-routes.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { formsAt, mayDo, refusalOf } from './whole/allowed.ts'
import { tableDigests, writtenSince } from './whole/digest.ts'
import { filledIn } from './whole/filled-in.ts'
import { actionOf, type Place, pagesOf, placesOf } from './whole/places.ts'
import { sendForm } from './whole/send-form.ts'
import { ROLES, wholeShop } from './whole/shop.ts'

const lines: string[] = []
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startPayingService({ lines, env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
const other = made(async () => (await richShop(service)).merchant)

// What one person has begun is nobody else's.
const OF_ONE_PERSON = ['/settings/security/app/:id']
// They show a secret that is being made, to the person who makes it.
const SHOWS_ITS_SECRET = ['/settings/security/app/:id']
// What they are about is no object of one merchant: every merchant has a statement of each month, and directors by number.
const OF_EVERYBODY = [
  '/views/:list/save',
  '/views/:list/:place/remove',
  '/wallet/statements/:period',
  '/verification/directors/:place',
  '/verification/directors/:place/remove',
]

test('a stranger is led from every page and form to the sign-in, and writes nothing', async () => {
  const stranger = browserOf(service)
  const before = await tableDigests(service)
  for (const { route, address } of placesOf(shop)) {
    const reply = await (route.kind === 'page' ? stranger.get(address) : stranger.post(address, { a: 'b' }))
    assert.equal(reply.status, 303, address)
    assert.match(reply.location, /^\/dashboard\/sign-in(?:\?then=|$)/, address)
    assert.doesNotMatch(reply.text, /./, address)
  }
  assert.deepEqual(await writtenSince(service, before), [])
})

test('nobody of another merchant, and nobody in the other mode, finds an object or changes it', async () => {
  const stranger = await signedInAs(service, other)
  const { owner } = shop.people
  const before = await tableDigests(service)
  const found: string[] = []
  const about = placesOf(shop).filter(({ id }) => id !== null)
  const inBoth = (route: Place['route']) => about.filter((place) => place.route === route).length === 2
  for (const { path, mode, route, address } of about) {
    const elsewhere =
      mode === 'test' ? address.replace('/test/', '/') : address.replace('/dashboard/', '/dashboard/test/')
    const tries = [[stranger, address] as const, ...(inBoth(route) ? [] : [[owner, elsewhere] as const])]
    for (const [person, at] of tries) {
      if (OF_EVERYBODY.includes(path)) continue
      const reply = await (route.kind === 'page'
        ? person.get(at)
        : sendForm(service, person, { address: at, ...filledIn(route.spec) }))
      if (reply.status !== 404 || !/There is nothing here/.test(mainOf(reply)))
        found.push(`${person === owner ? 'the owner' : 'a stranger'} at ${at}: ${reply.status} ${mainOf(reply)}`)
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('every role sees what the table of actions lets it see, and only forms that it may send; looking writes nothing', async () => {
  const before = await tableDigests(service)
  const wrong: string[] = []
  for (const [nth, { route, address, path }] of pagesOf(shop).entries())
    for (const role of inTurn(ROLES, nth, 2)) {
      const page = await shop.people[role].get(address)
      if (!mayDo(role, actionOf(route))) {
        assert.deepEqual([page.status, mainOf(page).includes(refusalOf(role))], [403, true], `${role} ${address}`)
        continue
      }
      if (OF_ONE_PERSON.includes(path) && role !== 'owner') {
        assert.equal(page.status, 404, `${role} ${address}`)
        continue
      }
      assert.ok([200, 303].includes(page.status), `${role} ${address}: ${page.status} ${mainOf(page)}`)
      assertHeaders(page, address)
      wrong.push(...offeredInVain(page, role).map((one) => `${role} ${address}: ${one}`))
      if (!SHOWS_ITS_SECRET.includes(path)) assertNoSecret(page.text, address)
    }
  assert.deepEqual(wrong, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('the log of all this holds no secret, and no code that stood in an address', async () => {
  const code = 'c'.repeat(43)
  const stranger = browserOf(service)
  for (const path of ['join', 'reset', 'confirm', 'email', 'till'])
    await stranger.get(`/dashboard/${path}?link=${code}`)
  await stranger.post('/dashboard/sign-in', { email: 'nobody@people.invalid', password: code })
  assert.ok(lines.length > 100 || !LOOKS_AT_ALL, `${lines.length} lines were logged`)
  assertNoSecret(lines.join(''), 'the log')
  assert.ok(!lines.join('').includes(code), 'a code or password stands in the log')
})

const HEADERS: readonly [string, string | null][] = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'same-origin'],
  ['content-encoding', null],
]

function assertHeaders({ headers, status, text }: Page, address: string): void {
  for (const [name, value] of HEADERS) assert.equal(headers.get(name), value, `${address}: ${name}`)
  if (status === 200 && headers.get('content-type')?.startsWith('text/html')) {
    assert.equal(headers.get('content-security-policy'), pagePolicy(), address)
    assert.doesNotMatch(text, / style="|<style|<script>| on[a-z]+="|javascript:/, address)
    assert.ok(text.includes(headers.get('x-request-id') ?? 'none'), `${address} shows its reference`)
  } else if (status === 200) {
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; frame-ancestors 'none'/, address)
  }
}

/** The forms of a page that its reader's role may not send. */
const offeredInVain = (page: Page, role: (typeof ROLES)[number]): string[] =>
  page.forms
    .filter(({ method }) => method === 'post')
    .flatMap(({ action }) => formsAt(action))
    .filter((route) => !mayDo(role, actionOf(route)))
    .map((route) => (route.kind === 'form' ? route.spec.path : ''))

function assertNoSecret(text: string, where: string): void {
  for (const secret of shop.secrets) assert.ok(!text.includes(secret), `${where} holds ${secret.slice(0, 12)}...`)
}
