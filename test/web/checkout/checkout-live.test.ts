import assert from 'node:assert/strict'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, succeed } from '../../helpers/payments/following-charges.ts'
import { eventually, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { formOf, hasForm } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, statusOf, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))

test('a customer of a live link pays at the operator: one prompt, one credit, one event', async () => {
  const link = await shop.link({ amount: 20_000, reference: 'order_1' })
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  assert.ok(hasForm(form, '/apply-voucher'), 'a live link takes gift cards')
  for (const channel of ['op2_money', 'card']) assert.ok(!form.text.includes(`value="${channel}"`))
  const phone = newPayer()
  const sent = await browser.send(form, '/submit', { phone })
  assert.equal(sent.location, `/pay/${link}/status`)
  const { id } = await chargeOn(service, link)
  const entry = service.entryOf(id)
  assert.deepEqual([entry?.amount, entry?.phone, entry?.external_id], [20_000, phone, id])
  assert.equal((await statusOf(service, link)).status, 'authorized')
  await succeed(service, id)
  assert.equal((await statusOf(service, link)).status, 'succeeded')
  assert.deepEqual(await transfersOf(service, id), [
    { kind: 'charge_net', amount: 19_700, mode: 'live' },
    { kind: 'charge_fee', amount: 300, mode: 'live' },
  ])
  const [event, ...more] = await eventsOf(service, id)
  assert.deepEqual([event?.type, more.length], ['charge.succeeded', 0])
  const { data } = JSON.parse(event?.body ?? '')
  assert.deepEqual(
    [data.payment_link_id, data.merchant_reference, data.amount, data.fee],
    [link, 'order_1', 20_000, 300],
  )
  assert.equal((await shop.live.get('/v1/charges?reference=order_1&limit=1')).body.data[0].id, id)
})

test('a link that is paid through a machine whose clock is two seconds behind breaks nothing', async () => {
  const link = await shop.link({ amount: 20_000 })
  service.pass(-2000)
  const browser = visitor(service)
  await browser.send(await browser.get(`/pay/${link}`), '/submit', { phone: newPayer() })
  const { id } = await chargeOn(service, link)
  const [times] = await service.rows<{ before: boolean }>(
    'select c.created_at < l.created_at as before from charges c join payment_links l on l.id = c.payment_link_id where c.id = $1',
    [id],
  )
  assert.equal(times?.before, true)
  await service.verify()
  service.pass(2000)
  await succeed(service, id)
})

test('a card or an unknown way to pay on a live link is refused with the form; nothing is charged', async () => {
  const link = await shop.link()
  const before = await service.digest()
  for (const channel of ['card', 'op2_money', 'op3', '', 'OP1_MOMO', '__proto__'])
    for (const token of ['', formOf(await visitor(service).get(`/pay/${link}`), '/submit').fields.token ?? '']) {
      const page = await visitor(service).post(`/pay/${link}/submit`, { channel, token, phone: newPayer() })
      assert.deepEqual([page.status, hasForm(page, '/submit')], [400, true], channel)
    }
  assert.equal(await service.digest(), before)
})

test('if the operator refuses this payer the payment ends at once, and can be tried again', async () => {
  const link = await shop.link()
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'refuse' }, phone)
  const browser = visitor(service)
  const sent = await pay(browser, link, { phone })
  const failed = await browser.follow(sent)
  assert.ok(hasForm(failed, '/retry'))
  const told = await statusOf(service, link)
  assert.deepEqual([told.status, told.failure_reason], ['failed', 'rail_rejected'])
  await browser.send(failed, '/retry')
  assert.equal((await pay(browser, link)).location, `/pay/${link}/status`)
  assert.equal((await statusOf(service, link)).status, 'authorized')
})

test('an ambiguous answer keeps the link and never counts as failed, until the operator says what became of it', async () => {
  for (const ends of ['succeeded', 'failed'] as const) {
    const link = await shop.link()
    const phone = newPayer()
    service.operator.onSubmit({ answer: 'reset late' }, phone)
    const browser = visitor(service)
    assert.equal((await pay(browser, link, { phone })).location, `/pay/${link}/status`)
    const { id } = await chargeOn(service, link)
    assert.equal((await statusOf(service, link)).status, 'authorized')
    assert.equal((await browser.post(`/pay/${link}/retry`, {})).location, `/pay/${link}/status`)
    assert.equal((await pay2(link)).location, `/pay/${link}/status`, 'another customer sees it too')
    if (ends === 'succeeded') service.operator.pays(id)
    else service.operator.refuses(id, 'EXPIRED')
    await followUntilEnded(service, id)
    assert.equal((await statusOf(service, link)).status, ends)
    await chargeOn(service, link)
  }
})
const pay2 = (link: string) => visitor(service).post(`/pay/${link}/submit`, { channel: 'op1_momo', phone: newPayer() })

test('while a slow operator has not answered, everybody else sees the waiting page and no second prompt is sent', async () => {
  const link = await shop.link()
  const phone = newPayer()
  const slow = gate()
  service.operator.onSubmit({ answer: 'accept', until: slow.opened }, phone)
  const browser = visitor(service)
  const form = await browser.get(`/pay/${link}`)
  const first = browser.send(form, '/submit', { phone })
  await eventually('the charge is stored', async () => (await chargesOn(service, link)).length === 1)
  assert.equal((await browser.send(form, '/submit', { phone })).location, `/pay/${link}/status`)
  const waiting = await browser.get(`/pay/${link}/status`)
  assert.deepEqual([waiting.status, hasForm(waiting, '/retry')], [200, false])
  assert.equal((await browser.post(`/pay/${link}/retry`, {})).location, `/pay/${link}/status`)
  slow.open()
  assert.equal((await first).location, `/pay/${link}/status`)
  const { id } = await chargeOn(service, link)
  assert.equal([...service.operator.book.values()].filter((entry) => entry.phone === phone).length, 1)
  await succeed(service, id)
})

longTest(
  'if the operator answers after the customer was redirected, the payment waits and ends as the operator says',
  async () => {
    const link = await shop.link()
    const phone = newPayer()
    const slow = gate()
    service.operator.onSubmit({ answer: 'refuse to serve', until: slow.opened }, phone)
    const sent = await pay(visitor(service), link, { phone })
    assert.equal(sent.location, `/pay/${link}/status`, 'five seconds are enough to wait')
    assert.equal((await statusOf(service, link)).status, 'authorized')
    slow.open()
    await eventually('it is told', async () => (await statusOf(service, link)).status === 'failed')
    assert.equal((await chargeOn(service, link)).voided_at, null)
  },
)

test('in the end customers paid exactly what the operator moved', async () => {
  const moved = [...service.operator.movements().values()]
  assert.ok(moved.length > 0 && moved.every((times) => times === 1))
  const sum = [...service.operator.book.values()]
    .filter(({ state }) => state === 'moved')
    .reduce((total, { amount }) => total + amount, 0)
  const [row] = await service.rows<{ paid: number; net: number }>(
    `select sum(amount - gift_card_amount)::int as paid, sum(amount - gift_card_amount - fee)::int as net
     from charges where status = 'succeeded'`,
  )
  const { available, pending } = await balanceOf(shop.live)
  assert.deepEqual([row?.paid, row?.net], [sum, available + pending])
})
