import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormSpec } from '../../../src/web/parts/forms/form-spec.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { inThisRun, inTurn } from '../../helpers/service/parts.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { mayDo, refusalOf } from './whole/allowed.ts'
import { tableDigests, writtenSince } from './whole/digest.ts'
import { filledIn } from './whole/filled-in.ts'
import { actionOf, formsOf, type Place } from './whole/places.ts'
import { post, sendForm, tokensOf } from './whole/send-form.ts'
import { ROLES, wholeShop } from './whole/shop.ts'
import { faultIn, wrongWays } from './whole/wrong-ways.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))

const specOf = ({ route }: Place): FormSpec => {
  assert.equal(route.kind, 'form')
  return (route as Extract<Place['route'], { kind: 'form' }>).spec
}

test('a form that comes from elsewhere, too late, without its tokens or with wrong fields does nothing and says so', async () => {
  const before = await tableDigests(service)
  const found: string[] = []
  const { owner, viewer } = shop.people
  for (const [nth, place] of formsOf(shop).entries()) {
    const { address } = place
    const ways = await wrongWays(service, { spec: specOf(place), address, person: owner, other: viewer })
    for (const { name, sent, headers = {}, status } of inTurn(ways, nth)) {
      const fault = faultIn(await post(owner, sent, headers as Record<string, string>), {
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
  for (const place of inThisRun(formsOf(shop), (_, nth) => nth % 8 === 0)) {
    const { fields, file } = filledIn(specOf(place))
    const tokens = await tokensOf(service, owner, place.address)
    const doubled = new URLSearchParams({ ...tokens, ...fields })
    doubled.append(Object.keys(fields)[0] ?? 'csrf', 'again')
    const long = new URLSearchParams({
      ...tokens,
      more: 'x'.repeat((specOf(place).maxFileBytes ?? 0) * 1.3 + 600_000),
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
  const tries = formsOf(shop).flatMap((place, nth) => inTurn(ROLES, nth).map((role) => ({ place, role })))
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
    const address = place.id === null ? place.address : place.address.replace(encodeURIComponent(place.id), 'none')
    const reply = await sendForm(service, shop.people[role], { address, fields: {} })
    if (mainOf(reply).includes(refusalOf(role)) || (reply.status >= 500 && reply.status !== 502))
      found.push(`${role} at ${address}: ${reply.status} ${mainOf(reply).slice(0, 200)}`)
  }
  assert.deepEqual(found, [])
})
