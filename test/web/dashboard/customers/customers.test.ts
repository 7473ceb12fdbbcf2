import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const BASE = '/dashboard/test/customers'

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

test('a customer is met by number: what was paid and for what, how to reach the person, from every payment', async () => {
  const api = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  const phone = newPayer()
  const { body: link } = await api.post('/v1/payment-links', { amount: 4000, description: 'Iron sheets' })
  const { body: charge } = await api.charge({ amount: 10_000, reference: 'Cement', customer: { phone } })
  await api.charge({ amount: 700, customer: { phone: newPayer() } })
  await decided()
  assert.equal(link.amount, 4000)
  const list = await owner.get(BASE)
  assert.ok(list.text.includes(`href="${BASE}/${phone}"`))
  assert.match(mainOf(list), /1 paid of 1 UGX 10,000/)
  const page = await owner.get(`${BASE}/${phone}`)
  assert.match(mainOf(page), /UGX 10,000 in 1 payment .*Cement UGX 10,000/)
  for (const way of [`href="tel:+${phone}"`, `href="https://wa.me/${phone}"`, '/ask?phone=0'])
    assert.ok(page.text.includes(way), way)
  assert.ok((await owner.get(`/dashboard/test/charges/${charge.id}`)).text.includes(`href="${BASE}/${phone}"`))
  const ask = await owner.get(/href="([^"]*\/ask\?phone=[^"]*)"/.exec(page.text)?.[1] ?? '')
  assert.match(ask.text, /name="phone"[^>]*value="0\d{3} \d{3} \d{3}"|value="0\d{3} \d{3} \d{3}"[^>]*name="phone"/)
})

test('a name and a note are kept as text, found by a part, and forgotten on request; the payments stay', async () => {
  const api = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const phone = newPayer()
  await api.charge({ amount: 2500, customer: { phone } })
  const note = 'Pays on Fridays.\n<script>alert(1)</script> \u202egnol'
  const kept = await cashier.send(await cashier.get(`${BASE}/${phone}`), '/note', { name: 'Akello\u202e Grace', note })
  assert.equal(kept.status, 303, mainOf(kept))
  const page = await owner.get(`${BASE}/${phone}`)
  assert.doesNotMatch(page.text, /<script>alert/)
  assert.match(mainOf(page), /Akello Grace/)
  for (const part of ['akello', phone.slice(-6), `0${phone.slice(3, 9)}`])
    assert.ok((await owner.get(`${BASE}?part=${part}`)).text.includes(`${BASE}/${phone}"`), part)
  assert.match(mainOf(await owner.get(`${BASE}?part=nobody`)), /Nobody here has this number or name/)
  const file = await owner.send(page, '/export')
  const data = JSON.parse(file.text)
  assert.deepEqual([data.name, data.payments.length, data.payments[0].amount], ['Akello Grace', 1, 2500])
  const long = await owner.send(page, '/note', { name: 'x'.repeat(101), note: 'y'.repeat(2001) })
  assert.equal(long.status, 400)
  const gone = await owner.follow(await owner.send(page, '/forget'))
  assert.match(mainOf(gone), /The name and the note are forgotten/)
  assert.doesNotMatch(gone.text, /Akello|Fridays/)
  assert.equal((await service.rows('select 1 from customers where phone = $1', [phone])).length, 0)
  assert.equal((await api.get(`/v1/charges?phone=${phone}`)).body.data.length, 1)
  const acts = await service.rows<{ action: string; after: unknown }>(
    `select action, after from audit where action like 'customer.%' order by id`,
  )
  assert.deepEqual(
    acts.map(({ action }) => action),
    ['customer.set', 'customer.forget'],
  )
  assert.ok(
    acts.every(({ after }) => after === null),
    'the audit does not keep what was written',
  )
})

test('a customer is of one shop and one mode, and only owners and cashiers write', async () => {
  const api = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  const other = await signedInAs(service, await service.merchant())
  const phone = newPayer()
  await api.charge({ amount: 2500, customer: { phone } })
  assert.equal((await owner.get(`${BASE}/${phone}`)).status, 200)
  for (const [person, address] of [
    [other, `${BASE}/${phone}`],
    [owner, `/dashboard/customers/${phone}`],
    [owner, `${BASE}/25677`],
    [owner, `${BASE}/0772123456%27--`],
    [owner, `${BASE}/${newPayer()}`],
  ] as const)
    assert.equal((await person.get(address)).status, 404, address)
  const { csrf = '' } =
    (await owner.get(`${BASE}/${phone}`)).forms.find(({ action }) => action.includes('/note'))?.fields ?? {}
  const nobody = `${BASE}/${newPayer()}`
  assert.equal((await owner.post(`${nobody}/note`, { csrf, name: 'A', note: '' })).status, 404)
  for (const role of ['developer', 'accountant', 'viewer'] as const) {
    const person = await signedInAs(service, shop, { role })
    const page = await person.get(`${BASE}/${phone}`)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /\/(?:note|forget)[#"]/, role)
  }
})
