import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import { formOf, type Page, untilServed } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startLiveService({
    env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, RATE_LIMIT_REPORTS_DAY: '50', TRUSTED_PROXIES: '1' },
  }),
)
const shop = made(() => payShop(service))
const somebody = visitor(service)
prepare(async () => {
  await service.set(shop.merchant, { webhookUrl: receiver.url })
})

const REPORT = {
  reason: 'not_delivered',
  details: 'Nothing came.\r\n<b>Help</b> 🥚',
  contact: '0772 123 456',
}
const disputesOf = (chargeId: string) =>
  service.rows<any>('select * from disputes where charge_id = $1 order by opened_at', [chargeId])

/** A paid link, and the charge that paid it. */
async function paidLink(): Promise<{ link: string; id: string }> {
  const link = await shop.link({ amount: 10_000, reference: 'order_9' })
  await pay(somebody, link, { phone: newPayer() })
  const { id } = await chargeOn(service, link)
  await succeed(service, id)
  return { link, id }
}
/** Opens the report form from the receipt. */
async function reportForm(link: string): Promise<Page> {
  const receipt = await somebody.get(`/pay/${link}/receipt`)
  const href = /href="([^"]*\/report[^"]*)"/.exec(receipt.text)?.[1] ?? ''
  const form = await somebody.get(href.replaceAll('&amp;', '&'))
  assert.equal(form.status, 200)
  return form
}

test('a customer reports a problem from the receipt; the merchant gets one signed event, and no money moves', async () => {
  const { link, id } = await paidLink()
  await deliverAll(service)
  const before = await service.rows('select count(*) from transfers')
  const form = await reportForm(link)
  const reasons = [...form.text.matchAll(/name="reason" value="([a-z_]+)"/g)].map(([, value]) => value)
  assert.deepEqual(reasons, ['not_delivered', 'wrong_amount', 'double_charge', 'other'])
  const sent = await somebody.send(form, '/report', REPORT)
  assert.equal(sent.location, `/pay/${link}/report?sent=1`)
  assert.equal((await somebody.follow(sent)).status, 200)
  const told = receiver.received.length
  await deliverAll(service)
  const heard = receiver.received.slice(told)
  assert.equal(heard.length, 1)
  const { event, data } = heard[0]?.event ?? {}
  assert.equal(event, 'dispute.opened')
  const says = { id, charge_id: id, mode: 'live', status: 'succeeded', amount: 10_000, payment_link_id: link }
  for (const [name, value] of Object.entries({ ...says, merchant_reference: 'order_9' }))
    assert.equal(data[name], value, name)
  assert.deepEqual(
    [data.reason, data.details, data.contact],
    ['not_delivered', 'Nothing came.\n<b>Help</b> 🥚', '0772 123 456'],
  )
  assert.match(data.dispute_id, /^dsp_[a-z0-9]{21}$/)
  assert.equal(Date.parse(data.respond_by) - Date.parse(data.opened_at), 72 * 3_600_000)
  assert.deepEqual(await service.rows('select count(*) from transfers'), before)
})

test('a second report, and ten at once, get the same answer and are stored once', async () => {
  const { link, id } = await paidLink()
  const form = await reportForm(link)
  const pages = await Promise.all(
    Array.from({ length: 10 }, () => untilServed(() => somebody.send(form, '/report', REPORT))),
  )
  const later = await somebody.send(form, '/report', { ...REPORT, reason: 'other' })
  for (const { location } of [...pages, later]) assert.equal(location, `/pay/${link}/report?sent=1`)
  const stored = await disputesOf(id)
  assert.deepEqual(
    stored.map(({ reason }) => reason),
    ['not_delivered'],
  )
  const told = await service.rows<{ body: string }>(`select body from events where type = 'dispute.opened'`)
  assert.equal(told.filter(({ body }) => body.includes(id)).length, 1)
})

test('a report without a reason, with too long a text or with a card number is shown again as typed; nothing is stored', async () => {
  const { link, id } = await paidLink()
  const form = await reportForm(link)
  const wrong: Record<string, string>[] = [
    { reason: '' },
    { reason: 'fraud' },
    { reason: '__proto__' },
    { details: 'x'.repeat(2001) },
    { details: 'a\0b' },
    { details: 'my card is 4111 1111 1111 1111' },
    { contact: 'c'.repeat(161) },
    { contact: 'one\r\ntwo' },
    { contact: '4111-1111-1111-1111' },
  ]
  for (const fields of wrong) {
    const page = await somebody.send(form, '/report', { ...REPORT, ...fields })
    assert.equal(page.status, 400, JSON.stringify(fields))
    const again = formOf(page, '/report').fields
    if (!('details' in fields)) assert.match(again.details ?? '', /Nothing came/)
    if (!('contact' in fields)) assert.equal(again.contact, REPORT.contact)
    if (!('reason' in fields)) assert.equal(again.reason, REPORT.reason)
  }
  assert.deepEqual(await disputesOf(id), [])
  const longest = { reason: 'other', details: 'é'.repeat(2000), contact: '🥚'.repeat(160) }
  assert.equal((await somebody.send(form, '/report', longest)).status, 302)
  assert.equal((await disputesOf(id))[0].details.length, 2000)
})

test('a link without a payment has no report form: 404, and nothing is stored', async () => {
  const [fresh, failed, open, off] = await Promise.all([shop.testLink(), shop.testLink(), shop.link(), shop.testLink()])
  await pay(somebody, failed, { phone: '0700000001' })
  await sandboxDecides(service)
  await pay(somebody, open, { phone: newPayer() })
  await shop.switchLink(off, 'off')
  const reusable = await shop.testLink({ allow_multiple_uses: true })
  await pay(somebody, reusable, { phone: '0772123456' })
  await sandboxDecides(service)
  const before = await service.digest()
  for (const id of [fresh, failed, open, off, reusable, `${fresh}0`]) {
    assert.equal((await somebody.get(`/pay/${id}/report`)).status, 404, id)
    assert.equal((await somebody.post(`/pay/${id}/report`, REPORT)).status, 404, id)
  }
  assert.equal(await service.digest(), before)
})

test('each payment of a reusable link is reported separately, and a refunded one can be reported too', async () => {
  const link = await shop.testLink({ allow_multiple_uses: true, amount: 20_000 })
  const locations = [
    (await pay(somebody, link, { phone: '0772123456' })).location,
    (await pay(somebody, link, { phone: '0772123457' })).location,
  ]
  await sandboxDecides(service)
  const ids = locations.map((to) => to.split('charge=')[1] ?? '')
  assert.equal((await shop.test.post(`/v1/charges/${ids[0]}/refund`)).status, 202)
  for (const id of ids) {
    const form = await somebody.get(`/pay/${link}/report?charge=${id}`)
    const sent = await somebody.send(form, '/report', REPORT)
    assert.equal(sent.location, `/pay/${link}/report?charge=${id}&sent=1`)
    assert.equal((await somebody.follow(sent)).status, 200)
    assert.equal((await disputesOf(id)).length, 1)
  }
})

test('the shop answers on its dashboard, and the customer reads it on the page of the report and in one mail', async () => {
  const { link, id } = await paidLink()
  const address = 'buyer@mail.example'
  await somebody.send(await reportForm(link), '/report', { ...REPORT, contact: ` ${address} ` })
  const [dispute] = await disputesOf(id)
  const cashier = await signedInAs(service, shop.merchant, { role: 'cashier' })
  const path = `/dashboard/disputes/${dispute.id}`
  const says = '<script>hit=1</script> It was at the gate.\nIt leaves again tomorrow.'
  const page = await cashier.get(path)
  const sent = await cashier.send(page, '/answer', { says })
  assert.equal(sent.location, path)
  // The same form once more, from a phone that has lost the first answer.
  assert.equal((await cashier.send(page, '/answer', { says })).location, path)
  assert.match(mainOf(await cashier.get(path)), /It leaves again tomorrow.*cashier-/)
  assert.match(mainOf(await cashier.get(path)), /^Disputes not delivered answered /)
  for (const end of ['report', 'report?sent=1']) {
    const { text } = await somebody.get(`/pay/${link}/${end}`)
    assert.match(text, /has answered/)
    assert.match(text, /&lt;script>hit=1&lt;\/script> It was at the gate\.<\/p><p dir="auto">It leaves/)
    assert.doesNotMatch(text, /cashier-/)
  }
  const mails = await mailsTo(service, address)
  assert.deepEqual(
    mails.map(({ template, values }) => [template, values.says]),
    [['dispute-answer', says]],
  )
  assert.deepEqual(await service.rows('select says from dispute_answers where dispute_id = $1', [dispute.id]), [
    { says },
  ])
})

test('an answer that says nothing or too much, one to a closed report, and a twenty-first are refused', async () => {
  const { link, id } = await paidLink()
  await somebody.send(await reportForm(link), '/report', REPORT)
  const [dispute] = await disputesOf(id)
  const owner = await signedInAs(service, shop.merchant)
  const answer = async (says: string) =>
    owner.send(await owner.get(`/dashboard/disputes/${dispute.id}`), '/answer', { says })
  const refused = async (says: string, status: number, text: RegExp) => {
    const reply = await answer(says)
    assert.equal(reply.status, status)
    assert.match(mainOf(reply), text)
  }
  await refused('', 400, /Your answer: fill this in/)
  await refused('x'.repeat(2001), 400, /At most 2000 characters/)
  for (let nth = 1; nth <= 20; nth += 1) assert.equal((await answer(`No. ${nth}`)).status, 303)
  await refused('One more', 400, /a report has at most 20 answers: call the customer/)
  const open = await owner.get(`/dashboard/disputes/${dispute.id}`)
  assert.equal((await owner.send(open, '/close', { settled: 'yes' })).status, 303)
  const late = await owner.send(open, '/answer', { says: 'Too late' })
  assert.equal(late.status, 409)
  assert.match(mainOf(late), /this dispute is closed: a closed one stays as it is/)
  assert.deepEqual(
    await service.rows('select count(*)::int from dispute_answers where dispute_id = $1', [dispute.id]),
    [{ count: 20 }],
  )
})

test('another site cannot send a report, and fifty a day are stored for a merchant; the rest is acknowledged', async () => {
  const { link } = await paidLink()
  const evil = visitor(service, { 'sec-fetch-site': 'cross-site' })
  assert.equal((await evil.post(`/pay/${link}/report`, REPORT)).status, 403)
  const busy = await payShop(service)
  const reusable = await busy.testLink({ allow_multiple_uses: true })
  const paid = await Promise.all(
    Array.from({ length: 55 }, () => untilServed(() => pay(visitor(service), reusable, { phone: '0772123456' }))),
  )
  await sandboxDecides(service)
  for (const [at, { location }] of paid.entries()) {
    const address = { 'x-forwarded-for': `10.5.0.${at}` }
    const query = location.split('?')[1]
    const sent = await visitor(service, address).post(`/pay/${reusable}/report?${query}`, REPORT)
    assert.deepEqual([sent.status, sent.location.endsWith('&sent=1')], [302, true], `${at}`)
  }
  const [stored] = await service.rows('select count(*)::int from disputes where merchant_id = $1', [busy.row.id])
  assert.deepEqual(stored, { count: 50 })
})
