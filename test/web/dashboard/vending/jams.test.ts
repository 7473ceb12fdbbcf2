import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { claim, fundTest, type PaidOrder, paidOrder } from '../../../helpers/vending/paid-orders.ts'
import { mainOf, type Planted, signedInAs, tillOf } from '../../../helpers/web/dashboard.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../browser/browser.ts'

const service = openedAndVerified(() => startService())
const shop = made(async () => {
  const merchant = await service.merchant({ vending: true })
  const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  await fundTest(service, { merchantId, tag }, 50_000)
  return { id: merchant.id, merchant, merchantId, tag }
})
const pageOf = ({ id }: PaidOrder) => `/dashboard/test/orders/${id}`

/** A paid order whose machine was told, and what it reports after two seconds. */
async function orderOn(machine: string): Promise<PaidOrder> {
  const order = await paidOrder(service, shop, { machine })
  await service.run('dispense')
  await reported()
  return order
}

async function reported(): Promise<void> {
  service.pass(3000)
  await service.run('dispense')
}

/** What an order's page shows under "What happened", as a person reads it. */
async function storyOf(person: Planted, order: PaidOrder): Promise<string> {
  const text = mainOf(await person.get(pageOf(order)))
  return text.slice(text.indexOf('What happened'), text.indexOf('The order Machine'))
}

function inOrder(text: string, ...parts: RegExp[]): void {
  let rest = text
  for (const part of parts) {
    const at = rest.search(part)
    assert.ok(at >= 0, `${part} is missing in: ${rest}`)
    rest = rest.slice(at + 1)
  }
}

test('the page of an order that jammed tells of its payment, the jam and the refund, and gives the money back', async () => {
  const owner = await signedInAs(service, shop)
  const order = await orderOn('M1-JAM')
  const jammed = await owner.get(pageOf(order))
  assert.match(mainOf(jammed), /The customer has paid, and no product came out: the machine reported a jam\./)
  assert.match(mainOf(jammed), /UGX 5,000 goes back to the customer's phone\..*After that nothing is dispensed/)
  const charge = await owner.get(`/dashboard/test/charges/${order.chargeId}`)
  assert.match(mainOf(charge), new RegExp(`Vending order ${order.id} not dispensed`))
  assert.ok(charge.text.includes(`href="${pageOf(order)}"`), 'the payment leads to the order')
  assert.ok(jammed.text.includes(`href="/dashboard/test/charges/${order.chargeId}"`), 'and back')

  service.pass(1000)
  const refunded = await owner.follow(await owner.send(jammed, '/refund'))
  assert.match(mainOf(refunded), /The charge is refunded\. The payout is on its way\./)
  assert.match(mainOf(refunded), /The customer has the money back, so nothing is dispensed/)
  assert.doesNotMatch(refunded.text, /\/(refund|retry)[#"]/)
  service.pass(1000)
  await service.run('send-payouts')
  service.pass(3000)
  await service.run('send-payouts')
  inOrder(
    await storyOf(owner, order),
    /The order was made/,
    /The customer was asked for UGX 5,000 0700000000/,
    /The customer paid number \S+ in the customer's SMS/,
    /The machine was told to dispense machine M1-JAM/,
    /The machine supplier answered accepted by the simulated machine/,
    /No product came out the machine reported a jam/,
    /Message to your server made: not dispensed/,
    new RegExp(`Refund a charge: ${owner.email}`),
    /UGX 5,000 was given back/,
    /The money is on the phone of the customer/,
  )
})

test('a product that did not come out is dispensed once more, and its first jam stays in the story', async () => {
  const owner = await signedInAs(service, shop)
  const order = await orderOn('M2-JAM')
  const again = await owner.follow(await owner.send(await owner.get(pageOf(order)), '/retry'))
  assert.match(mainOf(again), /The machine was told to dispense\. /)
  service.pass(1000)
  const decided = await owner.follow(await owner.send(await owner.get(pageOf(order)), '/delivered'))
  assert.match(mainOf(decided), /Your decision was kept\./)
  assert.doesNotMatch(decided.text, /\/(refund|retry|delivered)[#"]/)
  inOrder(
    await storyOf(owner, order),
    /The machine was told to dispense machine M2-JAM/,
    /No product came out the machine reported a jam/,
    /The machine was told to dispense again/,
    new RegExp(`Say whether a dispense was delivered: ${owner.email} It was delivered`),
    /A person said that the product came out/,
  )
})

test('while a machine may still deliver, the money is not given back; and after a refund nothing is dispensed', async () => {
  const owner = await signedInAs(service, shop)
  const order = await orderOn('M3-JAM')
  const page = await owner.get(pageOf(order))
  await owner.send(page, '/retry')
  const early = await owner.send(page, '/refund')
  assert.equal(early.status, 409)
  assert.match(mainOf(early), /cannot refund: what this charge has paid for is being delivered/)
  await reported()
  const jammed = await owner.get(pageOf(order))
  assert.equal((await owner.send(jammed, '/refund')).status, 303)
  const late = await owner.send(jammed, '/retry')
  assert.equal(late.status, 400)
  assert.match(mainOf(late), /cannot dispense: charge status is refunded, not succeeded/)
  const [claims] = await service.rows<{ told: number }>(
    'select count(commanded_at)::int as told from dispense_claims where order_id = $1',
    [order.id],
  )
  assert.equal(claims?.told, 2, 'the machine was told twice, as a person asked')
})

test('of a refund and a dispense at the same time one alone happens', async () => {
  const [one, two] = [await signedInAs(service, shop), await signedInAs(service, shop)]
  const order = await orderOn('M4-JAM')
  const [first, second] = [await one.get(pageOf(order)), await two.get(pageOf(order))]
  const answers = await Promise.all([one.send(first, '/refund'), two.send(second, '/retry')])
  assert.deepEqual(answers.map(({ status }) => status).filter((status) => status === 303).length, 1)
  const [row] = await service.rows<{ status: string; told: number }>(
    `select c.status, (select count(*)::int from dispense_claims k where k.charge_id = c.id and k.released_at is null) as told
     from charges c where c.id = $1`,
    [order.chargeId],
  )
  assert.deepEqual(row, answers[0]?.status === 303 ? { status: 'refunded', told: 0 } : { status: 'succeeded', told: 1 })
})

test('a refund of an order that is sent twice is one refund', async () => {
  const owner = await signedInAs(service, shop)
  const order = await orderOn('M5-JAM')
  const page = await owner.get(pageOf(order))
  const both = [await owner.send(page, '/refund'), await owner.send(page, '/refund')]
  assert.deepEqual(
    both.map(({ status }) => status),
    [303, 303],
  )
  const refunds = await service.rows('select id from payouts where charge_id = $1', [order.chargeId])
  assert.equal(refunds.length, 1)
})

test('who may refund finds it there: an owner and a cashier; a till and a developer dispense only; an accountant reads', async () => {
  const order = await orderOn('M6-JAM')
  const finds = async (person: Planted) => {
    const { text } = await person.get(pageOf(order))
    return [/\/refund#/.test(text), /\/retry#/.test(text)]
  }
  assert.deepEqual(await finds(await signedInAs(service, shop, { role: 'cashier' })), [true, true])
  assert.deepEqual(await finds(await signedInAs(service, shop, { role: 'developer' })), [false, true])
  assert.deepEqual(await finds(await tillOf(service, shop)), [false, true])
  assert.deepEqual(await finds(await signedInAs(service, shop, { role: 'accountant' })), [false, false])
  const stranger = await signedInAs(service, await service.merchant({ vending: true }))
  assert.equal((await stranger.get(pageOf(order))).status, 404)
})

test('an order that was never told to its machine says why, and one under way offers no refund', async () => {
  const owner = await signedInAs(service, shop)
  const order = await paidOrder(service, shop, { machine: 'M7' })
  await service.set(shop.merchant, { vendingEnabled: false })
  await service.run('dispense')
  const off = mainOf(await owner.get(pageOf(order)))
  assert.match(off, /no product came out: vending is disabled for this merchant\./)
  await service.set(shop.merchant, { vendingEnabled: true })
  await claim(service, order)
  const claimed = await owner.get(pageOf(order))
  assert.match(mainOf(claimed), /The machine has not reported yet/)
  assert.doesNotMatch(claimed.text, /\/(refund|retry)[#"]/)
})

test(
  'on a phone without scripts: from the order that jammed to its payment, back, and to the refund',
  ON_BROWSER,
  async () => {
    const order = await orderOn('M8-JAM')
    const [cookie] = (await signedInAs(service, shop)).cookies()
    assert.ok(cookie)
    const browser = await launchBrowser()
    try {
      const { page, context, troubles } = await newVisitor(browser, {
        ...{ size: 'phone', own: [service.url], javaScriptEnabled: false },
      })
      await context.addCookies([{ name: cookie.name, value: cookie.value, url: service.url }])
      await page.goto(`${service.url}${pageOf(order)}`)
      await page.getByRole('link', { name: 'The customer paid' }).click()
      await page.getByRole('link', { name: order.id }).click()
      await page.locator('summary', { hasText: 'Give the money back' }).click()
      await page.getByRole('button', { name: 'Refund the customer' }).click()
      await page.getByText('The customer has the money back').waitFor()
      await page.getByText('UGX 5,000 was given back').waitFor()
      assert.deepEqual(troubles(), [])
    } finally {
      await browser.close()
    }
  },
)
