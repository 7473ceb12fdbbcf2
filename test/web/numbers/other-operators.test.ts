import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rail } from '../../../src/rails/rail.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { contractOf } from '../../helpers/service/http-rail.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, formOf, type Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { signedInAs, tillOf } from '../../helpers/web/dashboard.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startPayingService())
/** An operator that takes every prompt and never ends it. */
const takes = (id: string): Rail => {
  const evidence = { at: new Date(0), operation: 'submit', elapsedMs: 0, stage: 'answered' } as const
  return {
    ...{ name: id, simulated: false },
    installations: [{ ...contractOf(id), sides: ['collect'] }],
    collect: {
      submit: async () => ({ kind: 'accepted', repeated: false, evidence }),
      status: async () => ({ kind: 'pending', evidence }),
    },
    readiness: async () => ({ kind: 'ready', installation: id }),
  }
}
const both = opened(() => startService({ liveRails: { op1_momo: takes('ug-first'), op2_money: takes('ug-second') } }))
const shop = made(() => payShop(service))
let airtels = 0
function airtel(): string {
  airtels += 1
  return `07021${String(airtels).padStart(5, '0')}`
}
const stored = (phone: string) => `256${phone.slice(1)}`

/** Sends the form of a refused page with a button of it, as a browser does that is tapped there. */
const tap = (browser: Browser, page: Page, form: string, button: string) => {
  const [, name, value] =
    /<button[^>]*name="(\w+)" value="([^"]*)"[^>]*>/.exec(
      page.text
        .split('<button')
        .map((part) => `<button${part}`)
        .find((part) => part.includes(button)) ?? '',
    ) ?? []
  assert.ok(name && value, `a button ${button}`)
  return browser.send(page, form, { [name]: value })
}
const faultOf = ({ text }: Page) => /id="phone-fault".*?<span>(.*?)<\/span>/s.exec(text)?.[1] ?? ''

test('a customer with a number of another operator is told in each language before any prompt, and one tap says it has moved', async () => {
  for (const [language, says, button] of [
    [
      'en',
      /looks like a number of Airtel Money, and you are paying with MTN MoMo\. Nothing was sent/,
      'This number is MTN',
    ],
    [
      'lg',
      /erabika nga ya Airtel Money, naye osasula ng&#39;okozesa MTN MoMo|erabika nga ya Airtel Money/,
      'Ennamba eno ya',
    ],
    ['sw', /inaonekana ni ya Airtel Money, nawe unalipa kwa MTN MoMo/, 'Namba hii ni ya'],
  ] as const) {
    const link = await shop.link()
    const phone = airtel()
    const prompts = service.operator.submits()
    const browser = visitor(service)
    const told = await browser.send(await browser.get(`/pay/${link}?lang=${language}`), '/submit', { phone })
    assert.equal(told.status, 400)
    assert.match(faultOf(told), says)
    assert.equal(formOf(told, '/submit').fields.phone, phone)
    assert.deepEqual([await chargesOn(service, link), service.operator.submits()], [[], prompts])
    const sent = await tap(browser, told, '/submit', button)
    assert.equal(sent.location, `/pay/${link}/status`)
    assert.equal(service.operator.submits(), prompts + 1)
    assert.equal(service.entryOf((await chargeOn(service, link)).id)?.phone, stored(phone))
  }
})

test('what a customer has said of one number counts for no other, and the same form as before is told again', async () => {
  const link = await shop.link()
  const browser = visitor(service)
  const told = await browser.send(await browser.get(`/pay/${link}`), '/submit', { phone: airtel() })
  for (const sure of [`op1_momo ${stored(airtel())}`, 'op1_momo', 'yes', '', 'x'.repeat(20_000)]) {
    const again = await browser.send(told, '/submit', { phone: airtel(), sure })
    assert.deepEqual([again.status, faultOf(again) !== ''], [400, true], sure.slice(0, 40))
  }
  assert.deepEqual(await chargesOn(service, link), [])
  const sent = await browser.send(told, '/submit', { phone: newPayer() })
  assert.equal(sent.status, 302, 'a number of the operator needs no tap')
})

test('numbers of unknown ranges, of other countries and of fixed wireless are not told of, and neither is anything in test mode', async () => {
  for (const phone of ['0739123456', '0390123456', '+46733123454', '0722123456']) {
    const sent = await visitor(service).post(`/pay/${await shop.link()}/submit`, { channel: 'op1_momo', phone })
    assert.equal(sent.status, 302, phone)
  }
  const browser = visitor(service)
  const inTest = await browser.send(await browser.get(`/pay/${await shop.testLink()}`), '/submit', { phone: airtel() })
  assert.equal(inTest.status, 302)
})

test('at the till and for a top-up the number of another operator is told beside the field, and one tap asks it once', async () => {
  const owner = await signedInAs(service, shop.merchant)
  for (const [person, page, form, amount] of [
    [owner, '/ask', '/ask', '5,000'],
    [await signedInAs(service, shop.merchant, { role: 'cashier' }), '/counter', '/ask', '5,000'],
    [await tillOf(service, shop.merchant), '/ask', '/ask', '5,000'],
    [owner, '/wallet/top-ups', '/request', '20,000'],
  ] as const) {
    const phone = airtel()
    const prompts = service.operator.submits()
    const told = await person.send(await person.get(`/dashboard${page}`), form, { amount, phone })
    assert.equal(told.status, 400, page)
    assert.match(
      /<p class="wrong" id="[^"]*-phone-fault">(.*?)<\/p>/s.exec(told.text)?.[1] ?? '',
      /looks like a number of Airtel Money, and only MTN MoMo can be asked here: write a number of MTN MoMo/,
    )
    assert.equal(service.operator.submits(), prompts)
    const other = await person.send(told, form, { phone: airtel(), number_is: stored(phone) })
    assert.equal(other.status, 400, 'said of another number')
    const [one, two] = await Promise.all([
      tap(person, told, form, 'This number is MTN MoMo: go on'),
      tap(person, told, form, 'This number is MTN MoMo: go on'),
    ])
    assert.deepEqual([one.status, one.location], [303, two.location])
    assert.equal(service.operator.submits(), prompts + 1)
    const id = one.location.split('/').at(-1) ?? ''
    if (form === '/ask') await succeed(service, id)
  }
  const inTest = await owner.send(await owner.get('/dashboard/test/ask'), '/ask', { amount: '5,000', phone: airtel() })
  assert.equal(inTest.status, 303)
})

test('where both operators can be paid, the customer is told to choose the other one, and pays with it without another tap', async () => {
  const { keys } = await both.merchant({ verified: true })
  const made = await both.client(keys.live).post('/v1/payment-links', { amount: 5000 })
  const browser = visitor(both)
  const form = await browser.get(`/pay/${made.body.id}`)
  const phone = airtel()
  const told = await browser.send(form, '/submit', { channel: 'op1_momo', phone })
  assert.match(faultOf(told), /Write a number of MTN MoMo\. Or choose Airtel Money above\./)
  const moved = `op1_momo ${stored(phone)}`
  const turned = await browser.send(told, '/submit', { channel: 'op2_money', phone: newPayer(), sure: moved })
  assert.match(faultOf(turned), /looks like a number of MTN MoMo, and you are paying with Airtel Money/)
  const sent = await browser.send(turned, '/submit', { channel: 'op2_money', phone })
  assert.equal(sent.status, 302)
  assert.deepEqual(await both.rows('select channel, phone from charges'), [
    { channel: 'op2_money', phone: stored(phone) },
  ])
})

test('a gift card that covers all needs no number, so none is told of', async () => {
  const card = await shop.card(9000)
  const link = await shop.link({ amount: 4000 })
  const browser = visitor(service)
  const sent = await browser.send(await browser.get(`/pay/${link}`), '/submit', { phone: airtel(), voucher: card.code })
  assert.equal(sent.status, 302)
  const { channel } = await chargeOn(service, link)
  assert.ok(channel)
})

test('the API takes the number of another operator in both modes', async () => {
  for (const api of [shop.live, shop.test])
    assert.equal((await api.charge({ amount: 5000, customer: { phone: airtel() } })).status, 201)
})
