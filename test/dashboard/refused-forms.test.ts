import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormSpec } from '../../src/pages/form-spec.ts'
import { keyOfForm, newFormToken } from '../../src/pages/form-token.ts'
import { PARTS } from '../../src/pages/texts.ts'
import { startReceiver } from '../fakes/receiver.ts'
import type { Page } from '../helpers/browser.ts'
import { mainOf } from '../helpers/dashboard.ts'
import { made, opened, openedAndVerified } from '../helpers/opened.ts'
import { startPayingService } from '../helpers/payouts.ts'
import { actionOf, mayDo, refusalOf } from './whole/allowed.ts'
import { tableDigests, writtenSince } from './whole/digest.ts'
import { filledIn } from './whole/filled-in.ts'
import { formsOf, type Place } from './whole/places.ts'
import { post, type Sent, sendForm, tokensOf } from './whole/send-form.ts'
import { ROLES, wholeShop } from './whole/shop.ts'

const HOUR_MS = 3_600_000
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }),
)
const shop = made(() => wholeShop(service, receiver))

// The page says it in these words, whatever was wrong.
// Fields are read before the one-time token.
const MEND = PARTS.mend
const SAYS_NOTHING_DONE = /nothing was done/i
const ELSEWHERE = { 'sec-fetch-site': 'cross-site' }

type Try = { name: string; status: number; sent: Sent; headers?: Record<string, string | undefined> }

const specOf = ({ route }: Place): FormSpec => {
  assert.equal(route.kind, 'form')
  return (route as Extract<Place['route'], { kind: 'form' }>).spec
}

/** Every way in which this form can arrive wrong, whoever sends it. */
async function wrongWays(place: Place): Promise<Try[]> {
  const spec = specOf(place)
  const { owner, viewer } = shop.people
  const { address } = place
  const { fields: typed, file } = filledIn(spec)
  const tokens = await tokensOf(service, owner, address)
  const foreign = await tokensOf(service, viewer, address)
  const good: Sent = { address, fields: { ...tokens, ...typed }, file }
  const but = (changed: Record<string, string>): Sent => ({ ...good, fields: { ...good.fields, ...changed } })
  return [
    { name: 'from another site', status: 403, sent: good, headers: ELSEWHERE },
    { name: 'from a sister site', status: 403, sent: good, headers: { 'sec-fetch-site': 'same-site' } },
    { name: 'from nowhere', status: 403, sent: good, headers: { 'sec-fetch-site': undefined } },
    { name: 'without its token', status: 403, sent: but({ csrf: '' }) },
    { name: 'of another session', status: 403, sent: but(foreign) },
    ...(spec.once ? wrongTokens(place, but) : []),
    ...wrongFields(spec, but),
  ]
}

function wrongTokens({ address }: Place, but: (changed: Record<string, string>) => Sent): Try[] {
  const place = { sessionId: shop.people.owner.sessionId, address }
  const tokenAt = (where: typeof place, ms: number) => newFormToken(service.gateway.vault, where, ms)
  const now = service.clock.nowMs()
  const old = tokenAt(place, now - 12 * HOUR_MS - 1000)
  assert.deepEqual(keyOfForm(service.gateway.vault, place, { token: old, nowMs: now }), {
    refused: 'expired',
  })
  return [
    { name: 'without its one-time token', status: 403, sent: but({ form: '' }) },
    {
      name: 'of another address',
      status: 403,
      sent: but({ form: tokenAt({ ...place, address: `${address}x` }, now) }),
    },
    { name: 'too old', status: 403, sent: but({ form: old }) },
    { name: 'with a forged token', status: 403, sent: but({ form: `${old.slice(0, -4)}0000` }) },
  ]
}

/** Fields missing, huge or with control characters. What a form does not ask for is not read. */
function wrongFields({ fields }: FormSpec, but: (changed: Record<string, string>) => Sent): Try[] {
  const wanted = fields.filter(
    ({ kind, optional }) => !optional && !['check', 'hidden', 'file'].includes(kind ?? ''),
  )
  const texts = fields.filter(({ kind }) => !['check', 'file'].includes(kind ?? ''))
  return [
    ...wanted.map(({ name }) => ({ name: `without ${name}`, status: 400, sent: but({ [name]: '' }) })),
    ...texts.flatMap(({ name }) => [
      { name: `with a huge ${name}`, status: 400, sent: but({ [name]: 'x'.repeat(200_000) }) },
      { name: `with a control character in ${name}`, status: 400, sent: but({ [name]: 'a\u0000b' }) },
    ]),
  ]
}

function faultIn(reply: Page, { status }: Pick<Try, 'status'>): string | null {
  const says = mainOf(reply)
  if (reply.status !== status && !(reply.status === 400 && says.includes(MEND)))
    return `${reply.status} instead of ${status}: ${says.slice(0, 300)}`
  return SAYS_NOTHING_DONE.test(says) ? null : `does not say that nothing was done: ${says.slice(0, 300)}`
}

test('a form that comes from elsewhere, too late, without its tokens or with wrong fields does nothing and says so', async () => {
  const before = await tableDigests(service)
  const found: string[] = []
  for (const place of formsOf(shop)) {
    for (const { name, sent, headers = {}, status } of await wrongWays(place)) {
      const fault = faultIn(await post(shop.people.owner, sent, headers as Record<string, string>), {
        status,
      })
      if (fault !== null) found.push(`${place.address} ${name}: ${fault}`)
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('a form with a field twice, and one that is too long to be read, does nothing and says so', async () => {
  const before = await tableDigests(service)
  const found: string[] = []
  const { owner } = shop.people
  for (const place of formsOf(shop)) {
    const { fields, file } = filledIn(specOf(place))
    const tokens = await tokensOf(service, owner, place.address)
    const doubled = new URLSearchParams({ ...tokens, ...fields })
    doubled.append(Object.keys(fields)[0] ?? 'csrf', 'again')
    const long = new URLSearchParams({
      ...tokens,
      more: 'x'.repeat((specOf(place).mostFileBytes ?? 0) * 1.3 + 600_000),
    })
    const tries: [string, number, Page][] = [
      ['with a field twice', 400, await owner.post(place.address, doubled)],
      ['that is too long', 413, await owner.post(place.address, long)],
    ]
    if (file !== undefined) tries.push(['with a field twice', 400, await owner.post(place.address, doubled)])
    for (const [name, status, reply] of tries) {
      const fault = faultIn(reply, { status })
      if (fault !== null) found.push(`${place.address} ${name}: ${fault}`)
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(await writtenSince(service, before), [])
})

test('every role may send exactly the forms that the table of actions allows it', async () => {
  const before = await tableDigests(service)
  const found: string[] = []
  const tries = formsOf(shop).flatMap((place) => ROLES.map((role) => ({ place, role })))
  const isAllowed = ({ place, role }: (typeof tries)[number]) => mayDo(role, actionOf(place.route))
  for (const { place, role } of tries.filter((one) => !isAllowed(one))) {
    const reply = await sendForm(service, shop.people[role], {
      address: place.address,
      ...filledIn(specOf(place)),
    })
    if (reply.status !== 403 || !mainOf(reply).includes(refusalOf(role)))
      found.push(`${role} at ${place.address}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
  }
  assert.deepEqual(await writtenSince(service, before), [])
  for (const { place, role } of tries.filter(isAllowed)) {
    // About nothing and with nothing in it: the role is asked first.
    const address =
      place.id === null ? place.address : place.address.replace(encodeURIComponent(place.id), 'none')
    const reply = await sendForm(service, shop.people[role], { address, fields: {} })
    if (mainOf(reply).includes(refusalOf(role)) || (reply.status >= 500 && reply.status !== 502))
      found.push(`${role} at ${address}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
  }
  assert.deepEqual(found, [])
})
