import assert from 'node:assert/strict'
import test from 'node:test'
import { deactivateCard } from '../../../src/payments/gift-cards/switch-card.ts'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, succeed } from '../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf, hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { cardNow, chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, pay, statusOf, visitor } from '../../helpers/web/paying-on-pages.ts'

// The examples of contract.md 3 k leave less to the phone than operators usually collect.
const service = openedAndVerified(() => startLiveService({ env: { RAIL_COLLECT_MIN: '1' } }))
const shop = made(() => payShop(service))

/** A link, and a card that a customer has applied to it. */
async function applied(amount: number, value: number) {
  const [link, card, browser] = [await shop.link({ amount }), await shop.card(value), visitor(service)]
  const form = await applyCode(browser, link, card.code)
  return { link, card, browser, form }
}
const retype = (code: string) => code.toLowerCase().replaceAll('-', ' ')

test('a card pays a part and the phone the rest; the charge and its event say so', async () => {
  const { link, card, browser, form } = await applied(10_000, 4000)
  assert.ok(form.text.includes('6,000') && form.text.includes(card.code.slice(-4)))
  assert.match(form.text, /<s>[^<]*10,000<\/s>/)
  assert.ok(!form.text.includes(card.code), 'the code is in no page')
  assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0], 'nothing is set aside before the submit')
  await browser.send(form, '/submit', { phone: newPayer() })
  const { id } = await chargeOn(service, link)
  assert.deepEqual(await cardNow(service, card.id), [0, 4000, 0])
  assert.equal(service.entryOf(id)?.amount, 6000)
  const told = await statusOf(service, link)
  assert.deepEqual([told.amount, told.amount_due], [10_000, 6000])
  await succeed(service, id)
  assert.deepEqual(await cardNow(service, card.id), [0, 0, 4000])
  const { body } = await shop.live.get(`/v1/charges/${id}`)
  const says = { amount: 10_000, gift_card_amount: 4000, fee: 200, net: 5800 }
  for (const [name, value] of Object.entries(says)) assert.equal(body[name], value, name)
  const [event] = await eventsOf(service, id)
  const { data } = JSON.parse(event?.body ?? '')
  for (const [name, value] of Object.entries(says)) assert.equal(data[name], value, name)
  const sums = (await transfersOf(service, id)).map(({ kind, amount }) => [kind, amount])
  assert.deepEqual(sums, [
    ['charge_net', 5800],
    ['charge_fee', 200],
  ])
  const receipt = await browser.get(`/pay/${link}/receipt`)
  for (const sum of ['10,000', '4,000', '6,000']) assert.ok(receipt.text.includes(sum), sum)
})

test('a card that covers everything needs no phone and no operator; the page, the charge and the event follow at once', async () => {
  const { link, card, browser, form } = await applied(5000, 8000)
  assert.ok(form.text.includes('3,000'), 'what stays on the card is said')
  assert.equal(formOf(form, '/submit').fields.phone, undefined)
  const submits = service.operator.submits()
  service.rail.ready('person', 'the operator has closed our account')
  const sent = await browser.send(form, '/submit')
  service.rail.ready('ready')
  assert.equal(sent.location, `/pay/${link}/status`, sent.text)
  assert.equal((await browser.send(form, '/submit')).location, sent.location, 'sent again it is the same')
  const { id } = await chargeOn(service, link)
  assert.equal(service.operator.submits(), submits)
  assert.deepEqual(await cardNow(service, card.id), [3000, 0, 5000])
  const { body } = await shop.live.get(`/v1/charges/${id}`)
  assert.deepEqual(body, {
    id,
    mode: 'live',
    status: 'succeeded',
    amount: 5000,
    fee: 0,
    net: 0,
    gift_card_amount: 5000,
    currency: 'UGX',
    channel: 'op1_momo',
    reference: null,
    rail_reference: null,
    rail_transaction_id: null,
    failure_reason: null,
    payment_link_id: link,
    refund_id: null,
    created_at: body.created_at,
    completed_at: body.created_at,
    refunded_at: null,
    settled: true,
    available_on: body.created_at,
    customer: { phone: body.customer.phone, name: null, email: null },
    metadata: {},
  })
  assert.deepEqual(await transfersOf(service, id), [], 'nothing is posted')
  const [event, ...more] = await eventsOf(service, id)
  assert.deepEqual([event?.type, more.length], ['charge.succeeded', 0])
  const { data } = JSON.parse(event?.body ?? '')
  assert.deepEqual(
    [data.net, data.settled, data.gift_card_amount, data.rail_reference, data.status],
    [0, true, 5000, null, 'succeeded'],
  )
  assert.equal((await browser.get(`/pay/${link}/receipt`)).status, 200)
})

test('if the rest would be too small to pay, the card pays less, and the page says what stays on it', async () => {
  const { link, card, browser, form } = await applied(300, 250)
  assert.ok(form.text.includes('201') && form.text.includes('151'), form.text)
  await browser.send(form, '/submit', { phone: newPayer() })
  const { id } = await chargeOn(service, link)
  assert.deepEqual(await cardNow(service, card.id), [151, 99, 0])
  await succeed(service, id)
  const { body } = await shop.live.get(`/v1/charges/${id}`)
  assert.deepEqual([body.gift_card_amount, body.fee, body.net], [99, 200, 1])
  assert.deepEqual(await cardNow(service, card.id), [151, 0, 99])
})

test('a card is freed by a failure, reserved while the result is unknown, and usable again after a retry', async () => {
  const { link, card, browser, form } = await applied(10_000, 4000)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'reset late' }, phone)
  await browser.send(form, '/submit', { phone })
  const { id } = await chargeOn(service, link)
  assert.deepEqual(await cardNow(service, card.id), [0, 4000, 0], 'in doubt')
  service.operator.refuses(id)
  await followUntilEnded(service, id)
  assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0])
  const again = await browser.follow(await browser.send(await browser.get(`/pay/${link}/status`), '/retry'))
  assert.match(again.text, /10,000/, 'the card is applied by its customer anew')
  await browser.send(await applyCode(browser, link, card.code), '/submit', { phone: newPayer() })
  const second = (await chargesOn(service, link)).find(({ status }) => status === 'authorized')
  assert.equal(second?.card, 4000)
  await succeed(service, second?.id ?? '')
  assert.deepEqual(await cardNow(service, card.id), [0, 0, 4000])
})

test('C8 a card that was spent elsewhere meanwhile: the form is shown again with the new sum, and nothing is charged', async () => {
  const { link, card, browser, form } = await applied(10_000, 4000)
  const other = await shop.link({ amount: 1500 })
  const somebody = visitor(service)
  await somebody.send(await applyCode(somebody, other, card.code), '/submit')
  assert.deepEqual(await cardNow(service, card.id), [2500, 0, 1500])
  const before = await service.digest()
  const changed = await browser.send(form, '/submit', { phone: newPayer() })
  assert.equal(changed.status, 409)
  assert.match(changed.text, /7,500/)
  assert.ok(changed.text.includes(EN.faults.voucher_changed))
  assert.equal(await service.digest(), before)
  const sent = await browser.send(changed, '/submit', { phone: newPayer() })
  assert.equal(sent.location, `/pay/${link}/status`)
  assert.equal((await chargeOn(service, link)).card, 2500)
})

/** Ways in which the sum of an open form changes before it is sent. */
const OVERTAKEN: [string, (at: Awaited<ReturnType<typeof applied>>) => Promise<unknown>][] = [
  ['half an hour has passed', async () => service.pass(31 * 60_000)],
  [
    'the card was taken off in another window',
    async ({ browser, link }) => browser.send(await browser.get(`/pay/${link}`), '/apply-voucher', { remove: '1' }),
  ],
  ['the cookies were cleared', async ({ browser }) => browser.cookies().splice(0)],
  [
    'the card was switched off',
    ({ card }) => deactivateCard(service.app, BY_HAND, { owner: shop.row, cardId: card.id }),
  ],
]
for (const [what, happens] of OVERTAKEN)
  test(`C8 a form that showed a card does not charge the full amount when ${what}: it is shown again with the sum`, async () => {
    const at = await applied(10_000, 4000)
    const { link, browser, form } = at
    await happens(at)
    const before = await service.digest()
    const changed = await browser.send(form, '/submit', { phone: newPayer() })
    assert.equal(changed.status, 409)
    assert.ok(changed.text.includes(EN.faults.voucher_lost), changed.text)
    assert.doesNotMatch(changed.text, /There is less on the gift card/)
    assert.equal(await service.digest(), before)
    await browser.send(changed, '/submit', { phone: newPayer() })
    assert.deepEqual((await chargeOn(service, link)).card, 0)
  })

test('C8 when the page is opened again it says that a card which was switched off no longer counts', async () => {
  const { link, card, browser } = await applied(10_000, 4000)
  await deactivateCard(service.app, BY_HAND, { owner: shop.row, cardId: card.id })
  const page = await browser.get(`/pay/${link}`)
  assert.ok(page.text.includes(EN.faults.voucher_lost) && page.text.includes('10,000'))
  assert.equal((await browser.get(`/pay/${link}`)).text.includes(EN.faults.voucher_lost), false, 'once')
})

test('C8 a card that pays more than was shown is not reported as holding less', async () => {
  // The rest of 5100 must be payable by phone, so a little stays on the card.
  const [other, card] = [await shop.link({ amount: 5100 }), await shop.card(5000)]
  const link = await shop.link({ amount: 10_000 })
  const [browser, somebody] = [visitor(service), visitor(service)]
  await somebody.send(await applyCode(somebody, other, card.code), '/submit', { phone: newPayer() })
  const form = await applyCode(browser, link, card.code)
  assert.match(form.text, /9,899/)
  const { id } = await chargeOn(service, other)
  service.operator.refuses(id, 'PAYER_NOT_ALLOWED')
  await followUntilEnded(service, id)
  const changed = await browser.send(form, '/submit', { phone: newPayer() })
  assert.deepEqual([changed.status, changed.text.includes(EN.faults.voucher_changed)], [409, true])
  assert.match(changed.text, /Pay UGX 5,000/)
  assert.doesNotMatch(changed.text, /There is less on the gift card/)
})

test('a form without a card is not paid by a card that was applied in another window', async () => {
  const [link, card, browser] = [await shop.link({ amount: 10_000 }), await shop.card(4000), visitor(service)]
  const form = await browser.get(`/pay/${link}`)
  await applyCode(browser, link, card.code)
  assert.equal((await browser.send(form, '/submit', { phone: newPayer() })).status, 409)
  assert.deepEqual(await chargesOn(service, link), [])
})

test('a code sent with the form itself pays, however it is typed; an unusable one charges nothing', async () => {
  const [link, card] = [await shop.link({ amount: 10_000 }), await shop.card(4000)]
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  const phone = newPayer()
  for (const voucher of ['AAAA-BBBB-CCCC', '%00', 'x'.repeat(500), `${card.code}A`, '<b>', '\0']) {
    const page = await browser.send(form, '/submit', { phone, voucher })
    assert.deepEqual([page.status, formOf(page, '/submit').fields.phone], [400, phone], voucher)
  }
  assert.deepEqual(await chargesOn(service, link), [])
  const sent = await browser.send(form, '/submit', { phone, voucher: retype(card.code) })
  assert.equal(sent.location, `/pay/${link}/status`)
  assert.deepEqual(await cardNow(service, card.id), [0, 4000, 0])
  const again = await browser.send(form, '/submit', { phone, voucher: retype(card.code) })
  assert.equal(again.location, sent.location, 'a second click finds the payment, not an empty card')
})

test('a card can be removed again, and is forgotten when it has paid', async () => {
  const { link, browser, form } = await applied(10_000, 4000)
  const bare = await browser.follow(await browser.send(form, '/apply-voucher', { remove: '1' }))
  assert.ok(hasForm(bare, '/apply-voucher'))
  assert.equal(formOf(bare, '/apply-voucher').fields.code, '')
  await browser.send(bare, '/submit', { phone: newPayer() })
  assert.equal((await chargeOn(service, link)).card, 0)
  const reusable = await shop.link({ amount: 1000, allow_multiple_uses: true })
  const card = await shop.card(5000)
  await browser.send(await applyCode(browser, reusable, card.code), '/submit')
  await pay(browser, reusable)
  assert.deepEqual(
    (await chargesOn(service, reusable)).map((charge) => charge.card),
    [1000, 0],
  )
})
