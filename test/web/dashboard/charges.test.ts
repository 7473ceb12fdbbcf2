import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { newCard, payByCard, sumsOf } from '../../helpers/payments/gift-cards.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const LIST = '/dashboard/test/charges'
const ASK = '/dashboard/test/ask'

async function decided(service: TestService) {
  service.pass(3000)
  await service.run('follow-charges')
}

test('a person makes a test charge, sees it under way and then paid, and refunds it', async () => {
  const owner = await signedInAs(service, shop)
  await service.client(shop.keys.test).charge({ amount: 50_000 })
  const asked = await owner.send(await owner.get(ASK), '/ask', {
    amount: '5,000',
    phone: '0700 000 000',
    reference: 'INV-7',
  })
  const sent = { location: asked.location.replace('/ask/', '/charges/') }
  const open = await owner.get(sent.location)
  assert.match(mainOf(open), /UGX 5,000 .*waiting for the PIN/)
  const part = /data-live="([^"]+)"/.exec(open.text)?.[1] ?? ''
  const first = await owner.get(part)
  assert.equal(first.headers.get('x-part'), 'open')
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await owner.get(part, { 'if-none-match': etag })).status, 304)
  await decided(service)
  const final = await owner.get(part, { 'if-none-match': etag })
  assert.deepEqual([final.status, final.headers.get('x-part')], [200, 'final'])
  assert.match(final.text, /succeeded/)
  const paid = await owner.get(sent.location)
  assert.match(mainOf(paid), /Net UGX 4,800/)
  const fields = formOf(paid, '/refund').fields
  const refunded = await owner.send(paid, '/refund')
  assert.match(mainOf(await owner.follow(refunded)), /The charge is refunded\. The payout is on its way\./)
  const again = await owner.post(`${sent.location}/refund`, fields)
  assert.equal(again.location, refunded.location)
  const { body } = await service.client(shop.keys.test).get('/v1/payouts')
  assert.equal(body.data.length, 1)
  const cashier = await signedInAs(service, shop, { role: 'cashier' })
  const seen = await cashier.get(sent.location)
  assert.ok(mainOf(seen).includes(body.data[0].id))
  assert.doesNotMatch(seen.text, /href="[^"]*\/payouts/, 'no link that the cashier may not follow')
})

test('a charge that the rules refuse is refused in their words', async () => {
  const owner = await signedInAs(service, shop)
  const before = await service.digest()
  const page = await owner.get(ASK)
  for (const [typed, says] of [
    [{ amount: '200', phone: '0700000000' }, /fee exceeds amount/],
    [{ amount: '5000', phone: '12345' }, /customer\.phone/],
    [{ amount: '9,999,999,999', phone: '0700000000' }, /amount exceeds the maximum of 1,000,000,000/],
  ] as const) {
    const reply = await owner.send(page, '/ask', { ...typed })
    assert.equal(reply.status, 400)
    assert.match(mainOf(reply), says)
    assert.equal(formOf(reply, '/ask').fields.amount, typed.amount)
  }
  // A refusal by the rules is kept under the key of its form, and nothing else is.
  assert.equal(await service.digest('idempotency_keys'), before)
})

test('a refund asks for the password again when the last time was long ago', async () => {
  const { body: charge } = await service.client(shop.keys.test).charge()
  await decided(service)
  const path = `${LIST}/${charge.id}`
  const owner = await signedInAs(service, shop, { steppedUpMs: 6 * 60_000 })
  const page = await owner.get(path)
  assert.match(mainOf(page), /Your password, to confirm/)
  const reply = await owner.send(page, '/refund', {})
  assert.equal(reply.status, 400)
  assert.match(mainOf(reply), /Confirm with this before anything is done/)
  assert.equal((await service.client(shop.keys.test).get(`/v1/charges/${charge.id}`)).body.status, 'succeeded')
})

test('charges of another merchant and of the other mode are not there', async () => {
  const { body: charge } = await service.client(shop.keys.test).charge()
  const owner = await signedInAs(service, shop)
  const stranger = await signedInAs(service, await service.merchant())
  for (const reply of [
    await stranger.get(`${LIST}/${charge.id}`),
    await owner.get(`/dashboard/charges/${charge.id}`),
    await owner.get(`${LIST}/txn_nothing`),
  ])
    assert.equal(reply.status, 404)
  const fields = formOf(await stranger.get('/dashboard/test'), '/funds').fields
  const refund = await stranger.post(`${LIST}/${charge.id}/refund`, { csrf: fields.csrf ?? '' })
  assert.equal(refund.status, 404)
})

test('filters stand in the address, and a list without charges says what to do', async () => {
  const owner = await signedInAs(service, shop)
  const refunded = mainOf(await owner.get(`${LIST}?status=refunded`))
  assert.match(refunded, /INV-7/)
  assert.doesNotMatch(refunded, /succeeded txn_/)
  assert.match(mainOf(await owner.get(`${LIST}?reference=nothing`)), /No charge fits these filters/)
  assert.equal((await owner.get(`${LIST}?status=lost`)).status, 400)
  const noDay = await owner.get(`${LIST}?from=28/11/2026`)
  assert.equal(noDay.status, 400)
  assert.match(mainOf(noDay), /from must be a day of the calendar, such as 2026-11-28/)
  const newcomer = await signedInAs(service, await service.merchant())
  assert.match(mainOf(await newcomer.get(LIST)), /No charges yet/)
})

test('a charge that a gift card has paid in full has its page for every role, and a person refunds it there', async () => {
  const merchant = await service.merchant({ verified: true })
  const { merchant: found } = await getMerchantNamed(service.gateway, merchant.id)
  const place = { merchantId: found.id, tag: found.tag }
  const { id: cardId } = await newCard(service, place)
  const { id } = await payByCard(service, place, { cardId, amount: 3000, applied: 3000 })
  const path = `/dashboard/charges/${id}`
  for (const role of ['owner', 'developer', 'cashier', 'accountant', 'viewer'] as const) {
    const page = await (await signedInAs(service, merchant, { role })).get(path)
    assert.equal(page.status, 200, `${role}: ${mainOf(page).slice(0, 200)}`)
    assert.match(mainOf(page), /Paid by gift card UGX 3,000/)
    assert.equal(/Nothing is paid out, and it costs nothing/.test(mainOf(page)), role === 'owner' || role === 'cashier')
  }
  const owner = await signedInAs(service, merchant)
  assert.match(mainOf(await owner.get(`/dashboard/ask/${id}`)), /UGX 3,000 by gift card has arrived/)
  const refunded = await owner.follow(await owner.send(await owner.get(path), '/refund'))
  assert.match(mainOf(refunded), /What it had paid is back on the gift card/)
  assert.deepEqual(await sumsOf(service, cardId), [50_000, 0, 0])
})
