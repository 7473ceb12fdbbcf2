import assert from 'node:assert/strict'
import test from 'node:test'
import { addTestFunds } from '../../../src/ledger/test-funds.ts'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { LG } from '../../../src/web/checkout/texts/lg.ts'
import { SW } from '../../../src/web/checkout/texts/sw.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { sendUntilEnded, settle } from '../../helpers/payments/following-payouts.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import { makeOrder, payOrder, registerMachines } from '../../helpers/vending/vending.ts'
import { payShopOf } from '../../helpers/web/checkout-shop.ts'
import { chargeOn } from '../../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../../helpers/web/paying-on-pages.ts'

const SENT = /has sent (?:your|this)/
const LANGUAGES = { en: EN, lg: LG, sw: SW }
const OUTCOME_MS = 3000

const service = openedAndVerified(() => startPayingService())
const shop = made(async () => payShopOf(service, await richShop(service)))
const somebody = visitor(service)
prepare(async () => {
  await service.set(shop.merchant, { vendingEnabled: true })
  await registerMachines(service, shop.row.id, ['M-JAM'])
  await addTestFunds(service.app, BY_HAND, {
    holder: { merchantId: shop.row.id, tag: shop.row.tag },
    amount: 500_000,
    key: undefined,
  })
})

/** A live link that was paid, with or without a card for a part of it, and is being refunded. */
async function refunding(phone: string, code?: string): Promise<{ link: string; payout: string }> {
  const link = await shop.link({ amount: 10_000 })
  const browser = visitor(service)
  const form = code === undefined ? await browser.get(`/pay/${link}`) : await applyCode(browser, link, code)
  await browser.send(form, '/submit', { phone })
  const { id } = await chargeOn(service, link)
  await succeed(service, id)
  const refund = await shop.live.post(`/v1/charges/${id}/refund`)
  assert.equal(refund.status, 202, refund.text)
  return { link, payout: refund.body.refund.id }
}

type State = keyof typeof EN.receipt.refunds
/** Both pages of the customer say this about the refund, in every language. */
async function assertSaid(link: string, state: State): Promise<void> {
  const name = shop.row.name
  for (const page of ['status', 'receipt'])
    for (const [language, { receipt }] of Object.entries(LANGUAGES)) {
      const { text } = await visitor(service).get(`/pay/${link}/${page}?lang=${language}`)
      const what = `${page} in ${language}: ${text}`
      assert.ok(text.includes(receipt.refunds[state].title) && text.includes(receipt.refunds[state].text(name)), what)
    }
}
const receiptOf = async (link: string) => (await somebody.get(`/pay/${link}/receipt`)).text

test('C3 the pages say that a refund is on its way until the operator has paid it, and only then that it was sent', async () => {
  const { link, payout } = await refunding(newPayer())
  assert.doesNotMatch(await receiptOf(link), SENT)
  await assertSaid(link, 'on_its_way')
  await service.run('send-payouts')
  assert.doesNotMatch(await receiptOf(link), SENT)
  await assertSaid(link, 'on_its_way')
  await settle(service, payout)
  assert.match(await receiptOf(link), SENT)
  await assertSaid(link, 'sent')
  assert.equal((await receiptOf(link)).includes(EN.receipt.cardBack), false)
})

test('C3 a refund that the operator refused is shown as failed, on the page and on the receipt', async () => {
  const phone = newPayer()
  const { link, payout } = await refunding(phone)
  service.operator.onSubmit({ answer: 'refuse', code: 'PAYEE_LOCKED' }, phone)
  await sendUntilEnded(service, payout)
  assert.doesNotMatch(await receiptOf(link), SENT)
  await assertSaid(link, 'failed')
})

test('C3 the part that a gift card paid is back on the card at once, whatever becomes of the rest', async () => {
  const phone = newPayer()
  const { link, payout } = await refunding(phone, (await shop.card(4000)).code)
  assert.ok((await receiptOf(link)).includes(EN.receipt.cardBack))
  service.operator.onSubmit({ answer: 'refuse', code: 'PAYEE_LOCKED' }, phone)
  await sendUntilEnded(service, payout)
  await assertSaid(link, 'failed')
  assert.ok((await receiptOf(link)).includes(EN.receipt.cardBack))
})

test("C3 the machine's screen follows the refund of a jam", async () => {
  const stateOf = async (id: string) => (await somebody.get(`/vending/display/${id}/state.json`)).body
  const jammed = async () => {
    const { order_id } = await makeOrder({ api: shop.test }, { machine: 'M-JAM', amount: 3500 })
    const charge = await payOrder(service, order_id)
    await service.run('dispense')
    service.pass(OUTCOME_MS)
    await service.run('dispense')
    assert.equal((await shop.test.post(`/v1/charges/${charge}/refund`)).status, 202)
    return order_id
  }
  const says = (state: State) => EN.display.refunds[state]('UGX 3,500', shop.row.name)
  for (const outcome of ['sent', 'failed'] as const) {
    const fails = outcome === 'failed'
    await service.set(shop.merchant, {
      failNextPayouts: fails ? 1 : 0,
      failNextReason: fails ? 'wallet_locked' : null,
    })
    const id = await jammed()
    assert.doesNotMatch((await stateOf(id)).vending_error, SENT)
    assert.equal((await stateOf(id)).vending_error, says('on_its_way'))
    const before = (await somebody.get(`/vending/display/${id}`)).text
    service.pass(OUTCOME_MS)
    await service.run('send-payouts')
    assert.equal((await stateOf(id)).vending_error, says(outcome))
    const after = (await somebody.get(`/vending/display/${id}`)).text
    assert.ok(after.includes(says(outcome)))
    const seen = (html: string) => /data-seen="([^"]*)"/.exec(html)?.[1]
    assert.notEqual(seen(after), seen(before), 'the script hears of it')
  }
})
