import assert from 'node:assert/strict'
import test from 'node:test'
import { eventsOf } from '../../helpers/database/money-rows.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Browser, type Page, untilServed } from '../../helpers/web/browser.ts'
import { payShopOf } from '../../helpers/web/checkout-shop.ts'
import { cardNow, chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startPayingService())
const shop = made(async () => payShopOf(service, await richShop(service, 100_000)))

type Ready = { browser: Browser; form: Page; link: string }

/** Customers with one link each who have all applied the same card. */
async function readyWith(code: string, amounts: readonly number[]): Promise<Ready[]> {
  return Promise.all(
    amounts.map(async (amount) => {
      const [link, browser] = [await shop.link({ amount }), visitor(service)]
      return { browser, link, form: await applyCode(browser, link, code) }
    }),
  )
}
const submit = ({ browser, form }: Ready) => untilServed(() => browser.send(form, '/submit', { phone: newPayer() }))

async function assertNeverMore(cardId: string, value: number, links: readonly string[]): Promise<void> {
  const charges = (await Promise.all(links.map((link) => chargesOn(service, link)))).flat()
  const used = charges.filter(({ status }) => status !== 'failed').reduce((sum, { card }) => sum + card, 0)
  const [balance, reserved, spent] = await cardNow(service, cardId)
  assert.ok(used <= value, `${used} of ${value}`)
  assert.deepEqual(reserved + spent, used)
  assert.equal(balance + reserved + spent, value)
}

test('one card on two links at once: it pays one of them, the other customer sees the form again', async () => {
  for (let round = 0; round < 25; round += 1) {
    const card = await shop.card(4000)
    const ready = await readyWith(card.code, [10_000, 9000])
    const pages = await Promise.all(ready.map(submit))
    assert.deepEqual(pages.map(({ status }) => status).sort(), [302, 409])
    await assertNeverMore(
      card.id,
      4000,
      ready.map(({ link }) => link),
    )
    const loser = pages.findIndex(({ status }) => status === 409)
    assert.deepEqual(await chargesOn(service, (ready[loser] as Ready).link), [])
  }
})

test('a card of 5,000 on eight links of 1,000 that it covers fully pays at most five, in whatever order', async () => {
  for (let round = 0; round < 6; round += 1) {
    const card = await shop.card(5000)
    const ready = await readyWith(
      card.code,
      Array.from({ length: 8 }, () => 1000),
    )
    const links = ready.map(({ link }) => link)
    const pages = await Promise.all(ready.map(submit))
    for (const { status } of pages) assert.ok(status === 302 || status === 409, `${status}`)
    await assertNeverMore(card.id, 5000, links)
    // A full cover does not change with what others spend, until the card holds less than its price.
    assert.equal(pages.filter(({ status }) => status === 302).length, 5)
    assert.deepEqual(await cardNow(service, card.id), [0, 0, 5000])
  }
})

test('one card on one reusable link, the same form and new ones in parallel: each form pays once', async () => {
  for (let round = 0; round < 6; round += 1) {
    const card = await shop.card(2000)
    const link = await shop.link({ amount: 1000, allow_multiple_uses: true })
    const people = await Promise.all(
      [1, 2, 3].map(async () => {
        const browser = visitor(service)
        return { browser, link, form: await applyCode(browser, link, card.code) }
      }),
    )
    const pages = await Promise.all([...people, ...people, ...people].map(submit))
    const paid = new Set(pages.filter(({ status }) => status === 302).map(({ location }) => location))
    assert.equal(paid.size, 2)
    await assertNeverMore(card.id, 2000, [link])
    assert.equal((await chargesOn(service, link)).length, 2)
  }
})

test('a card that is spent, freed and reserved at the same moments keeps its value', async () => {
  const card = await shop.card(6000)
  for (let round = 0; round < 10; round += 1) {
    const [one, two] = (await readyWith(card.code, [4000, 2500])) as [Ready, Ready]
    const phone = newPayer()
    if ((await cardNow(service, card.id))[0] < 1000) break
    const first = await one.browser.send(one.form, '/submit', { phone })
    if (first.status !== 302) continue
    const { id, status } = await chargeOn(service, one.link)
    if (status === 'authorized') service.operator[round % 2 === 0 ? 'refuses' : 'pays'](id)
    service.pass(6000)
    await Promise.all([service.runBeside('follow-charges'), submit(two)])
    const [balance, reserved, spent] = await cardNow(service, card.id)
    assert.equal(balance + reserved + spent, 6000)
  }
})

test("a refund returns the money to the phone and the card's part to the card, in one answer and one event", async () => {
  const card = await shop.card(4000)
  const [ready] = (await readyWith(card.code, [10_000])) as [Ready]
  await submit(ready)
  const { id } = await chargeOn(service, ready.link)
  await succeed(service, id)
  await service.run('settle-charges')
  const refunded = await shop.live.post(`/v1/charges/${id}/refund`)
  assert.equal(refunded.status, 202, refunded.text)
  assert.deepEqual([refunded.body.gift_card_restored, refunded.body.refund.amount], [4000, 6000])
  assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0])
  const events = (await eventsOf(service, id)).filter(({ type }) => type === 'charge.refunded')
  assert.equal(events.length, 1)
  const { data } = JSON.parse(events[0]?.body ?? '')
  assert.deepEqual([data.gift_card_restored, data.refund_amount, data.amount], [4000, 6000, 10_000])
  const receipt = await ready.browser.get(`/pay/${ready.link}/receipt`)
  assert.equal(receipt.status, 200)
  assert.equal((await submit((await readyWith(card.code, [1000]))[0] as Ready)).status, 302, 'it pays again')
})

test('a charge that a card paid in full is refunded to the card once, however many ask', async () => {
  const card = await shop.card(4000)
  const [ready] = (await readyWith(card.code, [3000])) as [Ready]
  await submit(ready)
  const { id } = await chargeOn(service, ready.link)
  const answers = await Promise.all(Array.from({ length: 5 }, () => shop.live.post(`/v1/charges/${id}/refund`)))
  const statuses = answers.map(({ status, body }) => `${status} ${body.code ?? body.gift_card_restored}`)
  assert.deepEqual(statuses.sort(), ['200 3000', ...new Array(4).fill('400 already_refunded')])
  assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0])
})
