import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs, tillOf } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const shop = made(() => service.shop())
const ASK = '/dashboard/ask'
const HOUR_MS = 3_600_000
const lookups = () => service.operator.journal.filter(({ what }) => what === 'lookup').length
const ask = async (person: Planted, phone: string, at = ASK) =>
  person.send(await person.get(at), '/ask', { amount: '25,000', phone, reference: 'two sacks' })
const idOf = (location: string) => location.split('/').at(-1) ?? ''

test('the first name of the holder stands beside the amount before the prompt, one tap asks, and nothing of it is kept', async () => {
  for (const person of [
    await signedInAs(service, shop.merchant),
    await signedInAs(service, shop.merchant, { role: 'cashier' }),
    await tillOf(service, shop.merchant),
  ]) {
    const phone = newPayer()
    service.operator.holds(phone, { active: true, name: 'AMINA NAKATO' })
    const [before, prompts] = [await service.digest('address_windows'), service.operator.submits()]
    const seen = await ask(person, phone)
    assert.equal(seen.status, 200)
    assert.match(mainOf(seen), /Amina: is this right\? UGX 25,000 from 07\d\d \d{3} \d{3} .*Nothing has been sent yet/)
    assert.doesNotMatch(seen.text, /nakato/i)
    assert.deepEqual([await service.digest('address_windows'), service.operator.submits()], [before, prompts])
    const [one, two] = await Promise.all([person.send(seen, '/ask'), person.send(seen, '/ask')])
    assert.deepEqual([one.status, one.location], [303, two.location])
    assert.equal(service.operator.submits(), prompts + 1)
    const { amount, phone: asked } = service.entryOf(idOf(one.location)) ?? {}
    assert.deepEqual([amount, asked], [25_000, phone])
    await succeed(service, idOf(one.location))
  }
})

test('a wrong name leads back to the form with what was typed, and a name with markup is text', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const phone = newPayer()
  service.operator.holds(phone, { active: true, name: '<script>alert(1)</script>' })
  const seen = await ask(owner, phone)
  assert.match(seen.text, /&lt;script>alert\(1\)&lt;\/script>/)
  const back = /<a class="button plain" href="([^"]*)"/.exec(seen.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const { amount, phone: typed, reference } = formOf(await owner.get(back), '/ask').fields
  assert.deepEqual([amount, typed, reference], ['25,000', phone, 'two sacks'])
  const changed = await owner.send(seen, '/ask', { phone: newPayer() })
  assert.match(mainOf(changed), /is this right\?/, 'the answer was about another number')
})

test('without a name the prompt goes out at once: none known, no wallet, an operator that fails or is silent', async () => {
  const owner = await signedInAs(service, shop.merchant)
  for (const holder of [
    { active: true, name: null },
    { active: true, name: ' ' },
    { active: false, name: null },
  ]) {
    const phone = newPayer()
    service.operator.holds(phone, holder)
    assert.equal((await ask(owner, phone)).status, 303)
  }
  for (const answer of ['error', 'garbage', 'reset', 'silence'] as const) {
    service.operator.onLookup({ answer })
    const startedMs = performance.now()
    assert.equal((await ask(owner, newPayer())).status, 303, answer)
    assert.ok(performance.now() - startedMs < 6000, answer)
  }
  service.operator.onLookup({ answer: 'book' })
})

test('nothing is asked in test mode, and of a number that is refused', async () => {
  const owner = await signedInAs(service, shop.merchant)
  const before = lookups()
  assert.equal((await ask(owner, '0700000000', '/dashboard/test/ask')).status, 303)
  for (const phone of ['12', '0414123456', '0702123456']) assert.equal((await ask(owner, phone)).status, 400)
  const viewer = await signedInAs(service, shop.merchant, { role: 'viewer' })
  const { fields } = formOf(await owner.get(ASK), '/ask')
  assert.equal((await viewer.post(ASK, { ...fields, amount: '5000', phone: newPayer() })).status, 403)
  assert.equal(lookups(), before)
})

test('a business that may not be paid yet, or not any more, is told no names', async () => {
  for (const [how, says] of [
    [{ kycStatus: 'pending' }, /require a verified business/],
    [{ active: false }, /merchant is not active/],
  ] as const) {
    const { merchant } = await service.shop()
    const owner = await signedInAs(service, merchant)
    await service.set(merchant, how)
    const before = lookups()
    const refused = await ask(owner, newPayer())
    assert.ok(refused.status >= 400, `${refused.status}`)
    assert.match(mainOf(refused), says)
    assert.equal(lookups(), before)
  }
})

test('after 60 names in an hour a business is told no more, another one is, and an hour later it is again', async () => {
  const { merchant } = await service.shop()
  const people = [
    await signedInAs(service, merchant),
    await signedInAs(service, merchant, { role: 'cashier' }),
  ] as const
  const before = lookups()
  for (let nth = 0; nth < 60; nth += 1)
    assert.equal((await ask(nth % 2 === 0 ? people[0] : people[1], newPayer())).status, 200)
  assert.equal((await ask(people[0], newPayer())).status, 303, 'the prompt goes out')
  assert.equal((await ask(people[1], newPayer())).status, 303)
  assert.equal(lookups(), before + 60)
  const other = await signedInAs(service, (await service.shop()).merchant)
  assert.equal((await ask(other, newPayer())).status, 200)
  service.pass(HOUR_MS + 60_000)
  const later = await signedInAs(service, merchant)
  assert.equal((await ask(later, newPayer())).status, 200)
})
