import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Action, ruleOf } from '../../../src/api/access/actions.ts'
import type { FormSpec } from '../../../src/web/parts/forms/form-spec.ts'
import { PARTS } from '../../../src/web/parts/texts.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { inTurn } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { LOOKS_AT_ALL } from '../../helpers/web/changed-routes.ts'
import { OPERATOR_ROLES } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { enrolled, OPERATOR_PASSWORD } from '../../helpers/web/enrolling.ts'
import { tableDigests, writtenSince } from '../dashboard/whole/digest.ts'
import { filledIn } from '../dashboard/whole/filled-in.ts'
import { actionOf } from '../dashboard/whole/places.ts'
import { post, sendForm, tokensOf } from '../dashboard/whole/send-form.ts'
import { faultIn, wrongWays } from '../dashboard/whole/wrong-ways.ts'
import { type ConsolePlace, consoleWorld, formsOf, pagesOf, placesOf } from './world.ts'

type Role = (typeof OPERATOR_ROLES)[number]
const lines: string[] = []
const service = openedAndVerified(() => startService({ lines }))
const world = made(() => consoleWorld(service))
const FILES = /^(?:text\/csv|application\/|image\/)/

const may = (role: Role, action: Action) => (ruleOf(action).operators ?? []).includes(role)
const refusalOf = (role: Role) => `your role (${role}) may not do this`
/** To look at some things is an act: it leaves its row of the audit. */
const isAct = ({ route }: ConsolePlace) => ruleOf(actionOf(route)).audited === true
/** An object of the admin's own account: nobody else sees it. */
const isOwn = ({ id, path }: ConsolePlace) => id !== null && path.startsWith('/security/')
const specOf = ({ route }: ConsolePlace): FormSpec => {
  assert.equal(route.kind, 'form')
  return (route as Extract<ConsolePlace['route'], { kind: 'form' }>).spec
}

test('no page or form is there for a stranger or for somebody of a merchant', async () => {
  const owner = await signedInAs(service, await service.merchant({ verified: true }))
  // Its own session under the console's name is worth nothing either.
  owner.keep(`console=${owner.cookies()[0]?.value}; Path=/`)
  const places = placesOf(world)
  const before = await tableDigests(service)
  const wrong: string[] = []
  const others = [
    ['a stranger', browserOf(service)],
    ['an owner', owner],
  ] as const
  for (const [nth, { address, route }] of places.entries())
    for (const [name, browser] of inTurn(others, nth)) {
      const reply =
        route.kind === 'page' ? await browser.get(address) : await browser.post(address, filledIn(route.spec).fields)
      if (reply.status !== 303 || !reply.location.startsWith('/console/sign-in'))
        wrong.push(`${address} for ${name}: ${reply.status} ${reply.location}`)
    }
  assert.deepEqual(wrong, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('every page answers each role as the table says, and looking at it writes nothing', async () => {
  const pages = pagesOf(world)
  const before = await tableDigests(service)
  const wrong: string[] = []
  const looked = [...pages.filter((page) => !isAct(page)), ...pages.filter(isAct)]
  for (const [nth, place] of looked.entries()) {
    for (const role of inTurn(OPERATOR_ROLES, nth, 2)) {
      const { address, route } = place
      const allowed = may(role, actionOf(route))
      const wanted = !allowed ? 403 : isOwn(place) && role !== 'admin' ? 404 : 200
      const reply = await world.people[role].get(address)
      if (reply.status !== wanted || (!allowed && !mainOf(reply).includes(refusalOf(role))))
        wrong.push(`${address} as ${role}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
    }
    if (!isAct(place)) {
      const written = await writtenSince(service, before)
      if (written.length > 0) wrong.push(`${place.address} wrote ${written.join(' ')}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('each page has the headers of a signed-in page, and no style or script of its own', async () => {
  for (const { address } of pagesOf(world)) {
    const { headers, text } = await world.people.admin.get(address)
    assert.equal(headers.get('cache-control'), 'no-store', address)
    if (FILES.test(headers.get('content-type') ?? '')) continue
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'/, address)
    assert.equal(headers.get('content-encoding'), null, address)
    assert.doesNotMatch(text, /\sstyle="|<style|<script(?! src)|\son[a-z]+="/, address)
  }
})

/** How many acts the audit has, without looks at papers. */
const actsBut = async ({ rows }: typeof service) =>
  (
    await rows<{ count: number }>(
      `select count(*)::int as count from (select action from cell_0.audit union all select action from directory.audit) a
       where action <> 'verification.read'`,
    )
  )[0]?.count

test('a form that comes from elsewhere, too late, without its tokens or with wrong fields does nothing and says so', async () => {
  const before = await tableDigests(service)
  const acts = await actsBut(service)
  const wrong: string[] = []
  const { admin: person, support: other } = world.people
  const ofAdmin = formsOf(world).filter(({ route }) => may('admin', actionOf(route)))
  for (const [nth, place] of ofAdmin.entries()) {
    const aimed = { spec: specOf(place), address: place.address, person, other }
    const ways = await wrongWays(service, aimed)
    for (const { name, sent, headers = {}, status } of inTurn(ways, nth, 2)) {
      const fault = faultIn(await post(person, sent, headers as Record<string, string>), { status })
      if (fault !== null) wrong.push(`${place.address} ${name}: ${fault}`)
    }
  }
  assert.deepEqual(wrong, [])
  const written = await writtenSince(service, before)
  // Papers that are shown again are looked at again, which the audit has. Nothing else was done.
  assert.deepEqual(
    written.filter((table) => !/\.audit(?:_to_seal)?$/.test(table)),
    [],
  )
  assert.equal(await actsBut(service), acts)
})

test('what needs a fresh factor asks for it, and does nothing without', async () => {
  const stale = world.people.admin
  service.pass(6 * 60_000)
  const before = await tableDigests(service)
  const wrong: string[] = []
  for (const place of formsOf(world)) {
    const spec = specOf(place)
    if (!ruleOf(spec.action).fresh || !may('admin', spec.action)) continue
    const reply = await sendForm(service, stale, { address: place.address, ...filledIn(spec) })
    const says = mainOf(reply)
    if (reply.status !== 400 || !/nothing was done/i.test(says))
      wrong.push(`${place.address}: ${reply.status} ${says.slice(0, 200)}`)
    else if (!says.includes(PARTS.confirmMissing) && !says.includes(PARTS.mend))
      wrong.push(`${place.address} does not ask: ${says.slice(0, 200)}`)
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('every role may send exactly the forms that the table of actions allows it', async () => {
  const before = await tableDigests(service)
  const wrong: string[] = []
  const tries = formsOf(world).flatMap((place, nth) => inTurn(OPERATOR_ROLES, nth, 2).map((role) => ({ place, role })))
  const isAllowed = ({ place, role }: (typeof tries)[number]) => may(role, actionOf(place.route))
  for (const { place, role } of tries.filter((one) => !isAllowed(one))) {
    const reply = await sendForm(service, world.people[role], {
      address: place.address,
      ...filledIn(specOf(place)),
    })
    if (reply.status !== 403 || !mainOf(reply).includes(refusalOf(role)))
      wrong.push(`${role} at ${place.address}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
  }
  assert.deepEqual(await writtenSince(service, before), [])
  for (const { place, role } of tries.filter(isAllowed)) {
    // About nothing and with nothing in it: the role is asked first.
    const address = place.id === null ? place.address : place.address.replace(encodeURIComponent(place.id), 'none')
    const reply = await sendForm(service, world.people[role], { address, fields: {} })
    if (mainOf(reply).includes(refusalOf(role)) || (reply.status >= 500 && reply.status !== 502))
      wrong.push(`${role} at ${address}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
  }
  assert.deepEqual(wrong, [])
})

test('the tokens of one operator open no form of another', async () => {
  const { admin, finance } = world.people
  const address = '/console/security/name'
  const tokens = await tokensOf(service, finance, address)
  const reply = await admin.post(address, { ...tokens, name: 'Somebody else' })
  assert.equal(reply.status, 403)
})

test('the log of all this has no link, no password, no code and no secret of an authenticator', async () => {
  const token = 'c'.repeat(43)
  for (const path of ['join', 'reset']) await browserOf(service).get(`/console/${path}?link=${token}`)
  const { email, secret, codes } = await enrolled(service)
  const [code = 'none'] = codes
  const fields = { email, password: OPERATOR_PASSWORD, code }
  assert.equal((await browserOf(service).post('/console/sign-in', fields)).status, 303)
  const log = lines.join('')
  assert.ok(lines.length > 100 || !LOOKS_AT_ALL, `${lines.length} lines were logged`)
  for (const hidden of [token, secret, code, OPERATOR_PASSWORD]) assert.ok(!log.includes(hidden), hidden)
})
