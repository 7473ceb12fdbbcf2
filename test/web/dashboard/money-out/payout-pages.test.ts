import assert from 'node:assert/strict'
import test from 'node:test'
import type { CreatedMerchant } from '../../../../src/merchants/account/create-merchant.ts'
import { freezeAccount } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { formatPhone } from '../../../../src/platform/text/phone.ts'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, hasForm, type Page } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const BASE = '/dashboard/payouts'

/** The two steps of a payout; answers the page after the last one. */
async function payBy(person: Planted, fields: Record<string, string>, base = BASE): Promise<Page> {
  const checked = await person.step(await person.get(`${base}/new`), `${base}/check`, fields)
  assert.equal(checked.status, 200, mainOf(checked))
  const end = checked.forms.find(({ action }) => /\/(?:send|prepare)$/.test(action))?.action ?? ''
  const sent = await person.send(checked, end)
  return sent.status === 303 ? person.follow(sent) : sent
}

const people = async (merchant: CreatedMerchant) => ({
  anna: await signedInAs(service, merchant),
  ben: await signedInAs(service, merchant),
  books: await signedInAs(service, merchant, { role: 'accountant' }),
})

test('an owner checks whose wallet it is, sends the money, and follows it without script', async () => {
  const { merchant, live } = await richShop(service)
  const { anna } = await people(merchant)
  const phone = newPayer()
  service.operator.holds(phone, { active: true, name: 'OKOT JAMES' })
  const empty = await anna.get(BASE)
  assert.match(mainOf(empty), /No payouts yet/)
  const step = await anna.step(await anna.get(`${BASE}/new`), '/check', {
    ...{ phone, amount: '20,000', name: 'James', reference: 'rent' },
  })
  assert.match(mainOf(step), /OKOT JAMES/)
  assert.match(mainOf(step), /Leaves your balance UGX 20,300/)
  const sent = await anna.send(step, '/send')
  assert.equal(sent.status, 303, mainOf(sent))
  const shown = await anna.follow(sent)
  assert.match(mainOf(shown), /The payout is on its way/)
  assert.match(mainOf(shown), /It is under way/)
  assert.match(shown.text, /http-equiv="refresh"/)
  const [payout] = (await live.get('/v1/payouts')).body.data
  assert.deepEqual([payout.amount, payout.reference, payout.recipient_phone], [20_000, 'rent', phone])
  const part = await anna.get(`${BASE}/${payout.id}?part=story`)
  assert.equal(part.headers.get('x-part'), 'open')
  assert.match((await anna.get(`${BASE}?phone=${phone}`)).text, new RegExp(payout.id))
  assert.match(mainOf(await anna.get(`${BASE}?status=failed`)), /No payout fits these filters/)
  const again = await anna.send(step, '/send')
  assert.equal(again.location, sent.location, 'the same form again leads to the same payout')
  assert.equal((await live.get('/v1/payouts')).body.data.length, 1)
})

test('a number without a wallet stops before the money; without an answer the person is told to look twice', async () => {
  const { merchant } = await richShop(service)
  const { anna } = await people(merchant)
  const phone = newPayer()
  service.operator.holds(phone, { active: false, name: null })
  const step = await anna.step(await anna.get(`${BASE}/new`), '/check', { phone, amount: '5000' })
  assert.equal(step.status, 400)
  assert.match(mainOf(step), /This phone has no active wallet/)
  service.operator.onLookup({ answer: 'error' })
  const unasked = await anna.step(step, '/check', { phone: newPayer(), amount: '5000' })
  assert.match(mainOf(unasked), /The operator does not say now whose wallet it is/)
  service.operator.onLookup({ answer: 'book' })
})

test('each step is a page of its own, so that a step back asks to send nothing again, and nobody else can open it', async () => {
  const { merchant } = await richShop(service)
  const { anna, ben } = await people(merchant)
  const typed = { phone: newPayer(), amount: '5,000', name: 'Okot' }
  const checked = await anna.send(await anna.get(`${BASE}/new`), '/check', typed)
  assert.equal(checked.status, 303)
  assert.match(checked.location, /^\/dashboard\/payouts\/check\?step=[\w-]+$/)
  assert.ok(!checked.location.includes(typed.phone))
  for (const again of [await anna.get(checked.location), await anna.get(checked.location)])
    assert.match(mainOf(again), /HOLDER OF .*Okot.*Send the money/)
  for (const [person, address] of [
    [ben, checked.location],
    [anna, `${BASE}/check`],
    [anna, checked.location.replace('/payouts/check', '/payroll/check')],
    [anna, checked.location.replace('/dashboard/', '/dashboard/test/')],
    [anna, `${checked.location.slice(0, -4)}AAAA`],
  ] as const)
    assert.ok(!hasForm(await person.get(address), '/send'), address)
  service.pass(25 * 60_000)
  assert.ok(hasForm(await anna.get(checked.location), '/send'))
  service.pass(25 * 60_000)
  await anna.get(BASE)
  service.pass(15 * 60_000)
  assert.ok(!hasForm(await anna.get(checked.location), '/send'), 'after an hour')
})

test('refusals stand where they belong, with what was typed, and nothing is written', async () => {
  const { merchant } = await richShop(service, 10_000)
  const { anna } = await people(merchant)
  const form = await anna.get(`${BASE}/new`)
  const before = await service.digest()
  const bad = await anna.step(form, '/check', { phone: 'nobody', amount: '5000', reference: 'r1' })
  assert.equal(bad.status, 400)
  assert.match(mainOf(bad), /recipient.phone is not a valid phone number/)
  assert.equal(formOf(bad, '/check').fields.reference, 'r1')
  assert.equal(await service.digest(), before)
})

test('what cannot be sent is refused at the first step, before the operator is asked and the password given', async () => {
  const { merchant } = await richShop(service, 10_000)
  const { anna, books } = await people(merchant)
  const phone = newPayer()
  const lookups = () =>
    service.operator.journal.filter(({ what, reference }) => what === 'lookup' && reference === phone).length
  for (const person of [anna, books])
    for (const [amount, says] of [
      ['0', /amount must be positive/],
      ['0,000', /amount must be positive/],
      ['10,000', /insufficient available balance: have 10,000, need 10,200/],
      ['9,999,999,999', /amount exceeds the maximum of 1,000,000,000/],
    ] as const) {
      const refused = await person.step(await person.get(`${BASE}/new`), '/check', { phone, amount })
      assert.equal(refused.status, 400, amount)
      assert.match(mainOf(refused), says)
      const { fields } = formOf(refused, '/check')
      assert.deepEqual([fields.amount, fields.phone], [amount, phone])
    }
  const { app, merchant: found } = await getMerchantNamed(service.gateway, merchant.id)
  const freeze = (reason: string | null) => freezeAccount(app, BY_HAND, { merchantId: found.id, reason })
  await freeze('chargebacks at a partner')
  const frozen = await anna.step(await anna.get(`${BASE}/new`), '/check', { phone, amount: '5000' })
  assert.ok(frozen.status >= 400, mainOf(frozen))
  assert.match(mainOf(frozen), /Nothing was done\. payouts are paused on this account/)
  await freeze(null)
  assert.equal(lookups(), 0)
  const open = await anna.step(await anna.get(`${BASE}/new`), '/check', { phone, amount: '5000' })
  assert.equal(open.status, 200, mainOf(open))
  assert.equal(lookups(), 1)
})

test('money that left between the two steps is missed at the second one, and nothing is written', async () => {
  const { merchant } = await richShop(service, 20_000)
  const { anna } = await people(merchant)
  const step = await anna.step(await anna.get(`${BASE}/new`), '/check', {
    phone: newPayer(),
    amount: '10,000',
  })
  await payBy(anna, { phone: newPayer(), amount: '15,000' })
  const before = await service.digest('idempotency_keys')
  const poor = await anna.send(step, '/send')
  assert.equal(poor.status, 400)
  assert.match(mainOf(poor), /insufficient available balance: have 4,775, need 10,200/)
  assert.equal(await service.digest('idempotency_keys'), before)
})

test('an accountant prepares, an owner looks at it and approves; a third page shows who did what', async () => {
  const { merchant, live } = await richShop(service)
  const { anna, ben, books } = await people(merchant)
  const phone = newPayer()
  const prepared = await payBy(books, { phone, amount: '7,000', name: 'Grace', note: 'for the roof' })
  assert.match(mainOf(prepared), /The payout is prepared/)
  assert.match(mainOf(prepared), /You prepared this\. A second person must approve it/)
  assert.deepEqual(
    prepared.forms
      .map(({ action }) => action.split('/').at(-1))
      .filter((end) => end !== 'sign-out' && end !== 'search'),
    ['withdraw'],
  )
  assert.match(mainOf(await ben.get(BASE)), /1 prepared payout waits for a second person/)
  assert.match(mainOf(await ben.get('/dashboard')), /Needs you.*1 prepared payout waits for a second person/)
  const id = /prep_\w+/.exec(prepared.text)?.[0] ?? ''
  const seen = await anna.get(`${BASE}/prepared/${id}`)
  for (const word of ['Grace', formatPhone(phone), 'for the roof', books.email])
    assert.ok(mainOf(seen).includes(word), word)
  const done = await anna.follow(await anna.send(seen, '/approve'))
  assert.match(mainOf(done), /Approved\. The money is on its way/)
  for (const word of [books.email, anna.email]) assert.ok(mainOf(done).includes(word), word)
  const late = await ben.send(seen, '/approve').catch(() => null)
  assert.ok(late === null || late.status === 403 || late.status === 409, 'a form of another session is refused')
  const again = await ben.get(`${BASE}/prepared/${id}`)
  assert.doesNotMatch(again.text, /\/approve[#"]/)
  assert.equal((await live.get('/v1/payouts')).body.data.length, 1)
  const list = mainOf(await ben.get(`${BASE}/prepared?status=approved`))
  assert.match(list, /approved/)
})

test('a rejection tells its reason, and a prepared payout is withdrawn by whoever made it', async () => {
  const { merchant } = await richShop(service)
  const { anna, books } = await people(merchant)
  const idOf = (page: Page) => /prep_\w+/.exec(page.text)?.[0] ?? ''
  const first = await payBy(books, { phone: newPayer(), amount: '600' })
  const seen = await anna.get(`${BASE}/prepared/${idOf(first)}`)
  const rejected = await anna.follow(await anna.send(seen, '/reject', { reason: 'paid in cash' }))
  assert.match(mainOf(rejected), /Rejected\. Nothing was sent\..*paid in cash/)
  const second = await payBy(books, { phone: newPayer(), amount: '600' })
  const withdrawn = await books.follow(await books.send(second, '/withdraw'))
  assert.match(mainOf(withdrawn), /Withdrawn\. Nothing was sent/)
})

test('another merchant, the other mode and made-up ids are 404; roles that may not send see no form', async () => {
  const { merchant, live } = await richShop(service)
  const { anna, books } = await people(merchant)
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  await payBy(anna, { phone: newPayer(), amount: '600' })
  const [payout] = (await live.get('/v1/payouts')).body.data
  const prepared = /prep_\w+/.exec((await payBy(books, { phone: newPayer(), amount: '600' })).text)?.[0] ?? ''
  const paths = [`/${payout.id}`, `/prepared/${prepared}`]
  for (const path of paths) {
    assert.equal((await anna.get(`${BASE}${path}`)).status, 200, path)
    assert.equal((await stranger.get(`${BASE}${path}`)).status, 404, path)
    assert.equal((await anna.get(`/dashboard/test/payouts${path}`)).status, 404, path)
  }
  assert.equal((await anna.get(`${BASE}/pout_nothing`)).status, 404)
  for (const role of ['developer', 'cashier', 'viewer'] as const) {
    const other = await signedInAs(service, merchant, { role })
    assert.equal((await other.get(`${BASE}/new`)).status, 403, role)
    assert.doesNotMatch((await other.get(`${BASE}/prepared/${prepared}`)).text, /\/(?:approve|reject|withdraw)[#"]/)
    assert.doesNotMatch((await other.get(BASE)).text, /payouts\/new/)
  }
})

test('test mode sends test money to the sandbox’s numbers', async () => {
  const merchant = await service.merchant()
  const { anna } = await people(merchant)
  const home = await anna.get('/dashboard/test')
  await anna.send(home, '/funds', { amount: '50,000' })
  const page = await payBy(anna, { phone: '0700000000', amount: '5,000' }, '/dashboard/test/payouts')
  assert.match(mainOf(page), /The payout is on its way/)
  service.pass(3000)
  await service.run('send-payouts')
  const id = /pout_\w+/.exec(page.text)?.[0] ?? ''
  assert.match(mainOf(await anna.get(`/dashboard/test/payouts/${id}`)), /succeeded/)
})
